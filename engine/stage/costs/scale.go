package costs

import (
	"fmt"
	"math"
	"strconv"
)

// scale is a logarithmic scale.
type scale struct {
	from, to      float64 // exponents
	start, length float64
	zero          bool // it begins with 0, which has no logarithm, one power below the rest
}

// newScale returns a scale that covers the values with whole powers of ten.
func newScale(values []float64, start, length float64) scale {
	const same = 1e-9 // rounding: math.Log10(1000) is a little less than 3
	s := scale{from: math.Inf(1), to: math.Inf(-1), start: start, length: length}
	for _, v := range values {
		if v <= 0 {
			s.zero = true
			continue
		}
		e := math.Log10(v)
		s.from, s.to = min(s.from, math.Floor(e+same)), max(s.to, math.Ceil(e-same))
	}
	if s.from > s.to {
		s.from, s.to = 0, 0
	}
	s.to = max(s.to, s.from+1)
	if s.zero {
		s.from--
	}
	return s
}

func (s scale) at(v float64) float64 {
	if v <= 0 {
		return s.start
	}
	return s.start + (math.Log10(v)-s.from)/(s.to-s.from)*s.length
}

// ticks returns the values to label, with some in between if there is only one power of ten.
func (s scale) ticks() (all []float64) {
	if s.zero {
		all = append(all, 0)
		s.from++
	}
	for e := s.from; e < s.to; e++ {
		all = append(all, math.Pow(10, e))
		if s.to-s.from == 1 {
			all = append(all, 2*math.Pow(10, e), 5*math.Pow(10, e))
		}
	}
	return append(all, math.Pow(10, s.to))
}

// grid draws a line and a label at each tick.
func (d *document) grid(x, y scale) {
	for _, v := range x.ticks() {
		d.tick("x", fmt.Sprintf("M%.1f %gV%g", x.at(v), plotTop, plotHeight-plotBottom), x.at(v), plotHeight-plotBottom+18, v)
	}
	for _, v := range y.ticks() {
		d.tick("y", fmt.Sprintf("M%g %.1fH%g", plotLeft, y.at(v), plotWidth-plotRight), plotLeft-8, y.at(v)+4, v)
	}
}

// tick draws one line of the grid, and its label at x and y.
func (d *document) tick(class, path string, x, y, value float64) {
	d.put(`<path class="grid" d="%s"></path><text class="scale %s" x="%s" y="%s" translate="no">%s</text>`, path, class,
		Number(x), Number(y), short(value))
}

// short formats 20000 as 20k.
func short(v float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.of {
			return strconv.FormatFloat(v/unit.of, 'g', 6, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// Number writes a measure of a drawing with at most one decimal.
func Number(f float64) string { return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) }
