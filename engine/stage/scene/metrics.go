package scene

// metrics are the sizes that follow from the picture's size alone.
type metrics struct {
	k      float64 // 1 on an ordinary desktop stage
	margin float64
	pad    float64 // inside ZooKeeper's box
	corner float64
	bold   face
	small  face
	note   face // small and bold
	name   face // for a znode's name
	rootH  float64
	stripH float64
	storeH float64 // height of the store below the clients, 0 for none
	// serversH is the height of the servers above ZooKeeper's box, 0 for a standalone server.
	serversH float64
	remotesH float64 // height of other systems' nodes below the clients, with the lane to them; 0 for none
	// tight reports whether the servers leave too little height, so that they and the queue are drawn lower.
	tight bool
	line  float64 // width of a watch's line
}

// tallFrom is the ratio of height to width above which a picture has height to spare.
const tallFrom = 1.3

// minText is the smallest text size, in px.
const minText = 10

// measure finds the sizes that follow from the picture's size.
func (g *setting) measure() {
	k := min(g.o.Width/760, g.o.Height/470)
	if tall := g.o.Height / g.o.Width; tall > tallFrom { // half of a stage: it uses its height for larger words
		k *= min(1+1.5*(tall-tallFrom), 1.5)
	}
	k = min(max(k, 0.45), 2.2)
	text := func(px float64) float64 { return max(minText, px*k) }
	m := &g.m
	*m = metrics{
		k: k, margin: max(5, 22*k), pad: max(5, 14*k), corner: 12 * k,
		bold:  face{size: text(12.5), bold: true},
		small: face{size: text(10.5)}, note: face{size: text(10.5), bold: true},
		name: face{size: text(11.5), mono: true},
		line: max(1.3, 2*k),
	}
	m.rootH = m.name.size + max(6, 12*k)
	m.stripH = m.bold.size + max(6, 16*k)
}

// rowHeight returns the height of a queue in one row, its clients and the strip, without words. It doesn't depend on
// the number of clients, so nothing moves as they come and go.
func (q *queue) rowHeight() float64 {
	p := bands{rows: 1, cols: 1, pitch: max(150*q.m.k, 112)}
	q.size(&p)
	return p.height() - p.words + q.m.stripH + q.m.margin*0.6
}

// inner returns the picture without its margin, servers, other nodes and store: the area for ZooKeeper, the clients and
// the strip.
func (g *setting) inner() rect {
	r := rect{g.m.margin, g.m.margin, g.o.Width - 2*g.m.margin, g.o.Height - 2*g.m.margin}
	r.y, r.h = r.y*0.7, r.h+r.y*0.6 // smaller margins at the top and the bottom
	r.y, r.h = r.y+g.m.serversH, r.h-g.m.serversH-g.m.storeH-g.m.remotesH
	return r
}

// foot returns the lower end of the picture without its margin.
func (g *setting) foot() float64 { return g.inner().bottom() + g.m.remotesH + g.m.storeH }
