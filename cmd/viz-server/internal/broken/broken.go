// Package broken is the table that says which fault breaks which promise of which lock: its rows as the command line
// prints them and the page shows them, and those that were computed ahead for the page.
//
// It explores nothing: engine/run/explore does. The command compare and package web call it.
package broken

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes/kit"
)

// Row is what each fault alone does to a recipe: an object of compare --faults --json.
type Row struct {
	Recipe string   `json:"recipe"`
	Kind   kit.Kind `json:"kind"`
	Rules  []string `json:"rules"` // that it is held to, with those that it keeps only within limits
	Cells  []Cell   `json:"cells"` // in the order of explore.Columns, not all of them if it was stopped before
}

// Cell is what one of them does.
type Cell struct {
	Fault    string    `json:"fault"` // empty for none
	Possible bool      `json:"possible"`
	Seeds    int       `json:"seeds,omitempty"` // tried of what was kept
	Broken   []Promise `json:"broken,omitempty"`
}

// Promise is a promise that it breaks, and the smallest run in which it does.
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
	Key      string       `json:"key"`   // of the sentence that says how,
	Text     string       `json:"text"`  // which is this
	Command  string       `json:"command"`
	Link     string       `json:"link"` // of the page, from the server's root on
	Scenario run.Scenario `json:"scenario"`
}

// Columns are those of faults that can happen to one of the recipes.
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

// Rules are the promises that are broken, each in the place of its letter.
func Rules(rows []Row) (rules []string) {
	for _, rule := range check.Rules() {
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

// Letter stands for the rule at a place of Rules.
func Letter(i int) string { return string(rune('A' + i)) }

// Cells of the table in which no promise breaks.
const (
	Kept       = "·"
	Impossible = "–"
	Unknown    = "?" // it was stopped before
)

// Mark is the cell as text: a letter for each promise that is broken.
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
