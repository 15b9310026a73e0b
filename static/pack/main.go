// Command pack makes static/built ready to be served: stage.wasm without what only stack traces need, its compressed
// forms, and the script from the Go distribution that starts it. make runs it in the project's folder. With -small it
// compresses as well as it can, which takes half a minute, for pages that others download. Otherwise it takes a second:
// for a browser on the same machine or in the same room that's the better bargain.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"go/version"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/andybalholm/brotli"
)

const (
	wasm   = "static/built/stage.wasm"
	script = "static/built/wasm_exec.js"
)

// budget bounds the program, in bytes as downloaded after -small. The page around it has the rest of 2.5 MB.
const budget = 2_400_000

// How hard the compressors try: quality for brotli, of at most 11, and level for gzip.
type effort struct{ brotli, gzip int }

var (
	quick = effort{brotli: 4, gzip: gzip.BestSpeed}
	small = effort{brotli: 11, gzip: gzip.BestCompression}
)

// known is the Go whose table of functions this command can change. A program that another one built stays as it is,
// whatever it weighs.
const known = "go1.26"

func main() {
	most := flag.Bool("small", false, "compress as well as possible, and fail above the budget")
	flag.Parse()
	e := quick
	if *most {
		e = small
	}
	if err := run(e); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(e effort) error {
	if err := copyScript(); err != nil {
		return err
	}
	plain, err := os.ReadFile(wasm)
	if err != nil {
		return fmt.Errorf("%w; build it first: make wasm", err)
	}
	knows := version.Lang(runtime.Version()) == known
	if knows {
		if plain, err = withoutLines(plain); err != nil {
			return fmt.Errorf("%s: %w", wasm, err)
		}
		if err := os.WriteFile(wasm, plain, 0o755); err != nil {
			return err
		}
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
		return fmt.Errorf("%s.br has %d bytes, more than the %d it may have", wasm, size, budget)
	}
	return nil
}

// copyScript takes wasm_exec.js from the Go that builds: it must be the same version.
func copyScript() error {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return os.WriteFile(script, text, 0o644)
}

// packed returns the size of the brotli form and whether it holds this very program. If it is within the budget, it was
// made with -small: without that none is so small.
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

// compress writes both forms, the brotli one last, and returns its size.
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
