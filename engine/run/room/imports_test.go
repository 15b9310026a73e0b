package room

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestKnowsNoNetwork checks the imports, because rooms must also run in a browser's program, which log/slog would make
// a twentieth larger.
func TestKnowsNoNetwork(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if imp == "net" || strings.HasPrefix(imp, "net/") || strings.Contains(imp, "websocket") || imp == "os" ||
				imp == "log/slog" {
				t.Errorf("%s imports %s", name, imp)
			}
		}
	}
}
