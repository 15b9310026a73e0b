package remote

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// saysOf returns a card's second line: the value or why it is gone; without a third line, that it is uncommitted.
func (ks *keys) saysOf(p *keyPlan, x *view.Entry, room float64) string {
	f := ks.f
	a := ks.sizes.small
	switch {
	case x.Gone:
		long, short := ks.whyGone(x.Why)
		return a.Fit(room, long, short)
	case p.look == keyInDoubt && ks.sizes.level < 3:
		return a.Fit(room, f.Phrase("scene.uncommitted"), f.Phrase("scene.uncommitted.short"))
	}
	return f.Cut(x.Text, a, room)
}

// whyGone says why an entry is gone, in full and in short.
func (ks *keys) whyGone(why event.Reason) (long, short string) {
	f := ks.f
	key := "scene.deleted"
	switch why {
	case event.ByTimer:
		key = "scene.expired"
	case event.ByRollback:
		key = "scene.rolled-back"
	case event.ByLease:
		key = "scene.lease-over"
	case event.ByFailover:
		return f.Phrase("scene.lost-in-failover"), f.Phrase("scene.phase.lost")
	case event.ByRestart:
		return f.Phrase("scene.lost-in-restart"), f.Phrase("scene.phase.lost")
	}
	s := f.Phrase(key)
	return s, s
}

// versionOf returns an entry's version, with the letter of the client that wrote it in a row, or its revision, or "" if
// it has neither. A locked row that has a column for its version gets no second letter.
func (ks *keys) versionOf(x *view.Entry, kind event.SystemKind, lettered bool) string {
	f := ks.f
	switch {
	case x.Version == 0:
		return ""
	case kind == event.EtcdSystem, kind == event.NATSSystem:
		return f.Phrase("scene.revision", f.Num(x.Version).Label())
	}
	version := f.Phrase("scene.version.short", f.Num(x.Version).Label())
	own := lettered && strings.HasSuffix(x.Text, f.Say("version ").Num(x.Version).Label())
	if c := f.Client(x.Owner); c >= 0 && !own && isStock(x, kind) {
		return f.Say(text.Letter(c), " · ", version).Label()
	}
	return version
}
