package page

import (
	"strings"

	uistrings "github.com/zkviz/zkviz/static/strings"
)

// Lang is a page's language, by its code. A page's path begins with it, except in the source language: /es/lab, /lab.
// Before it comes the path that all pages are below, if there is one: /zkviz/es/lab.
type Lang string

// To returns the address, in this language, of what is at an address in the source language. Every link from one page
// to another is made by it.
func (l Lang) To(address string) string {
	if l == "" || l == uistrings.Source {
		return address
	}
	return "/" + string(l) + address
}

// From returns what To was given to make an address.
func (l Lang) From(address string) string { return strings.TrimPrefix(address, l.To("")) }
