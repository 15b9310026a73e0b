package lab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/compare"
)

// The measures of a chart in the units of its own box. Two stand side by side, or one fills a phone's width.
const (
	plotWidth  = 400.
	plotHeight = 270.
	plotLeft   = 50.
	plotRight  = 14.
	plotTop    = 12.
	plotBottom = 50.
)

// figureCharts lists the figures to draw, each in its own chart.
var figureCharts = [...]struct {
	title  string
	figure func(compare.Cost) float64
	zero   bool // 0 is a value, and doesn't mean that the figure is missing
	among  bool // only for several servers
}{
	{"compare.chart.wakeups", func(c compare.Cost) float64 { return c.Wakeups }, true, false},
	{"compare.chart.requests", func(c compare.Cost) float64 { return c.Requests }, true, false},
	{"compare.chart.bytes", func(c compare.Cost) float64 { return c.Bytes }, true, false},
	{"compare.chart.between", func(c compare.Cost) float64 { return c.Between }, true, true},
	{"compare.chart.time", func(c compare.Cost) float64 { return c.TimeMS }, false, false},
}

// charts draws the costs of a release against the number of waiters, on logarithmic scales. It leaves out runs without
// a waiter.
func charts(rows []compare.Row) (all []page.Chart) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r compare.Row) bool { return r.Waiters == 0 })
	if len(rows) == 0 {
		return nil
	}
	for _, d := range figureCharts {
		if d.among && !slices.ContainsFunc(rows, hasEnsemble) {
			continue
		}
		var points []point
		for _, l := range lines(rows) {
			for _, r := range l.rows {
				if y := d.figure(r.PerRelease); (y > 0 || d.zero) && (hasEnsemble(r) || !d.among) {
					points = append(points, point{l, float64(r.Waiters), y})
				}
			}
		}
		all = append(all, chart(d.title, points))
	}
	return all
}

// line holds a recipe's costs on one host.
type line struct {
	recipe int // index of the recipe
	host   event.Host
	rows   []compare.Row
}

// point is a run in one chart.
type point struct {
	*line
	x, y float64
}

// lines returns the lines in the order of the rows.
func lines(rows []compare.Row) (all []*line) {
	recipes := recipesOf(rows)
	for _, r := range rows {
		recipe := slices.Index(recipes, r.Recipe)
		i := slices.IndexFunc(all, func(l *line) bool { return l.recipe == recipe && l.host == r.Host })
		if i < 0 {
			i = len(all)
			all = append(all, &line{recipe: recipe, host: r.Host})
		}
		all[i].rows = append(all[i].rows, r)
	}
	return all
}

func recipesOf(rows []compare.Row) (all []string) {
	for _, r := range rows {
		if !slices.Contains(all, r.Recipe) {
			all = append(all, r.Recipe)
		}
	}
	return all
}

// key returns the legend of all charts: each recipe, and the hosts if there are two.
func key(rows []compare.Row) (all []page.ChartKey) {
	for i, name := range recipesOf(rows) {
		all = append(all, page.ChartKey{Class: class(i, event.Simulated), Sign: sign(i, event.Simulated, 17, 8), Text: name})
	}
	if slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Host.Traits().RealTime }) {
		for _, host := range []event.Host{event.Simulated, event.Cluster} {
			all = append(all, page.ChartKey{Class: string(host), Sign: sign(0, host, 17, 8), Host: string(host)})
		}
	}
	return all
}

func chart(title string, points []point) page.Chart {
	c := page.Chart{
		Title: title, ViewBox: fmt.Sprintf("0 0 %g %g", plotWidth, plotHeight),
		AxisX: number((plotLeft + plotWidth - plotRight) / 2), AxisY: number(plotHeight - 6),
	}
	if len(points) == 0 {
		return c
	}
	var xs, ys []float64
	for _, p := range points {
		xs, ys = append(xs, p.x), append(ys, p.y)
	}
	x := newScale(xs, plotLeft, plotWidth-plotLeft-plotRight)
	y := newScale(ys, plotHeight-plotBottom, -(plotHeight - plotTop - plotBottom))
	c.Grid = grid(x, y)
	for i, p := range points {
		step := "L"
		if i == 0 || p.line != points[i-1].line {
			step = "M"
			c.Lines = append(c.Lines, page.ChartLine{Class: class(p.recipe, p.host)})
		}
		l := &c.Lines[len(c.Lines)-1]
		l.Path += fmt.Sprintf("%s%.1f %.1f", step, x.at(p.x), y.at(p.y))
		l.Signs += sign(p.recipe, p.host, x.at(p.x), y.at(p.y))
	}
	return c
}

// class returns a line's class in the style sheet, which has six colours.
func class(recipe int, host event.Host) string {
	return fmt.Sprintf("l%d %s", recipe%len(signs)+1, host)
}

// signs are the corners of the signs at a line's points, in units of the sign's size. They distinguish lines without
// colours. A live run's sign is small and filled, and fits into the simulated run's.
var signs = [...][][2]float64{
	{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
	{{0, -1.4}, {1.4, 0}, {0, 1.4}, {-1.4, 0}},
	{{0, -1.4}, {1.4, 1}, {-1.4, 1}},
	{{0, 1.4}, {1.4, -1}, {-1.4, -1}},
	{{-1, -1.2}, {1, -1.2}, {-1, 1.2}, {1, 1.2}},
	{{-1.2, -1}, {1.2, 1}, {1.2, -1}, {-1.2, 1}},
}

func sign(recipe int, host event.Host, x, y float64) string {
	size := 4.5
	if host.Traits().RealTime {
		size = 1.8
	}
	var b strings.Builder
	for i, corner := range signs[recipe%len(signs)] {
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], x+size*corner[0], y+size*corner[1])
	}
	return b.String() + "z"
}
