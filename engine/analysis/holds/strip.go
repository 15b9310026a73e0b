package holds

import (
	"cmp"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
)

// Limits of a Strip, in its own units.
const (
	StripWidth = 960
	leastBar   = 2 // narrower ones are drawn together
	MostLanes  = 4 // for those that hold it at a time
)

// Strip shows holds along a line of time.
type Strip struct {
	Bars    []Bar
	Lanes   int
	Expired []float64 // where sessions of holders expired
	LeftOut float64   // how much of its beginning isn't known completely
	More    int       // how many there is no lane for
}

// Bar is a hold, or several short ones that follow one another.
type Bar struct {
	X, Width float64
	Lane     int // from 0
	Client   int // counts the sessions from 0
	Hold     Hold
	N        int // how many it stands for
}

// Strip lays holds out from the history's beginning to its end.
func (h *History) Strip(all []Hold) (s Strip) {
	x := func(ms int64) float64 {
		return min(max(float64(ms-h.SinceMS)/float64(max(h.UntilMS-h.SinceMS, 1)), 0), 1) * StripWidth
	}
	s.LeftOut = x(h.FromMS)
	inOrder := slices.Clone(all)
	slices.SortStableFunc(inOrder, func(a, b Hold) int { return cmp.Compare(a.GotMS, b.GotMS) })
	var marked [StripWidth/leastBar + 1]bool
	clients, last := map[int64]int{}, []int{} // the last bar of each lane
	for i := range inOrder {
		one := &inOrder[i]
		from, until := x(one.GotMS), x(one.until(h.UntilMS))
		if one.LostMS != 0 && one.Why() == handover.Expired {
			marked[int(until)/leastBar] = true
		}
		client, known := clients[one.Session]
		if !known {
			client = len(clients)
			clients[one.Session] = client
		}
		bar := Bar{X: from, Width: max(until-from, leastBar), Client: client, Hold: *one, N: 1}
		s.place(bar, &last)
	}
	for i, is := range marked {
		if is {
			s.Expired = append(s.Expired, float64(i*leastBar))
		}
	}
	s.Lanes = max(len(last), 1)
	return s
}

// place puts a bar into the first lane that has room for it. A short one after a short one is drawn with it.
func (s *Strip) place(bar Bar, last *[]int) {
	for lane, i := range *last {
		was := &s.Bars[i]
		end := was.X + was.Width
		switch {
		case bar.Hold.GotMS < was.Hold.until(bar.Hold.GotMS+1):
			continue // they hold it at a time
		case bar.X < end && bar.Width <= leastBar:
			was.N++
			was.Hold.LostMS = bar.Hold.LostMS
			return
		}
		bar.Lane = lane
		bar.Width = max(bar.X+bar.Width-max(bar.X, end), leastBar)
		bar.X = max(bar.X, end)
		(*last)[lane] = len(s.Bars)
		s.Bars = append(s.Bars, bar)
		return
	}
	if bar.Lane = len(*last); bar.Lane == MostLanes {
		s.More++
		return
	}
	*last = append(*last, len(s.Bars))
	s.Bars = append(s.Bars, bar)
}
