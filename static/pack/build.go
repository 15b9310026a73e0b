package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// How the page's program is built: small rather than fast, where that makes no difference to be seen.
const (
	// built is the program as the linker leaves it. overlay lists the files of the standard library that the page's
	// program has in another form.
	built   = "out/stage.wasm"
	overlay = "out/overlay.json"
)

// buildStage builds the page's program. Of what's in it go build compiles again only what has changed.
func buildStage() error {
	if err := writeOverlay(); err != nil {
		return err
	}
	c := exec.Command("go", "build", "-trimpath", "-overlay", overlay, "-ldflags=-s -w", "-o", built, "./wasm")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("build the page's program: %w", err)
	}
	return nil
}

// writeOverlay puts wasm/template in the place of text/template.
func writeOverlay() error {
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
	if instead[files[0]], err = filepath.Abs("wasm/template/template.go"); err != nil {
		return err
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": instead}, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(overlay), 0o755); err != nil {
		return err
	}
	return os.WriteFile(overlay, text, 0o644)
}

// goroot returns the folder of the building Go.
func goroot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
