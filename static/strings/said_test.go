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

	"github.com/zkviz/zkviz/engine/zoo"
	"github.com/zkviz/zkviz/static/strings"
)

// families are the keys of sentences that Go code alone says: refusals, failures and what is not judged. A family's
// other keys have no home in pages.
var families = []string{"bad.", "busy.", "refused.", "failed.", "guard.", "unjudged.", "link.again", "left."}

func ofFamily(key string) bool {
	return slices.ContainsFunc(families, func(f string) bool { return gostrings.HasPrefix(key, f) })
}

// call is a call with the key of a sentence.
type call struct {
	at, key string
	prefix  bool // key is only the start of it
	args    int  // after the key
	more    int  // that need not be used
}

// TestEverySentenceIsThere: each sentence that Go code says is in the source language, with as many arguments as it
// gets, and none of a family is there that nothing says.
func TestEverySentenceIsThere(t *testing.T) {
	text := strings.English()
	used := map[string]bool{}
	calls := sentences(t)
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

// fits says what is wrong with a sentence for the arguments of a call.
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

// sentences are the calls in the program's source that have a key: those of package sentence, and of functions that
// pass a family's key on to it.
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

func sentenceOf(c *ast.CallExpr) (found call, ok bool) {
	name, ofPackage := "", false
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
		x, _ := sel.X.(*ast.Ident)
		name, ofPackage = sel.Sel.Name, x != nil && x.Name == "sentence"
	}
	for i, arg := range c.Args {
		found.key, found.prefix = keyOf(arg)
		if found.key == "" || !ofFamily(found.key) && !(ofPackage && slices.Contains([]string{"Of", "Error", "Wrap"}, name)) {
			continue
		}
		found.args = len(c.Args) - i - 1
		if ofPackage && name == "Wrap" {
			found.more = 1 // the cause
		}
		return found, c.Ellipsis == token.NoPos
	}
	return call{}, false
}

// keyOf is the key, or the start of one, that is written as an argument.
func keyOf(arg ast.Expr) (key string, prefix bool) {
	if sum, ok := arg.(*ast.BinaryExpr); ok {
		arg, prefix = sum.X, true
	}
	if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		key, _ = strconv.Unquote(lit.Value)
	}
	return key, prefix
}

// TestErrorCodesHaveWords wants words for each of ZooKeeper's errors, those that its programs see.
func TestErrorCodesHaveWords(t *testing.T) {
	text := strings.English()
	for code := zoo.Code(-1); code > -2000; code-- {
		words, known := text["code."+strconv.Itoa(int(code))], code.Error() != zoo.Code(1).Error()
		if known != (words != "") {
			t.Errorf("%d, %v, is %q", code, code, words)
		}
	}
}
