package web

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/compare"
)

// The chart's measures, in the units of its own box.
const (
	plotWidth  = 640.
	plotHeight = 320.
	plotLeft   = 56.
	plotRight  = 150. // room for the names
	plotTop    = 14.
	plotBottom = 34.
	nameHeight = 15.
)

// charts draws wakeups and requests against the number of clients.
func charts(rows []compare.Row) []page.Chart {
	if len(rows) == 0 {
		return nil
	}
	return []page.Chart{
		chart("compare.chart.wakeups", rows, func(r compare.Row) float64 { return r.PerRelease.Wakeups }),
		chart("compare.chart.requests", rows, func(r compare.Row) float64 { return r.PerRelease.Requests }),
	}
}

// scale maps powers of ten to equal lengths.
type scale struct{ from, to, start, length float64 }

// newScale covers the values, to whole powers of ten.
func newScale(values []float64, start, length float64) scale {
	from, to := math.Floor(math.Log10(slices.Min(values))), math.Ceil(math.Log10(slices.Max(values)))
	return scale{from, max(to, from+1), start, length}
}

func (s scale) at(v float64) float64 {
	return s.start + (math.Log10(v)-s.from)/(s.to-s.from)*s.length
}

// floor stands for nothing, which has no logarithm.
const floor = 0.1

func chart(title string, rows []compare.Row, figure func(compare.Row) float64) page.Chart {
	var xs, ys []float64
	for _, r := range rows {
		xs, ys = append(xs, float64(r.Clients)), append(ys, max(figure(r), floor))
	}
	x := newScale(xs, plotLeft, plotWidth-plotLeft-plotRight)
	y := newScale(ys, plotHeight-plotBottom, -(plotHeight - plotTop - plotBottom))
	c := page.Chart{Title: title, ViewBox: fmt.Sprintf("0 0 %g %g", plotWidth, plotHeight), Grid: grid(x, y)}
	var ends []float64
	for i, line := range lines(rows) {
		l := page.ChartLine{Class: fmt.Sprintf("l%d %s", i/hostsOf(rows)%6+1, line[0].Host), Text: line[0].Recipe}
		if line[0].Host != hostSim {
			l.Text += " (live)"
		}
		var path, signs strings.Builder
		px, py := 0., 0.
		for j, r := range line {
			px, py = x.at(float64(r.Clients)), y.at(max(figure(r), floor))
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(j, 1)], px, py)
			signs.WriteString(sign(i, px, py))
		}
		l.Path, l.Signs = path.String(), signs.String()
		py = freeHeight(ends, py)
		ends = append(ends, py)
		l.X, l.Y = number(px+12), number(py+4)
		c.Lines = append(c.Lines, l)
	}
	return c
}

// lines are the rows of each recipe on each host.
func lines(rows []compare.Row) (all [][]compare.Row) {
	for _, r := range rows {
		i := slices.IndexFunc(all, func(l []compare.Row) bool { return l[0].Recipe == r.Recipe && l[0].Host == r.Host })
		if i < 0 {
			all = append(all, nil)
			i = len(all) - 1
		}
		all[i] = append(all[i], r)
	}
	return all
}

func hostsOf(rows []compare.Row) int {
	if slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Host != hostSim }) {
		return 2
	}
	return 1
}

// freeHeight is the height nearest to y where no other name stands.
func freeHeight(taken []float64, y float64) float64 {
	for shift := 0.; ; shift += nameHeight {
		for _, at := range []float64{y - shift, y + shift} {
			if !slices.ContainsFunc(taken, func(t float64) bool { return math.Abs(t-at) < nameHeight }) {
				return at
			}
		}
	}
}

// sign is a mark on a point: a square, a diamond, a triangle, a cross or a bar.
func sign(i int, x, y float64) string {
	shapes := [...]string{"m-4-4h8v8h-8z", "m0-6 6 6-6 6-6-6z", "m0-6 6 10h-12z", "m-5-5 10 10m0-10-10 10", "m-6 0h12", "m0-6v12"}
	return fmt.Sprintf("M%.1f %.1f%s", x, y, shapes[i%len(shapes)])
}

func grid(x, y scale) (all []page.ChartGrid) {
	for e := x.from; e <= x.to; e++ {
		px := x.at(math.Pow(10, e))
		all = append(all, page.ChartGrid{
			Class: "x", Path: fmt.Sprintf("M%.1f %gV%g", px, plotTop, plotHeight-plotBottom),
			X: number(px), Y: number(plotHeight - plotBottom + 18), Text: number(math.Pow(10, e)),
		})
	}
	for e := y.from; e <= y.to; e++ {
		py := y.at(math.Pow(10, e))
		all = append(all, page.ChartGrid{
			Class: "y", Path: fmt.Sprintf("M%g %.1fH%g", plotLeft, py, plotWidth-plotRight),
			X: number(plotLeft - 8), Y: number(py + 4), Text: number(math.Pow(10, e)),
		})
	}
	return all
}

func number(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) }
