package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// What building the page's program leaves.
const (
	built   = "stage.wasm"   // the program as the linker leaves it
	overlay = "overlay.json" // lists files of the standard library that the page's program has in another form
)

// inlined lists the packages in which functions are inlined: those that compute every frame, or fold the log. Where
// nothing is inlined, code is an eighth smaller; but there, folding would take three times as long.
var inlined = []string{
	"runtime/...",
	"internal/runtime/...",
	"github.com/hajimehoshi/ebiten/v2",
	"github.com/zkviz/zkviz/engine/event/...",
	"github.com/zkviz/zkviz/engine/analysis/view/...",
	"github.com/zkviz/zkviz/engine/stage/scene/...",
	"github.com/zkviz/zkviz/wasm/draw",
}

// buildStage builds the page's program in a folder and returns it. It is small rather than fast where nobody sees the
// difference.
func buildStage(folder string) ([]byte, error) {
	over, to := filepath.Join(folder, overlay), filepath.Join(folder, built)
	if err := writeOverlay(over); err != nil {
		return nil, err
	}
	c := exec.Command("go", "build", "-trimpath", "-overlay", over, "-ldflags=-s -w", "-o", to)
	c.Args = append(c.Args, "-gcflags=all=-l")
	for _, hot := range inlined {
		c.Args = append(c.Args, "-gcflags="+hot+"=")
	}
	c.Args = append(c.Args, "./wasm")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("build the page's program: %w", err)
	}
	return os.ReadFile(to)
}

// instead maps packages of the standard library to the files that the page's program has instead of them: what
// Ebiten needs of each.
var instead = map[string]string{
	"text/template": "wasm/instead/template/template.go",
	"archive/zip":   "wasm/instead/zip/zip.go",
	"compress/zlib": "wasm/instead/zlib/zlib.go",
}

// writeOverlay writes the file that tells go build about them.
func writeOverlay(to string) error {
	root, err := goroot()
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for name, mine := range instead {
		folder := filepath.Join(root, "src", name)
		theirs, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(theirs) == 0 {
			return fmt.Errorf("there are no files in %s: %v", folder, err)
		}
		for _, file := range theirs {
			replace[file] = "" // as if it weren't there
		}
		if replace[filepath.Join(folder, "instead.go")], err = filepath.Abs(mine); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// goroot returns the folder of the building Go.
func goroot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
