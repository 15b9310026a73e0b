package scene

// cutPlan marks a server that is cut off from others without a fence between them.
type cutPlan struct {
	spotMark
	from label
}

// fences plans what separates servers that don't hear each other.
type fences struct{ *ensemble }

// parted reports whether two servers, by index, are cut off from each other.
func (e *ensemble) parted(a, b int) bool { return e.s.Servers[a].CutFrom(b + 1) }

// wall reports whether no message passes the gap behind server i: no server before it hears any server behind it.
func (f *fences) wall(i int) bool {
	for a := range i + 1 {
		for b := i + 1; b < len(f.s.Servers); b++ {
			if !f.parted(a, b) {
				return false
			}
		}
	}
	return true
}

// fenceAt returns the gap with the fence between two servers, as the index of the server before it: the first wall on
// the way from a to b, or the gap between neighbours. It is -1 if every gap lets some messages pass.
func (f *fences) fenceAt(a, b int) int {
	step, first, last := 1, a, b-1
	if b < a {
		step, first, last = -1, a-1, b
	}
	for i := first; i != last+step; i += step {
		if f.wall(i) || first == last {
			return i
		}
	}
	return -1
}

// planFences plans a fence between neighbours that are cut off from each other. If nothing else passes the gap either,
// the fence is a wall and crosses the lanes.
func (f *fences) planFences(gap, lanes float64) {
	for i := range f.servers[1:] {
		r, value := f.servers[i].rect, ""
		switch {
		case f.wall(i):
			r.y, r.h, value = r.y-lanes, r.h+lanes, "wall"
		case !f.parted(i, i+1):
			continue
		}
		r.x, r.w = r.right(), gap
		f.fences = append(f.fences, r)
		f.shows(FenceMark, f.servers[i].id, value, r)
	}
}

// atFence returns the x at which a message from server a to server b, which would be at lane.x, waits: before the fence
// between them or, if there is none, before b. If that fence doesn't cross the lanes, a piece of fence is drawn on the
// message's own lane, which has the height and width of the message.
func (f *fences) atFence(a, b int, lane rect) float64 {
	room, servers, gap := lane.w/2+tipLength+3*f.m.k, f.servers, f.fenceAt(a, b)
	whole := gap >= 0 && f.wall(gap)
	if gap < 0 {
		gap = b
		if a < b {
			gap = b - 1
		}
	}
	from, fence := servers[a].midX(), (servers[gap].right()+servers[gap+1].x)/2
	stop, there := max(from, fence-room), lane.x > fence-room
	if a > b {
		stop, there = min(from, fence+room), lane.x < fence+room
	}
	if !there {
		return lane.x
	}
	if !whole {
		f.fences = append(f.fences, rect{fence, lane.y, 0, lane.h})
	}
	return stop
}

// planCuts writes at the right end of a row which servers server i is cut off from, unless a fence shows it. It returns
// the width that this takes.
func (f *fences) planCuts(p *serverPlan, i int, row rect) float64 {
	n := 0
	for j := range f.s.Servers {
		if f.parted(i, j) && f.fenceAt(i, j) < 0 {
			if n++; n > 1 {
				f.say(" ")
			}
			f.say("S").num(int64(j + 1))
		}
	}
	if n == 0 {
		return 0
	}
	all := f.label()
	a, r := f.m.small, row.h*0.3
	names := a.fit(row.w-3*r-f.visitorSize(), all, f.say("×").num(int64(n)).label())
	w := a.width(names)
	c := added(&f.cuts)
	c.from = middleStart(names, row.right()-w, row.midY(), a, inkSignal, w)
	c.x, c.y, c.r = row.right()-w-1.5*r, row.midY(), r
	f.shows(FenceMark, p.id, all, rect{c.x - 1.6*r, row.y, row.right() - c.x + 1.6*r, row.h})
	return w + 3.4*r
}
