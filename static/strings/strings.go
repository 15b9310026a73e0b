// Package strings is the text of the user interface: one JSON file for each language.
//
// A language is added by adding its file; the test of this package fails until it has every string.
//
// A key that the code names must be here with as many arguments, and a key here must be named in the code: a test
// walks both. Pseudonym makes a language of English words, marked and a third longer, for tests that look for text
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

// Source is the language that is written first; the others are translations of it.
const Source = "en"

// Languages are the codes of the languages that there are, Source first.
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

// English returns the strings of Source, which the command line speaks, too.
var English = sync.OnceValue(func() words.Words {
	w, err := Load(Source)
	if err != nil {
		panic(err) // the file is a part of the program, and tested
	}
	return w
})

// Load reads a language's strings; those of Pseudo are made.
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
