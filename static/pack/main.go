// Command pack builds the page's programs and prepares static/built for serving: stage.wasm, engine.wasm and story.wasm
// without data that only stack traces need, their compressed forms, and the start script from the Go distribution. make
// runs it in the project's folder, for the programs that it names, or for all. With -small it compresses as well as
// possible, which takes half a minute for each, for pages that others download. Without it takes a second, which is
// better for a browser on the same machine or in the same room.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"go/version"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/andybalholm/brotli"
)

// program is a program for the browser.
type program struct {
	file   string
	build  func(folder string) ([]byte, error)
	budget int    // its maximum download in bytes after -small
	kept   string // how the names of functions begin that keep their lines: events name those of recipes
}

// programs has them by name. The page around the stage has the rest of 1.68 MB.
var programs = map[string]program{
	"stage":  {"static/built/stage.wasm", buildStage, 1_555_000, ""},
	"engine": {"static/built/engine.wasm", buildEngine, 1_700_000, "github.com/zkviz/zkviz/recipes"},
	"story":  {"static/built/story.wasm", buildStory, 750_000, ""},
}

const script = "static/built/wasm_exec.js"

// effort sets how hard the compressors try: brotli's quality, at most 11, and gzip's level.
type effort struct{ brotli, gzip int }

var (
	quick = effort{brotli: 4, gzip: gzip.BestSpeed}
	small = effort{brotli: 11, gzip: gzip.BestCompression}
)

// known is the Go version whose function table this command can change. It leaves programs of other versions alone.
const known = "go1.26"

func main() {
	most := flag.Bool("small", false, "compress as well as possible, and fail above the budget")
	whole := flag.Bool("lines", false, "keep files and lines, for stack traces")
	flag.Parse()
	e := quick
	if *most {
		e = small
	}
	names := flag.Args()
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(programs))
	}
	err := copyScript()
	for _, name := range names {
		err = errors.Join(err, programs[name].pack(e, *whole))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack builds the program and prepares it.
func (p program) pack(e effort, whole bool) error {
	plain, err := p.build("out")
	if err != nil {
		return err
	}
	knows := version.Lang(runtime.Version()) == known
	if knows && !whole {
		if plain, err = withoutLines(plain, p.kept); err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
	}
	if err := os.WriteFile(p.file, plain, 0o644); err != nil {
		return err
	}
	size, same := p.packed(plain)
	if same && (e == quick || size <= p.budget) {
		return p.touch()
	}
	if e == small {
		fmt.Fprintln(os.Stderr, "pack: compressing", p.file, "(about half a minute, only when it has changed)")
	}
	if size, err = p.compress(plain, e); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "pack: %s has %d bytes, brotli %d\n", p.file, len(plain), size)
	if e == quick {
		return nil
	}
	if !knows {
		fmt.Fprintf(os.Stderr, "pack: it keeps its line numbers: only those of %s can be left out, and this is %s\n",
			known, runtime.Version())
		return nil
	}
	if size > p.budget {
		return fmt.Errorf("%s.br has %d bytes, more than the %d allowed", p.file, size, p.budget)
	}
	return nil
}

// copyScript copies wasm_exec.js from the building Go: the versions must match.
func copyScript() error {
	root, err := goroot()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return os.WriteFile(script, text, 0o644)
}

// packed returns the brotli form's size, and whether it holds this program. Only -small makes one within the budget.
func (p program) packed(plain []byte) (size int, same bool) {
	br, err := os.ReadFile(p.file + ".br")
	if err != nil {
		return 0, false
	}
	old, err := io.ReadAll(brotli.NewReader(bytes.NewReader(br)))
	return len(br), err == nil && bytes.Equal(old, plain)
}

// touch makes the compressed forms newer than the program, for make.
func (p program) touch() error {
	for _, ending := range []string{".gz", ".br"} {
		text, err := os.ReadFile(p.file + ending)
		if err != nil {
			return err
		}
		if err := os.WriteFile(p.file+ending, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compress writes both forms, brotli last, and returns its size.
func (p program) compress(plain []byte, e effort) (int, error) {
	var gz bytes.Buffer
	z, err := gzip.NewWriterLevel(&gz, e.gzip)
	if err != nil {
		return 0, err
	}
	if err := fill(z, plain); err != nil {
		return 0, err
	}
	var br bytes.Buffer
	if err := fill(brotli.NewWriterOptions(&br, brotli.WriterOptions{Quality: e.brotli, LGWin: 24}), plain); err != nil {
		return 0, err
	}
	if err := os.WriteFile(p.file+".gz", gz.Bytes(), 0o644); err != nil {
		return 0, err
	}
	return br.Len(), os.WriteFile(p.file+".br", br.Bytes(), 0o644)
}

func fill(w io.WriteCloser, plain []byte) error {
	if _, err := w.Write(plain); err != nil {
		return err
	}
	return w.Close()
}
