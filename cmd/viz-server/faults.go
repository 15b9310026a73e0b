package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"text/tabwriter"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/broken"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/recipes"
)

// faults prints which fault breaks which promise of which lock.
func (c *compareCmd) faults(term *terminal) error {
	list, err := c.faultRecipes()
	if err != nil {
		return err
	}
	rows, err := c.exploreFaults(term, list)
	if len(rows) == 0 {
		return err
	}
	if c.JSON {
		return errors.Join(printJSON(term.out, rows), err)
	}
	return errors.Join(printBroken(term.out, rows, c.Seeds), err)
}

// faultRecipes returns the named recipes, or all rivals.
func (c *compareCmd) faultRecipes() (list []recipe.Recipe, err error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	switch {
	case c.cluster().Given() || c.Clients != nil || c.Servers != nil || c.Observers != nil || c.Seed != nil ||
		c.Hold != "":
		return nil, errors.New("--faults explores on the simulator: give it only recipes and --seeds")
	case c.Seeds < 1 || c.Seeds > maxSeeds:
		return nil, fmt.Errorf("an exploration tries 1 to %s seeds, not %d", sentence.Grouped(maxSeeds), c.Seeds)
	case len(c.Recipes) == 0:
		return recipes.Rivals(), nil
	}
	for _, name := range c.Recipes {
		r, err := run.Recipe(name)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// exploreFaults explores the recipes in turn. On an error it also returns the rows so far.
func (c *compareCmd) exploreFaults(term *terminal, list []recipe.Recipe) (rows []broken.Row, err error) {
	var at, tried atomic.Int64
	bar := startBar(term, func() string {
		return fmt.Sprintf("%d of %d: %s, %s", at.Load()+1, len(list), list[at.Load()].Name, count(int(tried.Load()), "seed"))
	})
	defer bar.stop()
	for i, r := range list {
		at.Store(int64(i))
		tried.Store(0)
		cells, err := explore.Breaks(term.ctx, explore.Config{Recipe: r, Seeds: c.Seeds,
			Tried: func(int) { tried.Add(1) }})
		if len(cells) > 0 {
			rows = append(rows, rowOf(r, cells))
		}
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func rowOf(r recipe.Recipe, cells []explore.Cell) broken.Row {
	row := broken.Row{Recipe: r.Name, Kind: r.Kind, Rules: nonNil(explore.Promised(r))}
	for _, c := range cells {
		cell := broken.Cell{Fault: c.Word, Possible: c.Possible, Seeds: c.Seeds}
		for _, f := range c.Broken {
			cell.Broken = append(cell.Broken, broken.Promise{Rule: f.Violation.Rule, Seed: f.Seed, Reproduction: reproduce(&f)})
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// printBroken writes the table: a row for each recipe, with a letter in a cell for each broken promise.
func printBroken(out io.Writer, rows []broken.Row, seeds int) error {
	fmt.Fprintf(out, "Which fault breaks which promise, within %s for each:\n\n", count(seeds, "seed"))
	rules := broken.Rules(rows)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	shown := broken.Columns(rows)
	for _, i := range shown {
		fmt.Fprintf(w, "\t%s", columnTitle(explore.Columns()[i].Word))
	}
	fmt.Fprintln(w)
	for _, r := range rows {
		fmt.Fprint(w, titleOf(r))
		for _, i := range shown {
			mark := broken.Unknown
			if i < len(r.Cells) {
				mark = r.Cells[i].Mark(rules)
			}
			fmt.Fprintf(w, "\t%s", mark)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\n%s\tkept, except what breaks without any fault\n%s\tcannot happen there\n", broken.Kept,
		broken.Impossible)
	if slices.ContainsFunc(rows, func(r broken.Row) bool { return len(r.Cells) < len(explore.Columns()) }) {
		fmt.Fprintf(w, "%s\tnot explored\n", broken.Unknown)
	}
	for i, rule := range rules {
		fmt.Fprintf(w, "%s\t%s: %s\n", broken.Letter(i), rule, voice().Says(promise.Title(rule)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return printRuns(out, rows)
}

// printRuns prints a command and a link that reproduce each broken promise.
func printRuns(out io.Writer, rows []broken.Row) (err error) {
	for _, r := range rows {
		for _, c := range r.Cells {
			for _, b := range c.Broken {
				_, err = fmt.Fprintf(out, "\n%s, %s: seed %d breaks %s. It takes %s:\n  %s\n  %s\n", r.Recipe,
					columnTitle(c.Fault), b.Seed, b.Rule, sizeOf(b.Reproduction), b.Reproduction.Command, b.Reproduction.Link)
			}
		}
	}
	return err
}

func titleOf(r broken.Row) string {
	if r.Kind == recipe.Pitfall {
		return "pitfall " + r.Recipe
	}
	return r.Recipe
}

func columnTitle(word string) string {
	if word == "" {
		return "no fault"
	}
	return word
}
