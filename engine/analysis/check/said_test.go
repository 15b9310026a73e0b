package check_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/sentence"
	languages "github.com/zkviz/zkviz/static/strings"
	"github.com/zkviz/zkviz/static/strings/words"
)

var english = sync.OnceValues(func() (words.Words, error) { return languages.Load(languages.Source) })

// said writes a sentence in the words of the command line.
func said(s sentence.Sentence) string {
	w, err := english()
	if err != nil {
		return err.Error()
	}
	return sentence.Voice{Say: w.Say}.Says(s)
}

// TestEveryRuleHasItsSentences: its title, its promise, and at least one way of breaking it.
func TestEveryRuleHasItsSentences(t *testing.T) {
	keys := brokenKeys(t)
	for _, rule := range append(promise.Rules(), "capacity-7") {
		for _, s := range []sentence.Sentence{promise.Title(rule), promise.Sentence(rule)} {
			if text := said(s); text == "" || text == s.Key || strings.Contains(text, "{") {
				t.Errorf("%s has no sentence for %s: %q", rule, s.Key, text)
			}
		}
		of := "broken." + rule
		switch {
		case strings.HasPrefix(rule, "capacity-"):
			of = "broken.capacity"
		case rule == promise.AtMostOnce: // half of what Once asks for
			of = "broken.once"
		}
		if !slices.ContainsFunc(keys, func(k string) bool { return k == of || strings.HasPrefix(k, of+".") }) {
			t.Errorf("nothing is said of a broken %s", rule)
		}
	}
}

// TestEveryBreakHasASentence: each key of the checker is in every language, and no language has others. Every test
// of a broken rule checks that a sentence asks for no more arguments than it gets.
func TestEveryBreakHasASentence(t *testing.T) {
	keys := brokenKeys(t)
	for _, code := range languages.Languages() {
		w, err := languages.Load(code)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if !w.Has(key) {
				t.Errorf("%s has no sentence for %s", code, key)
			}
		}
		for key := range w {
			if strings.HasPrefix(key, "broken.") && !slices.Contains(keys, key) {
				t.Errorf("%s has a sentence for %s, which nothing says", code, key)
			}
		}
	}
}

// brokenKeys returns the keys in the package's source.
func brokenKeys(t *testing.T) (keys []string) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, `"broken.`) {
				key, _ := strconv.Unquote(lit.Value)
				keys = append(keys, key)
			}
			return true
		})
	}
	return keys
}

var placeholder = regexp.MustCompile(`\{\d`)

// checkSaid reports a sentence that lacks words or arguments.
func checkSaid(v promise.Violation) error {
	if text := said(promise.Breach(v, 1)); strings.Contains(text, "breach.") || placeholder.MatchString(text) {
		return fmt.Errorf("%s/%s is called %q", v.Rule, v.How, text)
	}
	text := said(v.Sentence)
	if text == "" || strings.Contains(text, "broken.") || placeholder.MatchString(text) {
		return fmt.Errorf("%s says %q", v.Sentence.Key, text)
	}
	return nil
}
