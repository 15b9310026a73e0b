package page

import (
	"strings"

	uistrings "github.com/zkviz/zkviz/static/strings"
)

// Lang is the code of a page's language. A page's path begins with it, except in the source language: /es/lab, /lab. If
// all pages are below a base path, that comes first: /zkviz/es/lab.
type Lang string

// To returns the address in this language of the page at an address in the source language. All links between pages are
// made by it.
func (l Lang) To(address string) string {
	if l == "" || l == uistrings.Source {
		return address
	}
	return "/" + string(l) + address
}

// WordsFile returns the name of the file with this language's words for the stage.
func (l Lang) WordsFile() string { return "words." + string(l) + ".json" }

// From reverses To: it returns the address in the source language.
func (l Lang) From(address string) string { return strings.TrimPrefix(address, l.To("")) }
