package class

import (
	"net/url"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Place is what a page shows: which page, and what a link to the moment says. It has no words, so each learner sees it
// in a language of their own.
type Place struct {
	Page    string  `json:"page"`            // its path without a language, and a scenario: /lab?recipe=unique-lock
	Step    string  `json:"step,omitempty"`  // the anchor of a lesson's step
	Query   string  `json:"query,omitempty"` // the faults that lead to the branch, the moment, what is selected, …
	Playing bool    `json:"playing,omitempty"`
	Speed   float64 `json:"speed,omitempty"` // 1 is the run's own
}

// maxSpeed is how fast a page may say that it plays.
const maxSpeed = 100

// check refuses what no page of ours would say.
func (p Place) check() error {
	path, scenario, _ := strings.Cut(p.Page, "?")
	u, err := url.Parse(path)
	switch {
	case err != nil, len(path) > MaxPage, !strings.HasPrefix(path, "/"), strings.HasPrefix(path, "//"),
		strings.Contains(path, "\\"), strings.Contains(path+"/", "/../"), strings.Contains(path+"/", "/./"),
		u.Path != path, u.Host != "":
		return sentence.Error("bad.class.page", sentence.Quote(p.Page))
	case len(p.Step) > MaxAnchor, len(scenario)+len(p.Query) > MaxQuery, !(p.Speed >= 0 && p.Speed <= maxSpeed):
		return sentence.Error("bad.class.place")
	}
	for _, query := range []string{scenario, p.Query} {
		if _, err := url.ParseQuery(query); err != nil {
			return sentence.Wrap(err, "bad.class.place")
		}
	}
	return nil
}
