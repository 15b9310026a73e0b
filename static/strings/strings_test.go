package strings_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/static/strings"
)

var placeholder = regexp.MustCompile(`\{\d\}`)

// Every language has every string, none that the source lacks, and the same arguments in each.
func TestLanguagesAgree(t *testing.T) {
	source, err := strings.Load(strings.Source)
	if err != nil {
		t.Fatal(err)
	}
	if len(source) < 100 {
		t.Fatalf("the source language has %d strings only", len(source))
	}
	for _, code := range strings.Languages() {
		w, err := strings.Load(code)
		if err != nil {
			t.Fatal(err)
		}
		for key, text := range source {
			if w[key] == "" {
				t.Errorf("%s lacks %q", code, key)
			} else if got, want := args(w[key]), args(text); !slices.Equal(got, want) {
				t.Errorf("%s: %q has the arguments %v, the source %v", code, key, got, want)
			}
		}
		for key := range w {
			if !source.Has(key) {
				t.Errorf("%s has %q, which the source has not", code, key)
			}
		}
	}
}

func args(text string) []string {
	found := placeholder.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

func TestUnknownLanguage(t *testing.T) {
	if _, err := strings.Load("../en"); err == nil {
		t.Error("a language that does not exist was loaded")
	}
}
