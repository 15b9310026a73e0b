package scene

// remoteSizes holds the heights of a node's parts, and how much of an entry fits.
type remoteSizes struct {
	level            int     // lines of a card: name, remaining time, value; 0 without cards
	name, small      face    // on cards
	stand            float64 // size of a client that waits at an entry
	head, pad        float64
	tab, card, foot  float64 // above a card, the card, and below it
	gap              float64 // between rows of cards
	track            float64 // above the nodes, for replication messages
	lane             float64 // between nodes and clients
	between          float64 // between two nodes
	top, bottom, low float64 // of the boxes; top of the clients
}

// barH returns the height of the bar that runs out.
func (l *Layout) barH() float64 { return max(4, 6*l.m.k) }

// sizeRemotes gives every part its smallest good height.
func (l *Layout) sizeRemotes(level int) {
	m, z := &l.m, &l.far.sizes
	*z = remoteSizes{level: level, name: m.name, small: m.small, stand: max(13.5, 18*m.k),
		head: m.bold.size + max(7, 12*m.k), pad: max(4, 9*m.k), gap: max(3, 6*m.k),
		lane: max(28, 44*m.k), between: max(5, 12*m.k)}
	z.card = m.name.size + max(6, 8*m.k)
	z.foot = z.stand + max(6, 11*m.k)
	z.tab = m.note.size + max(7, 12*m.k)
	switch {
	case level >= 3:
		z.card = m.name.size + 2*m.small.size + max(11, 17*m.k)
	case level == 2:
		z.card = m.name.size + m.small.size + max(8, 12*m.k)
	}
	for i := range l.far.systems {
		if l.far.systems[i].follows() {
			z.track = l.laneH() + 2
		}
	}
}

// boxWidth returns the width of every node.
func (l *Layout) boxWidth() float64 {
	n := float64(len(l.far.boxes))
	return (l.inner().w - l.far.sizes.between*(n-1)) / n
}

// gridRemotes finds the columns and rows of each system's entries. It returns the height of the nodes, at most most if
// possible.
func (l *Layout) gridRemotes(most float64) (height float64) {
	z, k := &l.far.sizes, l.m.k
	width := l.boxWidth() - 2*z.pad
	narrow := [...]float64{52, 52, 56, max(66, 84*k)}[z.level]
	one := z.tab + z.card + z.foot
	frame := z.head + z.pad
	for i := range l.far.systems {
		y := &l.far.systems[i]
		n := y.until - y.from
		if z.level == 0 {
			y.cols, y.rows, height = 1, 0, frame
			continue
		}
		cols := min(max(int(width/narrow), 1), max(n, 1))
		y.rows = max((n+cols-1)/cols, 1)
		y.rows = min(y.rows, max(int((most-frame+z.gap)/(one+z.gap)), 1))
		y.cols = min(max((n+y.rows-1)/y.rows, 1), cols)
		height = max(height, frame+float64(y.rows)*(one+z.gap)-z.gap)
	}
	return height
}

// leastClient is the width of a client with its letter, in px.
const leastClient = 26

// placeRemotes places the nodes and the clients. If the height is small, cards say less, and then clients.
func (l *Layout) placeRemotes() {
	in, m, z := l.inner(), &l.m, &l.far.sizes
	free := in.h - m.stripH - m.margin*0.6
	n := l.here()
	words := m.bold.size*1.3 + m.small.size*2.5
	large, small := 2.1*ringOf(max(9, 20*m.k))+words, 2.1*ringOf(8.4)+words
	if rows := n / max(int(in.w/leastClient), 1); rows > 0 && n <= maxGrid { // keep the letters
		large = max(large, float64(rows+1)*leastClient*1.1)
		small = max(small, large)
	}
	var height float64
	for _, try := range [...]struct {
		level  int
		people float64
	}{{3, large}, {3, small}, {2, small}, {2, small - words}, {1, small - words}} {
		l.sizeRemotes(try.level)
		rest := free - z.track - z.lane
		if n > 0 {
			rest -= try.people
		}
		if height = l.gridRemotes(1e6); height <= rest {
			l.spreadRemotes(rest-height, n)
			break
		}
	}
	height = l.gridRemotes(free - z.track)
	if n == 0 {
		z.lane = 0
	}
	z.top = in.y + z.track
	z.bottom = min(z.top+height, in.y+free)
	z.low = z.bottom + z.lane
	l.box = rect{in.x, z.top, in.w, z.bottom - z.top}
	l.placeBoxes(in.x)
	l.routes = routing{rows: 1, cols: max(n, 1), pitch: in.w / float64(max(n, 1)), left: in.x}
	if n > 0 {
		l.placeRow(rect{in.x, z.low, in.w, in.y + free - z.low})
	}
}

// spreadRemotes distributes the height that is left over, first to the lane. If there are clients, they take the rest.
func (l *Layout) spreadRemotes(left float64, clients int) {
	z, k := &l.far.sizes, l.m.k
	rows := 1.0
	for i := range l.far.systems {
		rows = max(rows, float64(l.far.systems[i].rows))
	}
	take := func(v *float64, times, most float64) {
		d := min(left/times, most)
		*v += d
		left -= d * times
	}
	take(&z.lane, 1, 36*k)
	if level := l.far.sizes.level; level >= 3 { // larger cards
		grow := min(1.4, 1+left*0.4/rows/z.card, max(1, (l.boxWidth()-2*z.pad)/l.widestCols()/(150*k)))
		left -= rows * z.card * (grow - 1)
		z.card, z.name.size, z.small.size = z.card*grow, z.name.size*grow, z.small.size*min(grow, 1.25)
	}
	take(&z.card, rows, 10*k)
	if d := min(left/rows, 10*k); d > 0 {
		z.stand, z.foot, left = z.stand+d*0.7, z.foot+d, left-d*rows
	}
	take(&z.lane, 1, 40*k)
	take(&z.tab, rows, 12*k)
	if clients == 0 {
		return
	}
	left -= min(left, 40*k) // larger clients
	take(&z.lane, 1, left*0.5)
	if rows > 1 {
		return
	}
	take(&z.foot, rows, left*0.3/rows)
	take(&z.tab, rows, left*0.3/rows)
}

// widestCols returns the maximum number of entries side by side at a node.
func (l *Layout) widestCols() float64 {
	n := 1
	for i := range l.far.systems {
		n = max(n, l.far.systems[i].cols)
	}
	return float64(n)
}

// placeBoxes places the nodes side by side.
func (l *Layout) placeBoxes(x float64) {
	z, w := &l.far.sizes, l.boxWidth()
	for i := range l.far.boxes {
		l.far.boxes[i] = rect{x + float64(i)*(w+z.between), z.top, w, z.bottom - z.top}
	}
}

// cellRect returns the area of an item at a node, from above its card to below it; false if it has no place.
func (l *Layout) cellRect(node int, y *remoteSystem, k int) (rect, bool) {
	z, b := &l.far.sizes, l.far.boxes[node]
	k -= y.from
	if k >= y.cols*y.rows {
		return rect{}, false
	}
	one := z.tab + z.card + z.foot
	pitch := (b.w - 2*z.pad) / float64(y.cols)
	return rect{b.x + z.pad + float64(k%y.cols)*pitch, b.y + z.head + float64(k/y.cols)*(one+z.gap), pitch, one}, true
}

// cardRect returns the card within a cell.
func (l *Layout) cardRect(cell rect) rect {
	z, k := &l.far.sizes, l.m.k
	w := min(cell.w-max(2, min(10*k, cell.w*0.05)), 280*k)
	return rect{cell.midX() - w/2, cell.y + z.tab, w, z.card}
}

// remotesHeight returns the height of the nodes below the clients and of the lane to them.
func (l *Layout) remotesHeight(level int) float64 {
	z := &l.far.sizes
	l.sizeRemotes(level)
	z.lane = max(24, 34*l.m.k)
	z.tab *= 0.4 // no name stands above cards
	if level < 2 {
		z.foot -= z.stand
		z.stand = max(13.5, 13*l.m.k)
		z.foot += z.stand
	}
	return z.lane + z.track + l.gridRemotes(l.o.Height*0.3) + max(3, 6*l.m.k)
}

// placeBelow places the nodes below the clients.
func (l *Layout) placeBelow() {
	if l.m.remotesH == 0 {
		return
	}
	in, z := l.inner(), &l.far.sizes
	z.low = in.bottom() - l.m.stripH - l.m.margin*0.6
	z.top = z.low + z.lane + z.track
	z.bottom = z.low + l.m.remotesH - max(3, 6*l.m.k)
	l.placeBoxes(in.x)
}
