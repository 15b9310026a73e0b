package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

type recipesCmd struct {
	JSON bool `name:"json" help:"Print the catalogue as JSON."`
}

// entry is one recipe in the catalogue.
type entry struct {
	Name     string      `json:"name"`
	Kind     recipe.Kind `json:"kind"`           // "recipe" or "pitfall"
	Cure     string      `json:"cure,omitempty"` // for a pitfall: the correct recipe
	Summary  string      `json:"summary"`
	File     string      `json:"file"`
	Promises []string    `json:"promises"` // for a pitfall: those that it breaks
	Limits   []string    `json:"limits"`   // these hold while no session ends unnoticed and no fault of Harms happens
	Harms    []string    `json:"harms"`    // names of faults
	Cost     string      `json:"cost"`
	Params   []parameter `json:"params"`
	Sources  []string    `json:"sources"`
}

// parameter is one parameter of a recipe's run.
type parameter struct {
	Name    string `json:"name"`
	Default any    `json:"default"`
	Min     any    `json:"min,omitempty"`
	Max     any    `json:"max,omitempty"`
	Text    string `json:"text"`
}

func (c *recipesCmd) Run(term *terminal) error {
	catalogue := catalogue()
	if c.JSON {
		return printJSON(term.out, catalogue)
	}
	w := tabwriter.NewWriter(term.out, 0, 0, 2, ' ', 0)
	for _, e := range catalogue {
		fmt.Fprintf(w, "%s\t%s\n", e.Name, e.Summary)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(term.out, "\nThese hold only while no session or lease ends without its client knowing:\n")
	for _, e := range catalogue {
		if len(e.Limits) > 0 {
			fmt.Fprintf(w, "  %s\t%s%s\n", e.Name, strings.Join(e.Limits, ", "), harmText(e.Harms))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(term.out, "\nEach takes:\n")
	for _, p := range catalogue[0].Params {
		fmt.Fprintf(w, "  --%s\t%s\t(default: %v)\n", p.Name, p.Text, p.Default)
	}
	return w.Flush()
}

func catalogue() []entry {
	var all []entry
	w := uistrings.English()
	for _, r := range recipes.All() {
		all = append(all, entry{
			Name: r.Name, Kind: r.Kind, Cure: r.Cure, Summary: w.Say("recipe." + r.Name), File: r.File,
			Promises: nonNil(r.Promises),
			Limits:   nonNil(r.Limits), Harms: nonNil(r.Harms), Cost: w["cost."+r.Name], Params: parameters(r),
			Sources: nonNil(r.Sources),
		})
	}
	return all
}

// harmText names the other faults that must not happen for the limits to hold.
func harmText(harms []string) string {
	var all []string
	for _, name := range harms {
		all = append(all, uistrings.English().Say("recipes.without."+name))
	}
	switch last := len(all) - 1; last {
	case -1:
		return ""
	case 0:
		return ", if " + all[0]
	default:
		return ", if " + strings.Join(all[:last], ", ") + " and " + all[last]
	}
}

// nonNil returns a copy that is never null in JSON.
func nonNil(all []string) []string { return append([]string{}, all...) }

func parameters(r recipe.Recipe) (list []parameter) {
	for _, p := range run.Parameters() {
		usual := p.Usual(r)
		if usual == "" { // the recipe, the faults, what it lacks, and defaults set by its code
			continue
		}
		least, most := p.Bounds(r)
		list = append(list, parameter{p.Name, number(usual), least, most, p.Text})
	}
	return list
}

// number returns the text as an int if it is one.
func number(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}
