package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/compare"
	"github.com/zkviz/zkviz/engine/run"
)

// What a page may compare at once. Each run of a thousand clients takes seconds.
const (
	mostCompared = 6
	mostSizes    = 8
)

// compared is what a page of /lab/compare asks for.
type compared struct {
	recipes []string
	sizes   []int
	hosts   []string
}

// compare answers /lab/compare?recipe=NAME&recipe=NAME&clients=2,10,100&live=1.
func (s *site) compare(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p := page.CompareProps{Frame: s.frame(r, "lab"), Clients: clip(q.Get("clients")), Live: q.Get("live") != ""}
	chosen := q["recipe"]
	if len(chosen) == 0 {
		chosen = []string{"unique-lock", "children-lock", "predecessor-lock"}
	}
	if p.Clients == "" {
		p.Clients = "2,10,100"
	}
	for _, name := range firstOf(names()) {
		p.Choices = append(p.Choices, page.CompareChoice{Name: name, Chosen: slices.Contains(chosen, name)})
	}
	c, err := s.readCompared(chosen, p.Clients, p.Live)
	var rows []compare.Row
	if err == nil {
		rows, err = s.costs(r.Context(), c)
	}
	status := http.StatusOK
	if err != nil {
		status, p.Error = http.StatusBadRequest, sentence(err)
	}
	p.Charts, p.Key, p.Runs = charts(rows), key(rows), len(rows)
	for _, name := range recipesOf(rows) {
		g := page.CostGroup{Recipe: name}
		for _, row := range rows {
			if row.Recipe == name {
				g.Rows = append(g.Rows, costRow(row))
			}
		}
		p.Costs = append(p.Costs, g)
	}
	s.render(w, r, status, page.Compare(p))
}

func firstOf(names, _ []string) []string { return names }

func (s *site) readCompared(names []string, sizes string, live bool) (compared, error) {
	c := compared{recipes: names, hosts: []string{hostSim}}
	if len(names) > mostCompared {
		return c, fmt.Errorf("choose up to %d recipes, not %d", mostCompared, len(names))
	}
	for text := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return c, fmt.Errorf("clients=%q is not a list of numbers like 2,10,100", clip(sizes))
		}
		c.sizes = append(c.sizes, n)
	}
	slices.Sort(c.sizes)
	if c.sizes = slices.Compact(c.sizes); len(c.sizes) > mostSizes {
		return c, fmt.Errorf("choose up to %d numbers of clients, not %d", mostSizes, len(c.sizes))
	}
	for _, name := range names {
		for _, n := range c.sizes {
			sc := run.Scenario{Recipe: name}.WithDefaults()
			sc.Clients = n
			if err := sc.Validate(); err != nil {
				return c, err
			}
		}
	}
	if live && s.figures.live == nil {
		return c, errNoCluster
	}
	if live {
		c.hosts = append(c.hosts, hostLive)
		if most := c.sizes[len(c.sizes)-1]; most > MaxLiveClients {
			return c, fmt.Errorf("a page may open %d sessions on %s at once, not %d", MaxLiveClients, s.figures.live.place(), most)
		}
	}
	return c, nil
}

// costs measures by recipe, then size, then host.
func (s *site) costs(ctx context.Context, c compared) ([]compare.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, figuresTimeout)
	defer cancel()
	var rows []compare.Row
	for _, name := range c.recipes {
		for _, n := range c.sizes {
			for _, host := range c.hosts {
				row, err := s.figures.row(ctx, figuresKey{name, n, host})
				if err != nil {
					return rows, fmt.Errorf("%s with %d clients: %w", name, n, err)
				}
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

func costRow(r compare.Row) page.CostRow {
	c := r.PerRelease
	tenth := func(f float64) string { return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") }
	row := page.CostRow{
		Waiters: strconv.Itoa(r.Waiters), Host: r.Host, Wakeups: tenth(c.Wakeups), Most: strconv.Itoa(r.Wakeups.MaxPerRelease),
		Requests: tenth(c.Requests), Bytes: strconv.FormatFloat(c.Bytes, 'f', 0, 64), Time: "–",
	}
	if c.TimeMS > 0 {
		row.Time = strconv.FormatFloat(c.TimeMS, 'f', 2, 64)
	}
	return row
}
