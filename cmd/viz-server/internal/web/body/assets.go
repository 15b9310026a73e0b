package body

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/andybalholm/brotli"
)

// Assets are the files under /static, read once. The wasm comes with its compressed forms name.br and name.gz from the
// build. It may be missing, and then pages show still pictures.
//
// Pages call each file by a name with a hash of what is in it, so browsers keep it for good.
type Assets struct {
	byName   map[string]*Body
	byHashed map[string]*Body
}

// mostPlain is the maximum size in bytes of the files that the server compresses.
const mostPlain = 1 << 20

// Load reads all files of fsys, and makes bundles of some: each is a name and the files that it joins.
func Load(fsys fs.FS, bundles map[string][]string) (Assets, error) {
	a := Assets{byName: map[string]*Body{}, byHashed: map[string]*Body{}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || kindOf(plainName(name)) == "" {
			return err
		}
		return a.load(fsys, plainName(name))
	})
	if err != nil {
		return Assets{}, fmt.Errorf("read the static files: %w", err)
	}
	for name, parts := range bundles {
		var joined []byte
		for _, part := range parts {
			if b := a.byName[part]; b != nil {
				joined = append(joined, b.plain...)
			}
		}
		a.Add(name, kindOf(name), joined)
	}
	return a, nil
}

// Add adds a file with a Content-Type, compressed on request.
func (a Assets) Add(name, kind string, plain []byte) { a.put(name, New(kind, plain, 9)) }

func (a Assets) put(name string, b *Body) {
	a.byName[name] = b
	a.byHashed[hashed(name, b)] = b
}

// hashed returns a file's name with its hash: app.1a2b3c4d5e6f.css.
func hashed(name string, b *Body) string {
	ending := path.Ext(name)
	return strings.TrimSuffix(name, ending) + "." + b.tag[:12] + ending
}

// Name returns the name by which pages call a file; the same if there is no such file.
func (a Assets) Name(name string) string {
	if b := a.byName[name]; b != nil {
		return hashed(name, b)
	}
	return name
}

// stage is the program that draws the stage.
const stage = "built/stage.wasm"

// HasStage reports whether this build contains that program.
func (a Assets) HasStage() bool { return a.byName[stage] != nil }

// Document returns a file that calls others as pages do, below the path base; nil if there is no such file.
func (a Assets) Document(name, base string) *Body {
	b := a.byName[name]
	if b == nil {
		return nil
	}
	var names []string
	for file := range a.byName {
		names = append(names, `"/static/`+file+`"`, `"`+base+`/static/`+a.Name(file)+`"`)
	}
	return New(b.kind, []byte(strings.NewReplacer(names...).Replace(string(b.plain))), Thorough)
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
	a.put(name, c)
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

// ServeHTTP answers requests below /static/.
func (a Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/static/")
	if b := a.byHashed[name]; b != nil {
		b.Serve(w, r, ForGood)
	} else if b := a.byName[name]; b != nil {
		b.Serve(w, r, AskAgain)
	} else {
		http.NotFound(w, r)
	}
}
