package remote

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// remoteSizes holds the heights of a node's parts, and how much of an entry fits.
type remoteSizes struct {
	_                view.Incomparable
	level            int       // lines of a card: name, remaining time, value; 0 without cards
	name, small      text.Face // on cards
	stand            float64   // size of a client that waits at an entry
	head, pad        float64
	tab, card, foot  float64 // above a card, the card, and below it
	gap              float64 // between rows of cards
	track            float64 // above the nodes, for replication messages
	lane             float64 // between nodes and clients
	between          float64 // between two nodes
	top, bottom, low float64 // of the boxes; top of the clients
}

// barH returns the height of the bar that runs out.
func (h *Holdings) barH() float64 { return max(4, 6*h.f.Sizes.K) }

// sizeRemotes gives every part its smallest good height.
func (h *Holdings) sizeRemotes(level int) {
	f := h.f
	m, z := &f.Sizes, &h.sizes
	*z = remoteSizes{level: level, name: m.Name, small: m.Small, stand: max(13.5, 18*m.K),
		head: m.Bold.Size + max(7, 12*m.K), pad: max(4, 9*m.K), gap: max(3, 6*m.K),
		lane: max(28, 44*m.K), between: max(5, 12*m.K)}
	z.card = m.Name.Size + max(6, 8*m.K)
	z.foot = z.stand + max(6, 11*m.K)
	z.tab = m.Note.Size + max(7, 12*m.K)
	switch {
	case level >= 3:
		z.card = m.Name.Size + 2*m.Small.Size + max(11, 17*m.K)
	case level == 2:
		z.card = m.Name.Size + m.Small.Size + max(8, 12*m.K)
	}
	for i := range h.systems {
		if h.systems[i].follows() {
			z.track = f.LaneH() + 2
		}
	}
}

// boxWidth returns the width of every node.
func (h *Holdings) boxWidth() float64 {
	n := float64(len(h.boxes))
	return (h.f.Inner().W - h.sizes.between*(n-1)) / n
}

// gridRemotes finds the columns and rows of each system's entries. It returns the height of the nodes, at most most if
// possible.
func (h *Holdings) gridRemotes(most float64) (height float64) {
	z, k := &h.sizes, h.f.Sizes.K
	width := h.boxWidth() - 2*z.pad
	narrow := [...]float64{52, 52, 56, max(66, 84*k)}[z.level]
	one := z.tab + z.card + z.foot
	frame := z.head + z.pad
	for i := range h.systems {
		y := &h.systems[i]
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

// Place places the nodes and the clients. If the height is small, cards say less, and then clients.
func (h *Holdings) Place() {
	f := h.f
	in, m, z := f.Inner(), &f.Sizes, &h.sizes
	free := in.H - m.StripH - m.Margin*0.6
	n := f.Here()
	words := m.Bold.Size*1.3 + m.Small.Size*2.5
	people := func(r float64) float64 { return 2.1*floor.RingOf(r) + words }
	large, middle, small := people(max(9, 20*m.K)), people(max(9, 13*m.K)), people(8.4)
	if rows := n / max(int(in.W/leastClient), 1); rows > 0 && n <= floor.MaxGrid { // keep the letters
		large = max(large, float64(rows+1)*leastClient*1.1)
		small = max(small, large)
	}
	var height float64
	for _, try := range [...]struct {
		level  int
		people float64
	}{{3, large}, {3, middle}, {2, middle}, {2, small}, {2, small - words}, {1, small - words}} {
		h.sizeRemotes(try.level)
		rest := free - z.track - z.lane
		if n > 0 {
			rest -= try.people
		}
		if height = h.gridRemotes(1e6); height <= rest {
			h.spreadRemotes(rest-height, n)
			break
		}
	}
	height = h.gridRemotes(free - z.track)
	if n == 0 {
		z.lane = 0
	}
	z.top = in.Y + z.track
	z.bottom = min(z.top+height, in.Y+free)
	z.low = z.bottom + z.lane
	f.Box = geom.R(in.X, z.top, in.W, z.bottom-z.top)
	h.placeBoxes(in.X)
	f.Routes = floor.Routing{Rows: 1, Cols: max(n, 1), Pitch: in.W / float64(max(n, 1)), Left: in.X}
	if n > 0 {
		f.PlaceRow(geom.R(in.X, z.low, in.W, in.Y+free-z.low))
	}
}

// spreadRemotes distributes the height that is left over, first to the lane. If there are clients, they take the rest.
func (h *Holdings) spreadRemotes(left float64, clients int) {
	z, k := &h.sizes, h.f.Sizes.K
	rows := 1.0
	for i := range h.systems {
		rows = max(rows, float64(h.systems[i].rows))
	}
	take := func(v *float64, times, most float64) {
		d := min(left/times, most)
		*v += d
		left -= d * times
	}
	take(&z.lane, 1, 36*k)
	if level := h.sizes.level; level >= 3 { // larger cards
		grow := min(1.4, 1+left*0.4/rows/z.card, max(1, (h.boxWidth()-2*z.pad)/h.widestCols()/(150*k)))
		left -= rows * z.card * (grow - 1)
		z.card, z.name.Size, z.small.Size = z.card*grow, z.name.Size*grow, z.small.Size*min(grow, 1.25)
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
func (h *Holdings) widestCols() float64 {
	n := 1
	for i := range h.systems {
		n = max(n, h.systems[i].cols)
	}
	return float64(n)
}

// placeBoxes places the nodes side by side.
func (h *Holdings) placeBoxes(x float64) {
	z, w := &h.sizes, h.boxWidth()
	for i := range h.boxes {
		h.boxes[i] = geom.R(x+float64(i)*(w+z.between), z.top, w, z.bottom-z.top)
	}
}

// cellRect returns the area of an item at a node, from above its card to below it; false if it has no place.
func (h *Holdings) cellRect(node int, y *remoteSystem, k int) (geom.Rect, bool) {
	z, b := &h.sizes, h.boxes[node]
	k -= y.from
	if k >= y.cols*y.rows {
		return geom.Rect{}, false
	}
	one := z.tab + z.card + z.foot
	pitch := (b.W - 2*z.pad) / float64(y.cols)
	return geom.R(b.X+z.pad+float64(k%y.cols)*pitch, b.Y+z.head+float64(k/y.cols)*(one+z.gap), pitch, one), true
}

// cardRect returns the card within a cell.
func (h *Holdings) cardRect(cell geom.Rect) geom.Rect {
	z, k := &h.sizes, h.f.Sizes.K
	w := min(cell.W-max(2, min(10*k, cell.W*0.05)), max(280*k, 190))
	return geom.R(cell.MidX()-w/2, cell.Y+z.tab, w, z.card)
}

// Height returns the height of the nodes below the clients and of the lane to them.
func (h *Holdings) Height(level int) float64 {
	f := h.f
	z := &h.sizes
	h.sizeRemotes(level)
	z.lane = max(24, 34*f.Sizes.K)
	z.tab *= 0.4 // no name stands above cards
	if level < 2 {
		z.foot -= z.stand
		z.stand = max(13.5, 13*f.Sizes.K)
		z.foot += z.stand
	}
	return z.lane + z.track + h.gridRemotes(f.Options.Height*0.3) + max(3, 6*f.Sizes.K)
}

// PlaceBelow places the nodes below the clients.
func (h *Holdings) PlaceBelow() {
	f := h.f
	if f.Sizes.RemotesH == 0 {
		return
	}
	in, z := f.Inner(), &h.sizes
	z.low = in.Bottom() - f.Sizes.StripH - f.Sizes.Margin*0.6
	z.top = z.low + z.lane + z.track
	z.bottom = z.low + f.Sizes.RemotesH - max(3, 6*f.Sizes.K)
	h.placeBoxes(in.X)
}
