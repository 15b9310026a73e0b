package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/version"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/golden"
)

const (
	imports = "testdata/imports.txt"
	heading = `# The packages in the page's program, and the size of their code in kB. A reader downloads about a fifth of it.
# A test in static/pack holds this; the budget for the whole is in static/pack/main.go.
`
)

const advice = `What the stage doesn't need belongs into a package that it doesn't import. What pulls it in, say
	GOOS=js GOARCH=wasm go list -deps -f '{{.ImportPath}}: {{.Imports}}' ./wasm
	GOOS=js GOARCH=wasm go build -o /dev/null -ldflags=-dumpdep ./wasm 2>&1 | grep NAME
If it's worth its bytes, write the table again and read its diff:
	ZKVIZ_UPDATE=1 go test ./static/pack -run TestImportsGolden`

// TestImportsGolden checks which packages are in the page's program, and that none has grown.
func TestImportsGolden(t *testing.T) {
	if v := runtime.Version(); version.Lang(v) != known {
		t.Skipf("the table is for %s, and this is %s", known, v)
	}
	want := readImports(t)
	got := linked(t)
	if golden.Updating() {
		if err := os.WriteFile(imports, []byte(writeImports(got)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name, size := range got {
		noted, ok := want[name]
		switch {
		case !ok:
			t.Errorf("%s is new in the page's program, with %d kB", name, size)
		case size > noted+noted/20+3:
			t.Errorf("%s has %d kB of code, and %s says %d", name, size, imports, noted)
		case size < noted-noted/4-10:
			t.Errorf("%s has only %d kB of code, and %s still says %d", name, size, imports, noted)
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s isn't in the page's program any more, but in %s", name, imports)
		}
	}
	if t.Failed() {
		t.Log(advice)
	}
}

// linked builds the page's program and returns its packages with the size of their code in kB.
func linked(t *testing.T) map[string]int {
	t.Helper()
	out := t.TempDir()
	t.Chdir("../..")
	program, err := buildStage(out)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "list", "-overlay", filepath.Join(out, overlay), "-deps", "-f", "{{.ImportPath}} {{.Dir}}",
		"./wasm")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	list, err := c.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	t.Chdir("static/pack")
	sizes := map[string]int{}
	for line := range strings.Lines(string(list)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		sizes[group(name)] = 0
		os.ReadDir(folder) // so that go test runs this again when there is a change
	}
	for name, size := range codeSizes(t, program) {
		if _, ok := sizes[group(name)]; ok {
			sizes[group(name)] += size
		} else {
			sizes["(generated)"] += size
		}
	}
	for name, size := range sizes {
		sizes[name] = (size + 500) / 1000
	}
	return sizes
}

// group returns the package's name in the table. What is internal to the standard library differs with Go's patches.
func group(name string) string {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case first == "internal" || first == "runtime" || strings.HasPrefix(name, "unicode/") || name == "unsafe":
		return "runtime, internal/…"
	case strings.Contains(name, "/internal/") && isStandard(name):
		return "runtime, internal/…"
	}
	return strings.TrimPrefix(name, "github.com/zkviz/")
}

func isStandard(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".")
}

// codeSizes returns the size of the code of each package in bytes.
func codeSizes(t *testing.T, program []byte) map[string]int {
	t.Helper()
	m, err := readModule(program)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(m.memory, []byte(tableStart))
	functions := table{text: m.memory[max(at, 0):]}
	if !functions.open() {
		t.Fatal(errTable)
	}
	names := functions.text[functions.names:]
	bodies := codeBodies(m.before)
	if len(bodies) < functions.functions {
		t.Fatalf("the program has %d functions and %d bodies", functions.functions, len(bodies))
	}
	sizes := map[string]int{}
	for i := range functions.functions {
		f, ok := functions.function(i)
		if !ok {
			t.Fatal(errTable)
		}
		name, _, _ := bytes.Cut(names[f.get(fieldName):], []byte{0})
		sizes[packageOf(string(name))] += bodies[i]
	}
	return sizes
}

// codeBodies returns the size of each function in the code section.
func codeBodies(sections []byte) (sizes []int) {
	r := reader{rest: sections[len(preamble):]}
	for len(r.rest) > 0 && !r.failed {
		id, body := r.byte(), r.bytes(r.uint())
		if id != codeSection {
			continue
		}
		code := reader{rest: body}
		for range code.uint() {
			sizes = append(sizes, len(code.bytes(code.uint())))
		}
	}
	return sizes
}

// packageOf returns the package of a function.
func packageOf(name string) string {
	name = strings.TrimPrefix(name, "type:.eq.")
	if strings.HasPrefix(name, "main.") {
		return "github.com/zkviz/zkviz/wasm"
	}
	name, _, _ = strings.Cut(name, "[")
	name, _, _ = strings.Cut(name, "(")
	slash := strings.LastIndexByte(name, '/') + 1
	last, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + last
}

func readImports(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile(imports)
	if err != nil && !golden.Updating() {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for line := range strings.Lines(string(text)) {
		size, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		var kB int
		if _, err := fmt.Sscan(size, &kB); ok && err == nil {
			sizes[name] = kB
		}
	}
	return sizes
}

// parts are the table's parts.
var parts = [...]string{"zkviz", "other modules", "the standard library"}

func part(name string) int {
	switch {
	case strings.HasPrefix(name, "zkviz/"):
		return 0
	case !isStandard(name):
		return 1
	}
	return 2
}

// writeImports makes the table.
func writeImports(sizes map[string]int) string {
	var b strings.Builder
	b.WriteString(heading)
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(part(a), part(b)), cmp.Compare(a, b))
	})
	for i, name := range names {
		if i == 0 || part(names[i-1]) != part(name) {
			sum := 0
			for other, size := range sizes {
				if part(other) == part(name) {
					sum += size
				}
			}
			fmt.Fprintf(&b, "\n# %s: %d\n", parts[part(name)], sum)
		}
		fmt.Fprintf(&b, "%5d %s\n", sizes[name], name)
	}
	return b.String()
}
