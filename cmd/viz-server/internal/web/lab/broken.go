package lab

import (
	"slices"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/broken"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
)

// brokenTable converts the table of broken promises for the page: recipes first, then pitfalls.
func brokenTable(rows []broken.Row) page.BrokenTable {
	var t page.BrokenTable
	columns, rules, seeds := broken.Columns(rows), broken.Rules(rows), 0
	for _, i := range columns {
		t.Faults = append(t.Faults, rows[0].Cells[i].Fault)
	}
	for i, rule := range rules {
		t.Rules = append(t.Rules, page.BrokenRule{Letter: broken.Letter(i), Name: rule, Title: promise.Title(rule)})
	}
	t.Groups = []page.BrokenGroup{{Title: "locks.broken.recipes"}, {Title: "recipes.pitfalls"}}
	for _, r := range rows {
		group := &t.Groups[0]
		if r.Kind == recipe.Pitfall {
			group = &t.Groups[1]
		}
		row := page.BrokenRow{Recipe: r.Recipe}
		for _, rule := range t.Rules {
			if slices.Contains(r.Rules, rule.Name) {
				row.Held += rule.Letter
			}
		}
		for _, i := range columns {
			seeds = max(seeds, r.Cells[i].Seeds)
			row.Cells = append(row.Cells, brokenCell(r.Cells[i], rules, t.Rules))
		}
		group.Rows = append(group.Rows, row)
	}
	t.Seeds = sentence.Grouped(seeds)
	return t
}

func brokenCell(c broken.Cell, rules []string, shown []page.BrokenRule) page.BrokenCell {
	cell := page.BrokenCell{Fault: c.Fault}
	if len(c.Broken) == 0 {
		cell.Mark = c.Mark(rules)
	}
	for _, p := range c.Broken {
		cell.Broken = append(cell.Broken, page.BrokenLink{
			BrokenRule: shown[slices.Index(rules, p.Rule)], Link: p.Reproduction.Link,
		})
	}
	return cell
}
