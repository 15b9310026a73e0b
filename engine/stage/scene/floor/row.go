package floor

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// RingOf returns the radius of the session ring around a disc of radius r.
func RingOf(r float64) float64 { return r * 1.36 }

// pitchGrid is the arrangement of a group of clients.
type pitchGrid struct {
	cols           int
	pitch, cell, R float64
	gap            float64 // from a client to the gutter beside it; 0 if its own link is free
	Words          bool    // the words fit under the clients
	brief          bool    // but without their notes
}

// Spot returns the place of the k-th client of a group in its area.
func (g *pitchGrid) Spot(k int, area geom.Rect, slot int32) Spot {
	p := Spot{
		X: area.X + (float64(k%g.cols)+0.5)*g.pitch, Y: area.Y + float64(k/g.cols)*g.cell + RingOf(g.R)*1.1,
		R: g.R, Slot: slot, Col: int32(k % g.cols), Dot: g.small(), Gap: g.gap, Brief: g.brief,
	}
	if g.Words {
		p.Room = max(g.pitch-4, min(g.pitch-1, 42)) // on half of a phone, each pixel counts
	}
	return p
}

// small reports whether the clients are dots.
func (g *pitchGrid) small() bool { return g.R < 5 }

// GroupGrid makes the clients of a group as large as they fit. It prefers one row with words if that leaves them a good
// size.
func (f *Floor) GroupGrid(n int, area geom.Rect) (best pitchGrid) {
	m := &f.Sizes
	n = max(n, 1)
	best = pitchGrid{cols: n, pitch: area.W / float64(n), R: 0.1}
	for rows := 1; rows <= n; rows++ {
		g := pitchGrid{cols: (n + rows - 1) / rows}
		g.pitch = area.W / float64(g.cols)
		g.cell = area.H / float64(rows)
		if rows == 1 && g.pitch >= 40 {
			words, notes := m.Bold.Size*1.3+m.Small.Size*2.5, 0.0
			if f.Routes.Tree {
				notes = f.NotesH()
			}
			for _, under := range [...]float64{words + notes, words} {
				if r := min(g.pitch*0.31, (area.H-under)/3, 30*m.K); r >= 8 {
					g.R, g.Words, g.brief = r, true, under < words+notes
					return g
				}
			}
		}
		g.R = min(g.pitch*0.31, g.cell/3, 26*m.K)
		if rows > 1 {
			g.gap = g.pitch / 2
			g.cell = min(g.cell, g.R*3.4)
		}
		if g.R > best.R*1.05 {
			best = g
		}
	}
	return best
}

// Takes reports whether client i takes items out. Before it starts, that is unknown: the second half counts as such.
func (t *cast) Takes(i int) bool {
	if role := t.State.Clients[i].Role; role != "" {
		return role == t.State.Header.Drawing.Taker
	}
	return i >= len(t.State.Clients)/2
}

// Below reports whether a path lies below the root.
func (g *Setting) Below(p string) bool {
	r := g.State.Root
	return r == "/" || r == "" || len(p) > len(r) && p[len(r)] == '/' && p[:len(r)] == r
}

// PlaceRow places all clients in one area.
func (f *Floor) PlaceRow(area geom.Rect) {
	g := f.GroupGrid(f.Here(), area)
	var named []int
	if g.small() && (f.Visitors || f.Observed) {
		const pitch = 52
		named = f.named(int(area.W * 0.4 / pitch))
		left := area
		left.W = pitch * float64(len(named))
		area.X, area.W = area.X+left.W, area.W-left.W
		g = f.GroupGrid(f.Here()-len(named), area)
		g.R = min(g.R, 4.9) // the others stay dots in the rest of the area
		for k, i := range named {
			r := min(16, left.H/3)
			f.Spots[i] = Spot{X: left.X + (float64(k)+0.5)*pitch, Y: left.Y + RingOf(r)*1.1, R: r, Slot: -1, Col: int32(k),
				Room: pitch - 4}
		}
	}
	f.Routes.Pitch = g.pitch
	if g.gap > 0 {
		f.Crowded = true
	}
	k := -1
	for i := range f.Spots {
		if f.HasLeft(&f.State.Clients[i]) {
			f.Spots[i].Slot = -1
			continue
		}
		if slices.Contains(named, i) {
			continue
		}
		k++
		f.Spots[i] = g.Spot(k, area, -1)
	}
}

// named returns the clients that have letters while all others are dots: the selected one, and some of those that have
// the lock.
func (f *Floor) named(most int) (who []int) {
	chosen := f.Chosen()
	for i := range f.State.Clients {
		k := f.Owned[i]
		selected := f.State.Clients[i].Name == f.Options.Selected || k >= 0 && chosen == f.State.Tree.Nodes[k].Path
		switch {
		case f.HasLeft(&f.State.Clients[i]) || !selected && !f.Lit(i):
		case len(who) < most:
			who = append(who, i)
		case selected && most > 0:
			who[most-1] = i
		}
	}
	return who
}

// NotesH returns the height of the notes below the clients, if there are any.
func (f *Floor) NotesH() float64 {
	if slices.ContainsFunc(f.State.Clients, func(c view.Client) bool { return c.Note != "" && !c.Crashed }) {
		return f.Sizes.Small.Size * 1.6
	}
	return 0
}

// Here counts the clients that are shown.
func (t *cast) Here() int {
	n := 0
	for i := range t.State.Clients {
		if !t.HasLeft(&t.State.Clients[i]) {
			n++
		}
	}
	return n
}
