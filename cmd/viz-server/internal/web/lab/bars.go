package lab

import (
	"fmt"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/stage/costs"
)

// The measures of a bar chart in the units of its own box, which is as wide as a phone. A name stands above its bar,
// and the figure behind it.
const (
	barsWidth  = 400.
	barMost    = 320. // length of the longest bar
	barHeight  = 11.
	barName    = 13. // from the top of a row to the name's baseline
	barTop     = 19. // from the top of a row to the bar
	barsRow    = 38.
	barsBehind = 6. // between bar and figure
)

// contestCharts draws the costs of each lock as bars, one chart for each figure. A chart's longest bar fills the width.
func contestCharts(rows []compare.Row) (all []page.Bars) {
	if len(rows) == 0 {
		return nil
	}
	for _, f := range compare.ContestFigures() {
		if f.Size == nil {
			continue
		}
		most := 0.
		for _, r := range rows {
			most = max(most, f.Size(r))
		}
		c := page.Bars{Title: "contest.chart." + figureName(f),
			ViewBox: fmt.Sprintf("0 0 %g %g", barsWidth, barsRow*float64(len(rows)))}
		for i, r := range rows {
			top, width := barsRow*float64(i), 0.
			if most > 0 {
				width = barMost * f.Size(r) / most
			}
			c.Bars = append(c.Bars, page.Bar{
				Contender: contender(r), Value: f.Text(r), Y: costs.Number(top + barTop), Width: costs.Number(width),
				Height: costs.Number(barHeight), NameY: costs.Number(top + barName), ValueX: costs.Number(width + barsBehind),
				ValueY: costs.Number(top + barTop + barHeight - 1),
			})
		}
		all = append(all, c)
	}
	return all
}
