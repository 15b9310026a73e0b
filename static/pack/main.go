// Command pack builds the page's program and prepares static/built for serving: stage.wasm without data that only
// stack traces need, its compressed forms, and the start script from the Go distribution. make runs it in the
// project's folder. With -small it compresses as well as possible, which takes half a minute, for pages that others
// download. Without it takes a second, which is better for a browser on the same machine or in the same room.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"go/version"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/andybalholm/brotli"
)

const (
	wasm   = "static/built/stage.wasm"
	script = "static/built/wasm_exec.js"
)

// budget is the program's maximum download in bytes after -small. The page around it has the rest of 1.9 MB.
const budget = 1_800_000

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
	if err := run(e, *whole); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(e effort, whole bool) error {
	if err := copyScript(); err != nil {
		return err
	}
	plain, err := buildStage("out")
	if err != nil {
		return err
	}
	knows := version.Lang(runtime.Version()) == known
	if knows && !whole {
		if plain, err = withoutLines(plain); err != nil {
			return fmt.Errorf("%s: %w", wasm, err)
		}
	}
	if err := os.WriteFile(wasm, plain, 0o644); err != nil {
		return err
	}
	size, same := packed(plain)
	if same && (e == quick || size <= budget) {
		return touch()
	}
	if e == small {
		fmt.Fprintln(os.Stderr, "pack: compressing", wasm, "(about half a minute, only when it has changed)")
	}
	if size, err = compress(plain, e); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "pack: %d bytes, brotli %d\n", len(plain), size)
	if e == quick {
		return nil
	}
	if !knows {
		fmt.Fprintf(os.Stderr, "pack: it keeps its line numbers: only those of %s can be left out, and this is %s\n",
			known, runtime.Version())
		return nil
	}
	if size > budget {
		return fmt.Errorf("%s.br has %d bytes, more than the %d allowed", wasm, size, budget)
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
func packed(plain []byte) (size int, same bool) {
	br, err := os.ReadFile(wasm + ".br")
	if err != nil {
		return 0, false
	}
	old, err := io.ReadAll(brotli.NewReader(bytes.NewReader(br)))
	return len(br), err == nil && bytes.Equal(old, plain)
}

// touch makes the compressed forms newer than the program, for make.
func touch() error {
	for _, ending := range []string{".gz", ".br"} {
		text, err := os.ReadFile(wasm + ending)
		if err != nil {
			return err
		}
		if err := os.WriteFile(wasm+ending, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compress writes both forms, brotli last, and returns its size.
func compress(plain []byte, e effort) (int, error) {
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
	if err := os.WriteFile(wasm+".gz", gz.Bytes(), 0o644); err != nil {
		return 0, err
	}
	return br.Len(), os.WriteFile(wasm+".br", br.Bytes(), 0o644)
}

func fill(w io.WriteCloser, plain []byte) error {
	if _, err := w.Write(plain); err != nil {
		return err
	}
	return w.Close()
}
