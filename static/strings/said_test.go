package strings_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	gostrings "strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/static/strings"
)

// families lists the prefixes of sentences that only Go code uses: refusals, failures, reasons, and what is not
// judged. Pages use no other key of a family.
var families = []string{"bad.", "busy.", "refused.", "failed.", "guard.", "unjudged.", "link.again", "left.", "why."}

func ofFamily(key string) bool {
	return slices.ContainsFunc(families, func(f string) bool { return gostrings.HasPrefix(key, f) })
}

// call is a call with a sentence's key.
type call struct {
	at, key string
	prefix  bool // key is only a prefix
	args    int  // number after the key
	more    int  // number that may stay unused
}

// TestEverySentenceIsThere checks that each sentence in Go code exists in the source language with the same number of
// arguments, and that no family has an unused one.
func TestEverySentenceIsThere(t *testing.T) {
	text := strings.English()
	used := map[string]bool{}
	calls := slices.Concat(sentences(t), reasons())
	for _, c := range calls {
		keys := []string{c.key}
		if c.prefix {
			keys = slices.DeleteFunc(slices.Collect(maps.Keys(text)), func(k string) bool {
				return !gostrings.HasPrefix(k, c.key) || gostrings.Contains(k[len(c.key):], ".")
			})
		}
		if len(keys) == 0 {
			t.Errorf("%s: no sentence begins with %s", c.at, c.key)
		}
		for _, key := range keys {
			used[key] = true
			if err := fits(text[key], c); err != nil {
				t.Errorf("%s: %s %v", c.at, key, err)
			}
		}
	}
	for key := range text {
		if ofFamily(key) && !used[key] {
			t.Errorf("nothing says %s", key)
		}
	}
	if len(calls) < 150 {
		t.Errorf("only %d sentences were found", len(calls))
	}
}

// fits returns an error if a sentence doesn't fit a call's arguments.
func fits(text string, c call) error {
	if text == "" {
		return fmt.Errorf("is no sentence")
	}
	for i := range 10 {
		has := gostrings.Contains(text, "{"+strconv.Itoa(i)+"}")
		switch {
		case has && i >= c.args+c.more:
			return fmt.Errorf("wants the argument {%d}, and gets %d", i, c.args+c.more)
		case !has && i < c.args && !c.prefix:
			return fmt.Errorf("does not use the argument {%d}", i)
		}
	}
	return nil
}

// sentences returns the calls in the program's source that have a key: those of package sentence, and of functions
// that pass a family's key on to it.
func sentences(t *testing.T) (calls []call) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !gostrings.HasSuffix(path, ".go") || gostrings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if found, ok := sentenceOf(c); ok {
					found.at = set.Position(c.Pos()).String()
					calls = append(calls, found)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// reasons returns sentences whose keys the code assembles: those of phases and of events' reasons.
func reasons() (calls []call) {
	for _, p := range program.Phases() {
		c := call{at: "a phase", key: "why.phase." + string(p)}
		if p.Traits().Item {
			c.more = 1
		}
		calls = append(calls, c)
	}
	for r := event.ByOp; r < event.LeftNothing; r++ {
		calls = append(calls, call{at: "an event", key: "reason." + r.String()})
	}
	return calls
}

func sentenceOf(c *ast.CallExpr) (found call, ok bool) {
	name, ofPackage, family := "", false, ""
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		x, _ := f.X.(*ast.Ident)
		name, ofPackage = f.Sel.Name, x != nil && x.Name == "sentence"
	case *ast.Ident:
		if f.Name == "because" {
			family = "why."
		}
	}
	for i, arg := range c.Args {
		if found.key, found.prefix = keyOf(arg); found.key != "" {
			found.key = family + found.key
		}
		if family != "" && found.prefix { // these are among reasons
			return call{}, false
		}
		if found.key == "" || !ofFamily(found.key) && !(ofPackage && slices.Contains([]string{"Of", "Error", "Wrap"}, name)) {
			continue
		}
		found.args = len(c.Args) - i - 1
		if ofPackage && name == "Wrap" {
			found.more = 1 // the cause
		}
		if family != "" { // some pass more than their text uses
			found.args, found.more = 0, found.args
		}
		return found, c.Ellipsis == token.NoPos
	}
	return call{}, false
}

// keyOf returns the key, or its prefix, in an argument.
func keyOf(arg ast.Expr) (key string, prefix bool) {
	if sum, ok := arg.(*ast.BinaryExpr); ok {
		arg, prefix = sum.X, true
	}
	if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		key, _ = strconv.Unquote(lit.Value)
	}
	return key, prefix
}

// TestErrorCodesHaveWords checks for a text for each ZooKeeper error that programs can see.
func TestErrorCodesHaveWords(t *testing.T) {
	text := strings.English()
	for code := zoo.Code(-1); code > -2000; code-- {
		words, known := text["code."+strconv.Itoa(int(code))], code.Error() != zoo.Code(1).Error()
		if known != (words != "") {
			t.Errorf("%d, %v, is %q", code, code, words)
		}
	}
}
