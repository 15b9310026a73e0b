package servers

import (
	"math/bits"

	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// cutPlan marks a server that is cut off from others without a fence between them.
type cutPlan struct {
	geom.Round
	from text.Label
}

// fences plans what separates servers that don't hear each other.
type fences struct{ *ensemble }

// parted reports whether two servers, by index, are cut off from each other.
func (e *ensemble) parted(a, b int) bool { return e.f.State.Ensemble.Servers[a].CutFrom(b + 1) }

// wall reports whether no message passes the gap behind server i: no server before it hears any server behind it.
//
//go:noinline
func (fe *fences) wall(i int) bool {
	for a := range i + 1 {
		for b := i + 1; b < len(fe.f.State.Ensemble.Servers); b++ {
			if !fe.parted(a, b) {
				return false
			}
		}
	}
	return true
}

// fenceAt returns the gap with the fence between two servers, as the index of the server before it: the first wall on
// the way from a to b, the wall between two stacks, or the gap between neighbours. It is -1 if every gap lets some
// messages pass.
func (fe *fences) fenceAt(a, b int) int {
	if rows := fe.table.rows; a/rows != b/rows {
		if gap := max(a, b)/rows*rows - 1; fe.table.stacks == 2 && fe.wall(gap) {
			return gap
		}
		return -1
	}
	step, first, last := 1, a, b-1
	if b < a {
		step, first, last = -1, a-1, b
	}
	for i := first; i != last+step; i += step {
		if fe.wall(i) || first == last {
			return i
		}
	}
	return -1
}

// planFences plans a fence between neighbours that are cut off from each other. If nothing else passes the gap either,
// the fence is a wall and crosses the strip for messages. Such a wall may also stand between two stacks.
func (fe *fences) planFences() {
	t := &fe.table
	for i := range fe.servers[:len(fe.servers)-1] {
		r, value := fe.servers[i].Rect, "wall"
		switch {
		case !fe.neighbours(i) && t.stacks == 2 && fe.wall(i):
			r = geom.R(r.Right(), fe.servers[0].Y, t.gap, r.Bottom()-fe.servers[0].Y)
			fe.fences = append(fe.fences, r)
			fe.f.Shows(mark.Fence, fe.servers[i].id, value, r)
			continue
		case !fe.neighbours(i) || !fe.parted(i, i+1):
			continue
		case !fe.wall(i):
			value = ""
			if t.form == stacked {
				r.W -= fe.serverPad() + t.strip
			} else {
				r.W = fe.serverPad() + t.label
			}
		}
		r.Y, r.H = r.Bottom(), t.gap
		fe.fences = append(fe.fences, r)
		fe.f.Shows(mark.Fence, fe.servers[i].id, value, r)
	}
}

// atFence returns the y at which a message from server a to server b, which would be at r, waits: before the fence
// between them or, if there is none, before b. If that fence doesn't cross the strip, a piece of fence is drawn there.
func (fe *fences) atFence(a, b int, r geom.Rect) float64 {
	room, servers, gap := r.H/2+message.TipLength+2*fe.f.Sizes.K, fe.servers, fe.fenceAt(a, b)
	whole := gap >= 0 && fe.wall(gap)
	if gap < 0 {
		gap = b
		if a < b {
			gap = b - 1
		}
	}
	if !fe.neighbours(gap) {
		return r.MidY()
	}
	from, fence := servers[a].MidY(), servers[gap].Bottom()+fe.table.gap/2
	stop, there := max(from, fence-room), r.MidY() > fence-room
	if a > b {
		stop, there = min(from, fence+room), r.MidY() < fence+room
	}
	if !there {
		return r.MidY()
	}
	if !whole {
		fe.fences = append(fe.fences, geom.R(r.X, servers[gap].Bottom(), r.W, fe.table.gap))
	}
	return stop
}

// cutFrom lists the servers that server i is cut off from, those that a fence shows only if fenced is true. It returns
// the maximum number of servers that one of them is cut off from.
func (fe *fences) cutFrom(i int, fenced bool) (list string, most int) {
	f := fe.f
	n := 0
	for j := range f.State.Ensemble.Servers {
		if fe.parted(i, j) && (fenced || fe.fenceAt(i, j) < 0) {
			if n++; n > 1 {
				f.Say(" ")
			}
			f.Say("S").Num(int64(j + 1))
			most = max(most, bits.OnesCount16(f.State.Ensemble.Servers[j].Cut))
		}
	}
	return f.Label(), most
}

// planCuts writes at the right end of a row which servers server i is cut off from, unless a fence shows it. Without
// room for their names, the scissors stand on the smaller side alone. It returns the width that this takes.
func (fe *fences) planCuts(p *serverPlan, i int, row geom.Rect) float64 {
	f := fe.f
	all, most := fe.cutFrom(i, false)
	a, r := f.Sizes.Small, row.H*0.3
	names := a.Fit(row.W-3*r-fe.visitorSize(), all)
	if all == "" || names == "" && most > bits.OnesCount16(f.State.Ensemble.Servers[i].Cut) {
		return 0
	}
	w := a.Width(names)
	fe.cuts = append(fe.cuts, cutPlan{})
	c := &fe.cuts[len(fe.cuts)-1]
	c.from = text.CentredFrom(names, row.Right()-w, row.MidY(), a, text.InkSignal, w)
	c.X, c.Y, c.R = row.Right()-w-1.5*r, row.MidY(), r
	f.Shows(mark.Fence, p.id, all, geom.R(c.X-1.6*r, row.Y, row.Right()-c.X+1.6*r, row.H))
	return w + 3.4*r
}
