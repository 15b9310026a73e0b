package scene

// cutPlan is on a server: it is cut off from others that no fence in the picture parts it from.
type cutPlan struct {
	spotMark
	from label
}

// parted reports whether nothing gets through between two servers, by their indices.
func (l *Layout) parted(a, b int) bool { return l.s.Servers[a].CutFrom(b + 1) }

// wall reports whether nothing gets past the gap behind server i: none before it hears any behind it.
func (l *Layout) wall(i int) bool {
	for a := range i + 1 {
		for b := i + 1; b < len(l.s.Servers); b++ {
			if !l.parted(a, b) {
				return false
			}
		}
	}
	return true
}

// fenceAt is the gap with the fence that parts two servers, as the server before it: the first wall on the way from a
// to b, or what is between neighbours. It is -1 if there is none, since others hear each other across every gap.
func (l *Layout) fenceAt(a, b int) int {
	step, first, last := 1, a, b-1
	if b < a {
		step, first, last = -1, a-1, b
	}
	for i := first; i != last+step; i += step {
		if l.wall(i) || first == last {
			return i
		}
	}
	return -1
}

// planFences plans a fence between servers side by side through which nothing gets. It goes up across the lanes where
// nothing else gets through either: it is a wall.
func (l *Layout) planFences(gap, lanes float64) {
	for i := range l.p.servers[1:] {
		r, value := l.p.servers[i].rect, ""
		switch {
		case l.wall(i):
			r.y, r.h, value = r.y-lanes, r.h+lanes, "wall"
		case !l.parted(i, i+1):
			continue
		}
		r.x, r.w = r.right(), gap
		l.p.fences = append(l.p.fences, r)
		l.shows(FenceMark, l.p.servers[i].id, value, r)
	}
}

// atFence is where a message from server a to server b waits that would be at x: before the fence that parts them, or,
// if there is none, before b. Where that does not go up across the lanes, a piece of fence is on the message's own,
// which begins at that x and is as wide as the message.
func (l *Layout) atFence(a, b int, lane rect) float64 {
	room, servers, gap := lane.w/2+tipLength+3*l.m.k, l.p.servers, l.fenceAt(a, b)
	whole := gap >= 0 && l.wall(gap)
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
		l.p.fences = append(l.p.fences, rect{fence, lane.y, 0, lane.h})
	}
	return stop
}

// planCuts says on server i from whom it is cut off, unless a fence in the picture shows it, at the right end of a row.
// It returns how much room that takes.
func (l *Layout) planCuts(p *serverPlan, i int, row rect) float64 {
	n := 0
	for j := range l.s.Servers {
		if l.parted(i, j) && l.fenceAt(i, j) < 0 {
			if n++; n > 1 {
				l.say(" ")
			}
			l.say("S").num(int64(j + 1))
		}
	}
	if n == 0 {
		return 0
	}
	all := l.label()
	a, r := l.m.small, row.h*0.3
	names := a.fit(row.w-3*r-l.visitorSize(), all, l.say("×").num(int64(n)).label())
	w := a.width(names)
	c := added(&l.p.cuts)
	c.from = middleStart(names, row.right()-w, row.midY(), a, inkSignal, w)
	c.x, c.y, c.r = row.right()-w-1.5*r, row.midY(), r
	l.shows(FenceMark, p.id, all, rect{c.x - 1.6*r, row.y, row.right() - c.x + 1.6*r, row.h})
	return w + 3.4*r
}
