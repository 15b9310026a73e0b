package strings_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/static/strings"
)

var placeholder = regexp.MustCompile(`\{\d\}`)

// TestLanguagesAgree checks that every language has the source's strings, no others, and the same arguments.
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

// TestKeysOnce checks for duplicate keys, of which JSON would silently take the last.
func TestKeysOnce(t *testing.T) {
	key := regexp.MustCompile(`(?m)^\s*("[^"]+"):`)
	for _, code := range strings.Languages() {
		file, err := os.ReadFile(string(code) + ".json")
		if err != nil {
			continue // one that is made from another
		}
		seen := map[string]bool{}
		for _, m := range key.FindAllStringSubmatch(string(file), -1) {
			if seen[m[1]] {
				t.Errorf("%s.json has %s twice", code, m[1])
			}
			seen[m[1]] = true
		}
		if len(seen) < 100 {
			t.Errorf("%s.json has %d keys only", code, len(seen))
		}
	}
}

// TestSingulars checks that a choice by number has both words.
func TestSingulars(t *testing.T) {
	form := regexp.MustCompile(`^\{\d(\|[^|{}]+\|[^|{}]+)?\}$`)
	for _, code := range strings.Languages() {
		w, err := strings.Load(code)
		if err != nil {
			t.Fatal(err)
		}
		for key, text := range w {
			for _, place := range regexp.MustCompile(`\{\d[^}]*\}?`).FindAllString(text, -1) {
				if !form.MatchString(place) {
					t.Errorf("%s: %q has the odd place %q", code, key, place)
				}
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

func TestPseudonym(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "[!!  !!]",
		"Steps":                      "[!! Stééps !!]",
		"{0} waits for {1}":          "[!! {0} wááííts fóór {1} !!]",
		"{Four = woken} of `a/b`":    "[!! {Four = woken} óóf `a/b` !!]",
		"see [one](lesson:one), *a*": "[!! séééé [óónéé](lesson:one), *áá* !!]",
	} {
		if got := strings.Pseudonym(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestPseudoHasEveryString(t *testing.T) {
	source, err := strings.Load(strings.Source)
	if err != nil {
		t.Fatal(err)
	}
	pseudo, err := strings.Load(strings.Pseudo)
	if err != nil || len(pseudo) != len(source) {
		t.Fatalf("there are %d strings, and not %d: %v", len(pseudo), len(source), err)
	}
	short, long := 0, 0
	for key, text := range source {
		if pseudo[key] != strings.Pseudonym(text) {
			t.Errorf("%s is %q", key, pseudo[key])
		}
		short, long = short+len([]rune(text)), long+len([]rune(pseudo[key]))
	}
	if long < short*4/3 {
		t.Errorf("of %d characters it makes %d only", short, long)
	}
	if slices.Contains(strings.Languages(), strings.Pseudo) {
		t.Error("it is offered to readers")
	}
}

func TestUnmarked(t *testing.T) {
	for _, c := range []struct {
		text  string
		depth int
		rest  string
		open  int
	}{
		{"", 0, "", 0},
		{" plain ", 0, "plain", 0},
		{"[!! a !!]", 0, "", 0},
		{"A [!! a !!] B", 0, "A  B", 0},
		{"[!! a [!! b !!] c !!]", 0, "", 0},
		{"[!! cut", 0, "", 1},
		{"goes on !!] é", 1, "é", 0},
	} {
		if rest, open := strings.Unmarked(c.text, c.depth); rest != c.rest || open != c.open {
			t.Errorf("of %q is left %q, with %d open", c.text, rest, open)
		}
	}
}
