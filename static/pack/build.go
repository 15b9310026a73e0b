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

// writeOverlay writes the file that puts wasm/template in the place of text/template.
func writeOverlay(to string) error {
	root, err := goroot()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(root, "src/text/template/*.go"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("there is no text/template in %s: %v", root, err)
	}
	instead := map[string]string{}
	for _, file := range files {
		instead[file] = "" // as if it weren't there
	}
	mine, err := filepath.Abs("wasm/template/template.go")
	if err != nil {
		return err
	}
	instead[filepath.Join(filepath.Dir(files[0]), "instead.go")] = mine
	text, err := json.MarshalIndent(map[string]any{"Replace": instead}, "", "\t")
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
