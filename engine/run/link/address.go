package link

import (
	"net/url"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Address is a link's address, taken apart.
type Address struct {
	Lesson string // its slug, "" for the Lab
	Step   string // the anchor of the lesson's step, or ""
	Folder string // of the page, such as a language; "" for none
	Query  url.Values
}

// ParseAddress reads the address of a lesson or of the Lab on any host, below any path, or only its path. A site of
// files may have pages that end in .html.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Opaque != "" { // perhaps a host and a port without a scheme
		u, err = url.Parse("http://" + strings.TrimSpace(text))
	}
	if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return Address{}, sentence.Error("bad.link.address", sentence.Quote(text))
	}
	a := Address{Step: u.Fragment}
	if a.Query, err = Parse(u.RawQuery); err != nil {
		return Address{}, err
	}
	names := strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' })
	if n := len(names) - 1; n > 0 && names[n] == "index.html" {
		names = names[:n]
	}
	n := len(names) - 1
	if n >= 0 {
		names[n] = strings.TrimSuffix(names[n], ".html")
	}
	switch {
	case n > 0 && names[n-1] == "lessons":
		a.Lesson, n = names[n], n-1
	case n > 0 && names[n-1] == "lab" && names[n] == a.Query.Get("recipe"): // a site of files has a page for each
		n--
	case n < 0 || names[n] != "lab":
		return Address{}, sentence.Error("bad.link.address", sentence.Quote(text))
	}
	if n > 0 {
		a.Folder = names[n-1]
	}
	return a, nil
}
