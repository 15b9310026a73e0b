package web

import (
	"fmt"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/compare"
	"github.com/zkviz/zkviz/engine/sentence"
)

// The measures of a chart of bars, in the units of its own box, which fills a phone's width. A name stands over its
// bar, and the figure behind it.
const (
	barsWidth  = 400.
	barMost    = 320. // the longest bar
	barHeight  = 11.
	barName    = 13. // from the top of a row to the foot of the name
	barTop     = 19. // from the top of a row to the bar
	barsRow    = 38.
	barsBehind = 6. // between bar and figure
)

// contested are the figures of a contest that are drawn, each in a chart of its own.
var contested = [...]struct {
	title  string
	figure func(compare.Row) float64
	text   func(compare.Row) string
}{
	{"contest.chart.requests", func(r compare.Row) float64 { return r.PerRelease.Requests },
		func(r compare.Row) string { return compare.Grouped(r.PerRelease.Requests) }},
	{"contest.chart.woken", func(r compare.Row) float64 { return float64(r.Wakeups.ByRelease) },
		func(r compare.Row) string { return sentence.Grouped(r.Wakeups.ByRelease) }},
	{"contest.chart.handover", func(r compare.Row) float64 { return r.MedianMS },
		func(r compare.Row) string { return compare.ShortTime(r.MedianMS) }},
	{"contest.chart.longest", func(r compare.Row) float64 { return r.LongestMS },
		func(r compare.Row) string { return compare.ShortTime(r.LongestMS) }},
}

// contestCharts draws what each lock costs as bars, the longest of a chart over its whole width.
func contestCharts(rows []compare.Row) (all []page.Bars) {
	if len(rows) == 0 {
		return nil
	}
	for _, d := range contested {
		most := 0.
		for _, r := range rows {
			most = max(most, d.figure(r))
		}
		c := page.Bars{Title: d.title, ViewBox: fmt.Sprintf("0 0 %g %g", barsWidth, barsRow*float64(len(rows)))}
		for i, r := range rows {
			top, width := barsRow*float64(i), 0.
			if most > 0 {
				width = barMost * d.figure(r) / most
			}
			c.Bars = append(c.Bars, page.Bar{
				Contender: contender(r), Value: d.text(r), Y: number(top + barTop), Width: number(width),
				Height: number(barHeight), NameY: number(top + barName), ValueX: number(width + barsBehind),
				ValueY: number(top + barTop + barHeight - 1),
			})
		}
		all = append(all, c)
	}
	return all
}
