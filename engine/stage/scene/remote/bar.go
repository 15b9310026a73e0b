package remote

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// planBar plans how long an entry lasts: a bar that runs out, or a sign that it never expires.
func (ks *keys) planBar(p *keyPlan, x *view.Entry, track geom.Rect) {
	f := ks.f
	level := ks.sizes.level
	a := text.Face{Size: ks.sizes.small.Size}
	if x.Expires == 0 {
		r := track.H * 0.62
		p.forever = geom.Round{X: track.X + 2*r + 1, Y: track.MidY(), R: r}
		says := a.Fit(track.W-5*r, f.Phrase("scene.forever"), f.Phrase("scene.forever.short"))
		if level < 2 {
			says = ""
		}
		p.time = text.At(says, track.X+5.6*r, track.MidY()+a.Size*0.36, a, text.Start, text.InkSoft, track.W)
		noted := len(f.Marks)
		f.Shows(mark.Ends, p.id, "never", geom.Around(p.forever.X, p.forever.Y, 2*r))
		f.Saying(noted, f.Phrase("scene.forever"))
		return
	}
	part, rest := ks.EntryLeft(x)
	p.left, p.low = part, part < 0.25
	says := f.Seconds(rest.Seconds())
	p.bar = track
	if w := a.Width(says); w+a.Size*2.6 <= track.W && level >= 2 {
		p.bar.W -= w + a.Size*0.5
		p.time = text.At(says, track.Right(), track.MidY()+a.Size*0.36, a, text.End, text.InkPlain, w)
	}
	noted := len(f.Marks)
	f.Shows(mark.Ends, p.id, f.TenthsOf(part), p.bar)
	f.Saying(noted, f.Phrase("scene.ends", says))
}

// EntryLeft returns an entry's remaining time by its node's clock, as a part and as a duration.
func (h *Holdings) EntryLeft(x *view.Entry) (part float64, rest time.Duration) {
	f := h.f
	r := f.State.Remotes.Get(x.Node)
	rest = x.Expires - f.ClockNow()
	if r != nil {
		rest -= r.Ahead
	}
	return f.PartLeft(rest, x.Lasts)
}

// ByKey reports whether clients are inside by keys of one node, or of replicated ones.
func (h *Holdings) ByKey() bool {
	if len(h.systems) != 1 {
		return false
	}
	y := &h.systems[0]
	return (y.kind == event.RedisSystem || y.kind == event.EtcdSystem) && (y.all == 1 || !y.apart)
}
