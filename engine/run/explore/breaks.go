package explore

import (
	"cmp"
	"context"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
)

// Column is a column of the table that shows which fault breaks which promise: the faults with one name.
type Column struct {
	Word  string // empty for no fault at all
	kinds []fault.Kind
}

// Columns returns all columns, the first without any fault.
func Columns() []Column {
	all := []Column{{}}
	for _, k := range slices.Concat(serverFaults(), EnsembleFaults(), fault.SystemKinds()) {
		i := slices.IndexFunc(all, func(c Column) bool { return c.Word == k.String() })
		if i < 0 {
			i = len(all)
			all = append(all, Column{Word: k.String()})
		}
		if !slices.Contains(all[i].kinds, k) {
			all[i].kinds = append(all[i].kinds, k)
		}
	}
	return all
}

// drawn returns the column's faults that can happen in runs of the recipe. The progress of a replica that takes
// over determines how much is lost, so with failovers it may also lag behind.
func (c Column) drawn(r recipe.Recipe) []fault.Kind {
	can := possible(r, cmp.Or(r.Servers, 1))
	kinds := slices.DeleteFunc(slices.Clone(c.kinds), func(k fault.Kind) bool { return !slices.Contains(can, k) })
	if slices.Contains(kinds, fault.Failover) {
		kinds = append(kinds, fault.Lag)
	}
	return kinds
}

// possible returns the faults that can happen in runs of a recipe, whatever it promises.
func possible(r recipe.Recipe, servers int) []fault.Kind {
	if event.HasZooKeeper(r.Systems) {
		return Kinds(r, servers)
	}
	return possibleAtNodes(r)
}

// Cell shows what the faults of a column do to a recipe.
type Cell struct {
	Column
	Possible bool
	Seeds    int // tried for each promise that was kept
	Broken   []Finding
}

// Promised returns a recipe's promises for the table: those that always hold, and those within its limits.
func Promised(r recipe.Recipe) []string { return slices.Concat(r.Promises, r.Limits) }

// Breaks explores a recipe with each column's faults alone, and returns which promises they break. It also plays
// the run in which the catalogue shows that, in the column of its faults. What breaks without any fault appears
// only in the first cell. A search with faults may find a run without any: a promise that breaks by itself there
// goes to the first cell, too. If ctx ends, Breaks returns the cells so far, and the error.
func Breaks(ctx context.Context, cfg Config) ([]Cell, error) {
	rules := slices.Clone(cfg.Rules)
	if rules == nil {
		rules = Promised(cfg.Recipe)
	}
	var cells []Cell
	for _, col := range Columns() {
		cell := Cell{Column: col}
		cfg.Faults = col.drawn(cfg.Recipe)
		if cell.Possible = col.Word == "" || len(cfg.Faults) > 0; cell.Possible {
			if cfg.Faults == nil {
				cfg.Faults = []fault.Kind{}
			}
			var err error
			if cell, err = cfg.fill(ctx, cell, rules); err != nil {
				return cells, err
			}
		}
		kept := cell.Broken[:0]
		for _, f := range cell.Broken {
			byItself := len(f.Scenario.Faults) == 0
			if byItself {
				rules = without(rules, f.Violation.Rule)
			}
			if byItself && len(cells) > 0 {
				cells[0].Broken = append(cells[0].Broken, f)
			} else {
				kept = append(kept, f)
			}
		}
		cell.Broken = kept
		cells = append(cells, cell)
	}
	return cells, nil
}

// fill looks for a run that breaks each of the rules, if there is one.
func (c Config) fill(ctx context.Context, cell Cell, rules []string) (Cell, error) {
	c.Limits = nil
	for len(rules) > 0 {
		c.Rules = rules
		result, err := Run(ctx, c)
		if err != nil {
			return cell, err
		}
		cell.Seeds = result.Seeds
		found := result.Found
		if found == nil {
			found, err = c.shown(ctx)
		}
		if err != nil || found == nil {
			return cell, err
		}
		cell.Broken = append(cell.Broken, *found)
		rules = without(rules, found.Violation.Rule)
	}
	return cell, nil
}

// shown plays the run in which the catalogue shows how the recipe breaks a promise, if all its faults may happen.
// Seeds may miss what takes a fault at just the right moment.
func (c Config) shown(ctx context.Context) (*Finding, error) {
	if c.Recipe.Seen == "" {
		return nil, nil
	}
	s, err := run.ParseQuery("recipe=" + c.Recipe.Name + "&" + c.Recipe.Seen)
	other := func(f fault.Fault) bool { return !slices.Contains(c.Faults, f.Kind) }
	if err != nil || slices.ContainsFunc(s.Faults, other) {
		return nil, err
	}
	s = s.WithDefaults()
	v, err := c.play(ctx, s)
	if err != nil || v == nil {
		return nil, err
	}
	found := &Finding{Seed: s.Seed, First: s, Violation: *v}
	return found, c.reduce(ctx, found)
}

func without(rules []string, rule string) []string {
	return slices.DeleteFunc(slices.Clone(rules), func(r string) bool { return r == rule })
}
