package locks

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Limits of the holds of the last hour. If there are too many in total, the limit for each lock is halved, down to
// fewestHolds, for which there is always room: that thins the busiest. Once there is much room again, it is doubled.
const (
	MaxHolds    = 250_000 // of all, which take about 35 MB, about 28 MB by holds.HoldBytes
	mostHolds   = 4096    // of each
	fewestHolds = 8       // MaxThings times this is less than MaxHolds
	holdsSlack  = MaxHolds / 4
)

// budget bounds the holds that are kept.
type budget struct {
	most int // of all
	n    int // that are kept
	each int // limit for each thing
	news int // since the limit was last set
}

// slack returns how many more there is room for after thinning.
func (b *budget) slack() int { return b.most / 4 }

// usual is what is usual for a thing, as last computed.
type usual struct {
	holds.Usual
	news   int   // of the Past
	minute int64 // since 1970
}

// end notes a hold that has ended.
func (t *thing) end(h holds.Hold) {
	h.AtOnce = t.use.AtOnce()
	t.ended = append(t.ended, h)
}

// unfound returns the missing holders whose znodes haven't been found again.
func (t *thing) unfound() []handover.Hand {
	if len(t.missing) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.missing), func(h handover.Hand) bool {
		n, there := t.of.Node(h.Path)
		return there && n.Session == h.Session
	})
}

// endUnseen notes those that held it before the tree was read again, and whose znodes have gone by timeMS. Nobody saw
// when and why.
func (t *thing) endUnseen(timeMS int64) {
	for _, was := range t.unfound() {
		t.end(holds.Of(&handover.Change{TimeMS: timeMS, Hand: was, Reason: event.ByUnknown, Unsure: true}))
	}
	t.missing = nil
}

func (t *thing) pastLen() int {
	if t.past == nil {
		return 0
	}
	return t.past.Len()
}

// keepHolds keeps the holds that ended in a transaction.
func (l *Locks) keepHolds(t *thing, timeMS int64) {
	if len(t.ended) == 0 {
		return
	}
	if t.past == nil {
		t.past = &holds.Past{}
	}
	was := t.past.Len()
	t.past.Expire(timeMS)
	for i := range t.ended {
		t.past.Add(t.path, &t.ended[i], l.past.each)
	}
	l.past.n += t.past.Len() - was
	l.past.news += len(t.ended)
	t.ended = nil
	if l.past.n > l.past.most || l.past.news > l.past.slack() {
		l.thin(timeMS)
	}
}

// thin forgets what is older than an hour. Then it sets the limit for each thing so that there is room for slack
// more: that many come before it is called again.
func (l *Locks) thin(nowMS int64) {
	b := &l.past
	each := func(do func(p *holds.Past)) {
		b.n = 0
		for _, t := range l.things {
			if t.past == nil {
				continue
			}
			if do(t.past); t.past.Len() > 0 {
				b.n += t.past.Len()
			}
		}
	}
	b.news = 0
	each(func(p *holds.Past) { p.Expire(nowMS) })
	if b.n < b.slack() && b.each < mostHolds {
		b.each *= 2
	}
	for b.n > b.most-b.slack() && b.each > fewestHolds {
		b.each /= 2
		each(func(p *holds.Past) { p.Limit(b.each) })
	}
}

// usually returns for how long it was usually held and awaited in the hour before nowMS.
func (t *thing) usually(nowMS int64) holds.Usual {
	u := &t.usual
	if minute := nowMS / 60_000; t.past != nil && (u.news != t.past.News() || u.minute != minute) {
		*u = usual{t.past.Usual(nowMS), t.past.News(), minute}
	}
	return u.Usual
}

// Hour returns how the lock at a path was held in the hour before nowMS, in ms since 1970. While it can't be told who
// holds it, nobody is named. It returns false if nothing is known of a lock there.
func (l *Locks) Hour(path string, nowMS int64, k Known) (h holds.History, ok bool) {
	t := l.things[path]
	if t == nil || l.fromMS == 0 || t.pastLen() == 0 && (!l.shown(t) || k.lacks(t)) {
		return h, false
	}
	nowMS = max(nowMS, l.lastMS)
	h = t.past.History(t.path, l.fromMS, nowMS)
	h.Missed = t.flow.missedMS != 0 && t.flow.missedMS >= h.SinceMS
	for _, hand := range t.of.Holding() {
		if k.lacks(t) {
			break
		}
		one := holds.Present(&hand)
		one.AtOnce = t.use.AtOnce()
		h.Now = append(h.Now, one)
	}
	for _, list := range [...][]holds.Hold{h.Now, h.Ended} {
		for i := range list {
			list[i].Addr = k.client(list[i].Session).Addr
		}
	}
	return h, true
}

// FromMS returns since when locks are followed, in ms since 1970; 0 if they aren't yet.
func (l *Locks) FromMS() int64 { return l.fromMS }

// Selected reports whether a filter selects a change: of hand-overs and of clients that left the line, those for a
// reason and of a client. addr returns the address of a session, as far as it is known.
func (c *Change) Selected(f *holds.Filter, addr func(session int64) string) bool {
	has := func(why handover.Why, all ...*handover.Node) bool {
		return f.Ended(why) && slices.ContainsFunc(all, func(n *handover.Node) bool {
			return n.Path != "" && f.Client(n.Session, addr(n.Session), n.Data)
		})
	}
	switch {
	case c.Quit != nil:
		return has(c.Quit.Why(), &c.Quit.Node)
	case c.Turn == nil:
		return true
	case c.Turn.From.Path == "":
		return has("", &c.Turn.To.Node)
	}
	lost := handover.Change{Hand: c.Turn.From, Reason: c.Turn.Reason, By: c.Turn.By}
	return has(lost.Why(), &c.Turn.From.Node, &c.Turn.To.Node)
}

// Unusual says that a client has held it for far longer than usual; nothing if it hasn't. nowMS is in ms since 1970.
func (r *Row) Unusual(h *Holder, nowMS int64) (s sentence.Sentence) {
	if r.Use == naming.Election {
		return s // a leader leads until its end
	}
	if s = r.Usual.Says(r.At(nowMS) - h.GotMS); s.Key != "" {
		s = r.seen("hands.seen", s, nowMS)
	}
	return s
}
