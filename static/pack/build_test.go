package main

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestInstead checks that only those parts of Ebiten use a package that another stands in for, for which it was made,
// and that what draws stories uses none that the stage doesn't.
func TestInstead(t *testing.T) {
	const ebiten = "github.com/hajimehoshi/ebiten/v2/internal/"
	want := map[string][]string{
		"text/template":       {ebiten + "builtinshader"},
		"archive/zip":         {ebiten + "graphicscommand"},
		"compress/zlib":       {ebiten + "png"},
		"go/build/constraint": {"go/parser"},
		"go/constant":         {ebiten + "shaderir", ebiten + "shader", ebiten + "shaderir/glsl"},
		"go/parser":           {ebiten + "shader"},
		"hash/crc32":          {"archive/zip", ebiten + "png"},
		"internal/godebug":    {"time", "math/rand", "net/url", "archive/zip"},
		"net/netip":           {"net/url"},
		"regexp": {ebiten + "shader", ebiten + "shaderir/glsl",
			"github.com/zkviz/zkviz/engine/analysis/naming"},
	}
	c := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{range .Imports}}{{.}} {{end}}",
		"../../wasm", "../../wasm/story")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	list, err := c.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	replaced := map[string]bool{}
	for name := range instead {
		if path.Ext(name) != "" { // a single file
			name = path.Dir(name)
		}
		replaced[name] = true
	}
	got := map[string][]string{}
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		for _, imported := range words[1:] {
			if replaced[imported] {
				got[imported] = append(got[imported], words[0])
			}
		}
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("who imports what the page's program has in another form:\n%v\nand not:\n%v\nSee wasm/instead.", got, want)
	}
}
