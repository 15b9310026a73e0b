package floor

import (
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// tallFrom is the ratio of height to width above which a picture has height to spare.
const tallFrom = 1.3

// Measure finds the sizes that follow from the picture's size.
func (g *Setting) Measure() {
	k := min(g.Options.Width/760, g.Options.Height/470)
	if tall := g.Options.Height / g.Options.Width; tall > tallFrom { // half of a stage: larger words
		k *= min(1+1.5*(tall-tallFrom), 1.5)
	}
	k = min(max(k, 0.45), 2.2)
	size := func(px float64) float64 { return max(text.MinSize, px*k) }
	m := &g.Sizes
	*m = paint.Sizes{
		K: k, Margin: max(5, 22*k), Pad: max(5, 14*k), Corner: 12 * k,
		Bold:  text.Face{Size: size(12.5), Bold: true},
		Small: text.Face{Size: size(10.5)}, Note: text.Face{Size: size(10.5), Bold: true},
		Name: text.Face{Size: size(11.5), Mono: true},
		Line: max(1.3, 2*k),
	}
	m.RootH = m.Name.Size + max(6, 12*k)
	m.StripH = m.Bold.Size + max(6, 16*k)
}

// Inner returns the picture without its margin, servers, other nodes and store: the area for ZooKeeper, the clients and
// the strip.
func (g *Setting) Inner() geom.Rect {
	r := geom.R(g.Sizes.Margin, g.Sizes.Margin, g.Options.Width-2*g.Sizes.Margin, g.Options.Height-2*g.Sizes.Margin)
	r.Y, r.H = r.Y*0.7, r.H+r.Y*0.6 // smaller margins at the top and the bottom
	r.Y, r.H = r.Y+g.Sizes.ServersH, r.H-g.Sizes.ServersH-g.Sizes.StoreH-g.Sizes.RemotesH
	return r
}

// Foot returns the lower end of the picture without its margin.
func (g *Setting) Foot() float64 { return g.Inner().Bottom() + g.Sizes.RemotesH + g.Sizes.StoreH }
