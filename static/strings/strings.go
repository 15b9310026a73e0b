// Package strings holds the text of the user interface, with one JSON file for each language.
//
// To add a language, add its file. This package's test fails until the file has every string.
//
// Every key that the code names must be here with the same number of arguments, and the code must name every key
// here. A test checks both. Pseudonym makes a language from English, marked and longer, for tests that look for text
// that isn't here.
package strings

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/zkviz/zkviz/static/strings/words"
)

//go:embed *.json
var files embed.FS

// Source is the original language. The others are translations of it.
const Source = "en"

// Languages returns the codes of all languages, Source first.
func Languages() []string {
	entries, _ := files.ReadDir(".") // an embedded folder is always readable
	var codes []string
	for _, e := range entries {
		if code := strings.TrimSuffix(e.Name(), ".json"); code != Source {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return append([]string{Source}, codes...)
}

// English returns the strings of Source, which the command line also uses.
var English = sync.OnceValue(func() words.Words {
	w, err := Load(Source)
	if err != nil {
		panic(err) // the embedded file is tested
	}
	return w
})

// Load reads a language's strings, or makes those of Pseudo.
func Load(code string) (words.Words, error) {
	if code == Pseudo {
		w, err := Load(Source)
		for key, text := range w {
			w[key] = Pseudonym(text)
		}
		return w, err
	}
	data, err := files.ReadFile(code + ".json")
	if err != nil {
		return nil, fmt.Errorf("UI strings: there is no language %q", code)
	}
	var w words.Words
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("UI strings of %s: %w", code, err)
	}
	return w, nil
}
