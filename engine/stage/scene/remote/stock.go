package remote

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// isStock reports whether an entry is a row of a database that isn't a lock itself: its client wrote it, but holds
// nothing by that.
func isStock(x *view.Entry, kind event.SystemKind) bool {
	return kind.HasTables() && !strings.HasPrefix(x.Path, "locks/") && !strings.HasPrefix(x.Path, "leases/")
}

// ticketsLeft returns how many tickets are left, if the entry says that.
func (ks *keys) ticketsLeft(p *keyPlan, x *view.Entry, kind event.SystemKind) (string, bool) {
	left, counts := strings.CutPrefix(x.Text, "n=")
	if left, _, counts = strings.Cut(left, ", version "); !counts || x.Gone || p.look != keyThere || !isStock(x, kind) {
		return "", false
	}
	return ks.f.Phrase("scene.tickets-left", left), true
}

// writeStock writes large how many tickets are left, if the entry says that.
func (ks *keys) writeStock(p *keyPlan, x *view.Entry, kind event.SystemKind, in geom.Rect) bool {
	f := ks.f
	s, ok := ks.ticketsLeft(p, x, kind)
	if !ok {
		return false
	}
	a := text.Face{Size: in.H, Bold: true}
	if v := ks.versionOf(x, kind, p.owner >= 0); p.version.Text == "" && v != "" {
		s = f.Say(s, " · ", v).Label()
	}
	a.Size = max(text.MinSize, min(a.Size, a.Size*in.W/max(1, a.Width(s))))
	p.second = text.At(a.Fit(in.W, s), in.X, in.MidY()+a.Size*0.36, a, text.Start, text.InkPlain, in.W)
	return true
}
