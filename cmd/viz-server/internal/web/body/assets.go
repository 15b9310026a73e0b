package body

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
)

// Assets are the files under /static, read once. The wasm comes with its compressed forms name.br and name.gz from the
// build. It may be missing, and then pages show still pictures.
type Assets struct {
	byName  map[string]*Body
	version string
}

// mostPlain is the maximum size in bytes of the files that the server compresses.
const mostPlain = 1 << 20

// Load reads all files of fsys.
func Load(fsys fs.FS) (Assets, error) {
	a := Assets{byName: map[string]*Body{}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || kindOf(plainName(name)) == "" {
			return err
		}
		return a.load(fsys, plainName(name))
	})
	if err != nil {
		return Assets{}, fmt.Errorf("read the static files: %w", err)
	}
	a.version = a.digest()
	return a, nil
}

// stage is the program that draws the stage.
const stage = "built/stage.wasm"

// HasStage reports whether this build contains that program.
func (a Assets) HasStage() bool { return a.byName[stage] != nil }

// Version returns a text that changes with any file.
func (a Assets) Version() string { return a.version }

// Document returns a file whose addresses of files are below the path base; nil if there is no such file.
func (a Assets) Document(name, base string) *Body {
	b := a.byName[name]
	if b == nil || base == "" {
		return b
	}
	return New(b.kind, bytes.ReplaceAll(b.plain, []byte(`"/static/`), []byte(`"`+base+`/static/`)), Thorough)
}

// plainName returns a file's name without the suffix of its compressed form.
func plainName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".br"), ".gz")
}

// kindOf returns a file's Content-Type, or "" if the server doesn't serve it.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/x-icon"
	case ".woff2":
		return "font/woff2"
	case ".html":
		return "text/html; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".wasm":
		return "application/wasm"
	}
	return ""
}

// load reads a file in all forms.
func (a Assets) load(fsys fs.FS, name string) error {
	if _, ok := a.byName[name]; ok {
		return nil
	}
	packed := map[string][]byte{}
	for _, enc := range []struct{ ending, encoding string }{{".br", "br"}, {".gz", "gzip"}} {
		body, err := fs.ReadFile(fsys, name+enc.ending)
		if err == nil {
			packed[enc.encoding] = body
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	plain, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		plain, err = unpack(packed) // there are only compressed forms
	}
	if err != nil {
		return err
	}
	effort := 9
	if len(packed) > 0 || len(plain) > mostPlain {
		effort = 0
	}
	c := New(kindOf(name), plain, effort)
	c.packed = packed
	a.byName[name] = c
	return nil
}

func unpack(packed map[string][]byte) ([]byte, error) {
	if br, ok := packed["br"]; ok {
		return io.ReadAll(brotli.NewReader(bytes.NewReader(br)))
	}
	zr, err := gzip.NewReader(bytes.NewReader(packed["gzip"]))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zr)
}

func (a Assets) digest() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(a.byName)) {
		fmt.Fprintf(sum, "%s %s\n", name, a.byName[name].tag)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// ServeHTTP answers requests below /static/. Browsers keep an address with the version for good.
func (a Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, ok := a.byName[strings.TrimPrefix(r.URL.Path, "/static/")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	caching := AskAgain
	if v := r.URL.Query().Get("v"); v != "" && v == a.version {
		caching = ForGood
	}
	c.Serve(w, r, caching)
}
