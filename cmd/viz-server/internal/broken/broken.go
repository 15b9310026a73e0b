// Package broken holds the table of locks, faults and the promises that each fault breaks: the rows that the command
// line prints and the page shows, and the rows that were computed ahead for the page.
//
// It explores nothing: engine/run/explore does. The command compare and package web/lab call it.
package broken

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
)

// Row lists what each fault alone does to a recipe. It is an object of compare --faults --json.
type Row struct {
	Recipe string      `json:"recipe"`
	Kind   recipe.Kind `json:"kind"`
	Rules  []string    `json:"rules"` // the rules that apply, including those that hold only within limits
	Cells  []Cell      `json:"cells"` // in the order of explore.Columns; incomplete if the exploration was stopped
}

// Cell says what one fault does to the recipe.
type Cell struct {
	Fault    string    `json:"fault"` // empty for none
	Possible bool      `json:"possible"`
	Seeds    int       `json:"seeds,omitempty"` // how many were tried if no promise broke
	Broken   []Promise `json:"broken,omitempty"`
}

// Promise is a broken promise with the smallest run that breaks it.
type Promise struct {
	Rule         string        `json:"rule"`
	Seed         uint64        `json:"seed"`
	Reproduction *Reproduction `json:"reproduction"`
}

// Reproduction is the smallest scenario that still breaks the rule.
type Reproduction struct {
	Clients  int          `json:"clients"`
	Rounds   int          `json:"rounds"`
	Faults   int          `json:"faults"`
	AtMS     float64      `json:"at_ms"` // when the rule breaks
	Key      string       `json:"key"`   // the key of the sentence that explains the violation
	Text     string       `json:"text"`  // that sentence
	Command  string       `json:"command"`
	Link     string       `json:"link"` // the page's address, from the server's root
	Scenario run.Scenario `json:"scenario"`
}

// Columns returns the columns whose fault can happen to at least one of the recipes.
func Columns(rows []Row) (list []int) {
	longest := 0
	for _, r := range rows {
		longest = max(longest, len(r.Cells))
	}
	for i := range longest {
		if slices.ContainsFunc(rows, func(r Row) bool { return i < len(r.Cells) && r.Cells[i].Possible }) {
			list = append(list, i)
		}
	}
	return list
}

// Rules returns the promises that are broken. A rule's index determines its letter.
func Rules(rows []Row) (rules []string) {
	for _, rule := range promise.Rules() {
		if slices.ContainsFunc(rows, func(r Row) bool { return r.breaks(rule) }) {
			rules = append(rules, rule)
		}
	}
	return rules
}

func (r Row) breaks(rule string) bool {
	return slices.ContainsFunc(r.Cells, func(c Cell) bool {
		return slices.ContainsFunc(c.Broken, func(p Promise) bool { return p.Rule == rule })
	})
}

// Letter returns the letter of the rule at index i of Rules.
func Letter(i int) string { return string(rune('A' + i)) }

// Marks of the cells in which no promise breaks.
const (
	Kept       = "·"
	Impossible = "–"
	Unknown    = "?" // the exploration stopped before this cell
)

// Mark returns the cell as text: a letter for each broken promise, or the mark of a cell without any.
func (c Cell) Mark(rules []string) (mark string) {
	for _, p := range c.Broken {
		mark += Letter(slices.Index(rules, p.Rule))
	}
	switch {
	case !c.Possible:
		return Impossible
	case mark == "":
		return Kept
	}
	return mark
}
