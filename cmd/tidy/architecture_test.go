package tidy_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
)

const (
	module = "github.com/zkviz/zkviz"
	top    = "../.."
)

// TestVocabulary checks that docs/events.md lists exactly the kinds of events.
func TestVocabulary(t *testing.T) {
	var documented []string
	for _, word := range regexp.MustCompile("`([a-z]+\\.[a-z]+)`").FindAllStringSubmatch(readDoc(t, "events.md"), -1) {
		if !slices.Contains(documented, word[1]) {
			documented = append(documented, word[1])
		}
	}
	var kinds []string
	for k := event.RunStarted; k.Valid(); k++ {
		kinds = append(kinds, k.String())
	}
	if !slices.Equal(documented, kinds) {
		t.Errorf("docs/events.md lists, in this order,\n%q\nand the kinds are\n%q", documented, kinds)
	}
}

// TestDependencies checks that docs/dependencies.md gives a reason for every module of code, tests and tools.
func TestDependencies(t *testing.T) {
	modules := dependencyRows(readDoc(t, "dependencies.md"))
	var used []string
	for _, imp := range append(externalImports(t), tools(t)...) {
		used = append(used, moduleOf(imp, modules))
	}
	slices.Sort(used)
	slices.Sort(modules)
	if used = slices.Compact(used); !slices.Equal(used, modules) {
		t.Errorf("docs/dependencies.md gives reasons for\n%q\nand the code uses\n%q", modules, used)
	}
}

// moduleOf returns the package's module, or the package if it is in none of them.
func moduleOf(pkg string, modules []string) string {
	for _, m := range modules {
		if pkg == m || strings.HasPrefix(pkg, m+"/") {
			return m
		}
	}
	return pkg
}

// dependencyRows returns the modules in the table of dependencies.
func dependencyRows(text string) []string {
	_, section, _ := strings.Cut(text, "\n## Dependencies")
	section, _, _ = strings.Cut(section, "\n## ")
	var modules []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(section, -1) {
		modules = append(modules, row[1])
	}
	return modules
}

func externalImports(t *testing.T) []string {
	var all []string
	for _, imports := range importsOfTree(t, func(string) bool { return true }) {
		for _, imp := range imports {
			if host, _, _ := strings.Cut(imp, "/"); strings.Contains(host, ".") {
				all = append(all, imp)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// tools returns the packages that module files name as tools, including those in .ci.
func tools(t *testing.T) []string {
	files, err := filepath.Glob(top + "/.ci/*.mod")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, file := range append(files, top+"/go.mod") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range regexp.MustCompile(`(?m)^tool (\S+)$`).FindAllStringSubmatch(string(text), -1) {
			all = append(all, tool[1])
		}
	}
	return all
}

// readDoc returns the text of a file in docs.
func readDoc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// importsOfTree returns, by folder, the packages that each package imports on any system, without the standard
// library: folders within this module, and modules of external packages. It reads the files for which wanted is true.
func importsOfTree(t *testing.T, wanted func(file string) bool) map[string][]string {
	modules := dependencyRows(readDoc(t, "dependencies.md"))
	found := map[string][]string{}
	err := filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && file != top || entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		if path.Ext(file) != ".go" || !wanted(file) {
			return nil
		}
		dir, err := filepath.Rel(top, filepath.Dir(file))
		if err != nil {
			return err
		}
		imports, err := importsOfFile(file, modules)
		found[filepath.ToSlash(dir)] = append(found[filepath.ToSlash(dir)], imports...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range found {
		slices.Sort(found[pkg])
		found[pkg] = slices.Compact(found[pkg])
	}
	return found
}

func importsOfFile(file string, modules []string) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, spec := range parsed.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if own, ok := strings.CutPrefix(imp, module+"/"); ok {
			imports = append(imports, own)
		} else if host, _, _ := strings.Cut(imp, "/"); strings.Contains(host, ".") {
			imports = append(imports, moduleOf(imp, modules))
		}
	}
	return imports, nil
}
