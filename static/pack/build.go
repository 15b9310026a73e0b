package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// overlay lists files of the standard library that the stage has in another form.
const overlay = "overlay.json"

// inlined lists the packages of the stage in which functions are inlined: those that compute every frame, or fold the
// log. Where nothing is inlined, code is an eighth smaller; but there, folding would take three times as long.
var inlined = []string{
	"runtime/...",
	"internal/runtime/...",
	"github.com/hajimehoshi/ebiten/v2",
	"github.com/zkviz/zkviz/engine/event/...",
	"github.com/zkviz/zkviz/engine/analysis/view/...",
	"github.com/zkviz/zkviz/engine/stage/scene/...",
	"github.com/zkviz/zkviz/wasm/draw",
}

// short has the compiler's flags for all others: no function is inlined; a defer statement is not spelled out again at
// each return; and a slice gets no second piece of code for the case that it is tiny and may lie on the stack.
const short = "-l -d=noopendefer=1,variablemakethreshold=0"

// rare lists packages among them that are asked for a few words at a time. Not inlined, they take 6 kB off the
// download.
var rare = []string{
	"github.com/zkviz/zkviz/engine/event/fault",
	"github.com/zkviz/zkviz/engine/event/sentence",
	"github.com/zkviz/zkviz/engine/event/trace",
	"github.com/zkviz/zkviz/engine/stage/scene/strip",
}

// brief lists the packages of the engine in which no function is inlined: they compute no runs, they read, write and
// show them. That takes a twentieth off the download.
var brief = []string{
	"encoding/...",
	"reflect",
	"regexp/...",
	"log/...",
	"time",
	"fmt",
	"net/...",
	"strconv",
	"errors",
	"github.com/zkviz/zkviz/engine/zookeeper/wire",
	"github.com/zkviz/zkviz/engine/run/compare",
	"github.com/zkviz/zkviz/engine/stage/...",
	"github.com/zkviz/zkviz/engine/run/room",
	"github.com/zkviz/zkviz/engine/run/protocol",
	"github.com/zkviz/zkviz/engine/run/link",
	"github.com/zkviz/zkviz/engine/analysis/fork",
	"github.com/zkviz/zkviz/engine/event/trace",
	"github.com/zkviz/zkviz/engine/base/jsontext",
	"github.com/zkviz/zkviz/engine/analysis/naming",
	"github.com/zkviz/zkviz/engine/event/fault",
}

// buildStage builds the stage in a folder and returns it as the linker leaves it.
func buildStage(folder string) ([]byte, error) {
	return buildSmall("./wasm", folder, "stage.wasm")
}

// buildSmall builds a package for the browser, small rather than fast but where it folds logs and draws.
func buildSmall(pkg, folder, name string) ([]byte, error) {
	over := filepath.Join(folder, overlay)
	if err := writeOverlay(over); err != nil {
		return nil, err
	}
	flags := []string{"-overlay", over, "-gcflags=all=" + short}
	for _, hot := range inlined {
		flags = append(flags, "-gcflags="+hot+"=")
	}
	for _, pkg := range rare {
		flags = append(flags, "-gcflags="+pkg+"="+short)
	}
	return buildOf(pkg, filepath.Join(folder, name), flags...)
}

// buildEngine builds the engine in a folder and returns it as the linker leaves it.
func buildEngine(folder string) ([]byte, error) {
	var flags []string
	for _, pkg := range brief {
		flags = append(flags, "-gcflags="+pkg+"=-l")
	}
	return buildOf("./wasm/engine", filepath.Join(folder, "engine.wasm"), flags...)
}

// buildStory builds the program that draws stories in a folder and returns it as the linker leaves it. It folds logs
// and draws as the stage does.
func buildStory(folder string) ([]byte, error) {
	return buildSmall("./wasm/story", folder, "story.wasm")
}

// buildOf builds a package for the browser.
func buildOf(pkg, to string, flags ...string) ([]byte, error) {
	c := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", to}, flags...)...)
	c.Args = append(c.Args, pkg)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("build %s: %w", pkg, err)
	}
	return os.ReadFile(to)
}

// instead maps packages of the standard library, or single files of them, to the files that the page's program has
// instead of them: what Ebiten needs of each.
var instead = map[string]string{
	"archive/zip":           "wasm/instead/zip/zip.go",
	"compress/zlib":         "wasm/instead/zlib/zlib.go",
	"go/build/constraint":   "wasm/instead/constraint/constraint.go",
	"go/constant":           "wasm/instead/constant/constant.go",
	"go/parser/resolver.go": "wasm/instead/parser/resolver.go",
	"hash/crc32":            "wasm/instead/crc32/crc32.go",
	"internal/godebug":      "wasm/instead/godebug/godebug.go",
	"net/netip":             "wasm/instead/netip/netip.go",
	"regexp":                "wasm/instead/regexp/regexp.go",
	"text/template":         "wasm/instead/template/template.go",
}

// writeOverlay writes the file that tells go build about them.
func writeOverlay(to string) error {
	root, err := goroot()
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for name, mine := range instead {
		which := filepath.Join(root, "src", name)
		to := which
		if filepath.Ext(name) == "" { // a whole package
			which, to = filepath.Join(which, "*.go"), filepath.Join(which, "instead.go")
		}
		theirs, err := filepath.Glob(which)
		if err != nil || len(theirs) == 0 {
			return fmt.Errorf("there are no files %s: %v", which, err)
		}
		for _, file := range theirs {
			replace[file] = "" // as if it weren't there
		}
		if replace[to], err = filepath.Abs(mine); err != nil {
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
