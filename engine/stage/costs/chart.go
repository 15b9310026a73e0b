package costs

import (
	"fmt"
	"slices"
	"strings"

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
func (d *document) charts(rows []compare.Row) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r compare.Row) bool { return r.Waiters == 0 })
	if len(rows) == 0 {
		return
	}
	d.key(rows)
	d.put(`<div class="plots">`)
	for _, c := range figureCharts {
		if c.among && !slices.ContainsFunc(rows, hasEnsemble) {
			continue
		}
		var points []point
		for _, l := range lines(rows) {
			for _, r := range l.rows {
				if y := c.figure(r.PerRelease); (y > 0 || c.zero) && (hasEnsemble(r) || !c.among) {
					points = append(points, point{l, float64(r.Waiters), y})
				}
			}
		}
		d.chart(d.say(c.title), points)
	}
	d.put(`</div>`)
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

// key explains the lines of all charts: those of each recipe, and the hosts if there are two. A recipe has a sign of
// its own, so it needs no colour.
func (d *document) key(rows []compare.Row) {
	d.put(`<ul class="plot key" aria-label="%s">`, d.say("compare.key"))
	for i, name := range recipesOf(rows) {
		d.keyTo(class(i, event.Simulated), sign(i, event.Simulated, 17, 8), name)
	}
	if slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Host.Traits().RealTime }) {
		for _, host := range []event.Host{event.Simulated, event.Cluster} {
			d.keyTo(string(host), sign(0, host, 17, 8), d.say("compare.on."+string(host)))
		}
	}
	d.put(`</ul>`)
}

func (d *document) keyTo(class, sign, text string) {
	d.put(`<li><svg viewBox="0 0 34 16" aria-hidden="true"><path class="line %s" d="M1 8H33"></path>`+
		`<path class="sign %s" d="%s"></path></svg> %s</li>`, class, class, sign, text)
}

// chart draws one figure. The table has the same numbers.
func (d *document) chart(title string, points []point) {
	d.put(`<figure class="plot"><figcaption>%s</figcaption>`, title)
	defer d.put(`</figure>`)
	if len(points) == 0 {
		d.remark("compare.nobody")
		return
	}
	var xs, ys []float64
	for _, p := range points {
		xs, ys = append(xs, p.x), append(ys, p.y)
	}
	x := newScale(xs, plotLeft, plotWidth-plotLeft-plotRight)
	y := newScale(ys, plotHeight-plotBottom, -(plotHeight - plotTop - plotBottom))
	d.put(`<svg viewBox="0 0 %s %s" role="img" aria-label="%s">`, Number(plotWidth), Number(plotHeight),
		d.say("compare.alt", title))
	d.grid(x, y)
	d.put(`<text class="scale x" x="%s" y="%s">%s</text>`, Number((plotLeft+plotWidth-plotRight)/2), Number(plotHeight-6),
		d.say("compare.waiters"))
	all := drawn(points, x, y)
	for _, l := range all {
		d.put(`<path class="line %s" d="%s"></path>`, l.class, l.path)
	}
	for _, l := range all { // above all lines
		d.put(`<path class="sign %s" d="%s"></path>`, l.class, l.signs)
	}
	d.put(`</svg>`)
}

// figure is a line in one chart, with a sign at each point.
type figure struct{ class, path, signs string }

// drawn returns the lines through points, in their order.
func drawn(points []point, x, y scale) (all []figure) {
	for i, p := range points {
		step := "L"
		if i == 0 || p.line != points[i-1].line {
			step = "M"
			all = append(all, figure{class: class(p.recipe, p.host)})
		}
		l := &all[len(all)-1]
		l.path += fmt.Sprintf("%s%.1f %.1f", step, x.at(p.x), y.at(p.y))
		l.signs += sign(p.recipe, p.host, x.at(p.x), y.at(p.y))
	}
	return all
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
