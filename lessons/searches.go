package lessons

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
)

// People search for words that the lessons don't use. Each section of a file says where some of them lead: its heading
// has the words, separated by slashes, and its text names lessons and, after #, terms, the best first.

// searchesFolder has these words, a file for each language.
const searchesFolder = "searches"

// maxPlaces limits the places that a word leads to.
const maxPlaces = 5

// Sought is a word that people search for, and how good a place it leads them to.
type Sought struct {
	Word string // plainly
	Rank int    // of the place among those that the word leads to, 0 for the best
}

// readSearches reads the words that lead to lessons and terms, in all languages.
func readSearches(fsys fs.FS, ls []Lesson, glossary map[string]Prose) (map[string]Prose, error) {
	all, err := readSections(fsys, searchesFolder)
	for lang, prose := range all {
		known := map[string]bool{}
		for _, s := range prose.Steps {
			at := fmt.Sprintf("%s/%s.md:%d", searchesFolder, lang, s.line)
			for _, form := range formsOf(s) {
				if known[Plainly(form)] {
					return nil, fmt.Errorf("%s: duplicate word %q", at, form)
				}
				known[Plainly(form)] = true
			}
			places := placesOf(s)
			if len(places) == 0 || len(places) > maxPlaces {
				return nil, fmt.Errorf("%s: the words must lead to 1 to %d lessons and terms", at, maxPlaces)
			}
			for _, place := range places {
				if !isPlace(place, ls, glossary[Source]) {
					return nil, fmt.Errorf("%s: there is no lesson or term %s", at, place)
				}
			}
		}
	}
	return all, err
}

func isPlace(name string, ls []Lesson, glossary Prose) bool {
	if term, ok := strings.CutPrefix(name, "#"); ok {
		return glossary.section(term) != nil
	}
	return slices.ContainsFunc(ls, func(l Lesson) bool { return l.Slug == name })
}

// placesOf returns the places that a section names.
func placesOf(s StepProse) []string {
	return strings.FieldsFunc(s.Body, func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
}

// Searches returns the words that lead to each place, by a lesson's slug or a term's ID after #. A language without its
// own has the source's.
func (b *Book) Searches(lang string) map[string][]Sought {
	all := map[string][]Sought{}
	for _, s := range b.words(b.searches, lang).Steps {
		for rank, place := range placesOf(s) {
			for _, form := range formsOf(s) {
				all[place] = append(all[place], Sought{Plainly(form), rank})
			}
		}
	}
	return all
}

// Plainly returns a text as searches compare it: its words in lower case, apart by one space. Hyphens count as spaces.
func Plainly(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}), " ")
}
