package taps

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// Seen is what a tap tells about a lock.
type Seen struct {
	Path    *Path    `json:"figures,omitempty"` // left out if the tap has no row for it
	SpanS   float64  `json:"recent_s"`          // what its recent figures cover, in seconds
	Through int      `json:"through"`           // how many of the named holders and waiters are connected through the tap
	Named   int      `json:"named"`             // how many are named
	Unseen  []string `json:"unseen,omitempty"`  // the others' sessions: what they ask it can't see
	// Told has what the named ones that it sees were told last, by session.
	Told map[string]*Told `json:"told,omitempty"`

	of *Figures
}

// Of returns what the tap tells about a lock, whose path is outer on the servers.
func (f *Figures) Of(r *locks.Row, outer string) *Seen {
	s := &Seen{Path: f.path(outer), SpanS: f.SpanS, Told: map[string]*Told{}, of: f}
	for i := range r.Holding {
		s.count(r.Holding[i].Session, outer)
	}
	for i := range r.Waiters {
		s.count(r.Waiters[i].Session, outer)
	}
	return s
}

func (s *Seen) count(session int64, outer string) {
	if session == 0 {
		return
	}
	s.Named++
	id := handover.SessionText(session)
	if !s.of.open[id] {
		s.Unseen = append(s.Unseen, id)
		return
	}
	s.Through++
	if t := s.of.told[id]; t != nil && window.Within(t.Path, outer) { // a client may watch elsewhere, too
		s.Told[id] = t
	}
}

// path returns the row for a lock: its own, or the busiest one below it, as with a lock that keeps its znodes in
// folders.
func (f *Figures) path(outer string) (below *Path) {
	for i := range f.Paths {
		switch p := &f.Paths[i]; {
		case p.Path == outer:
			return p
		case below == nil && strings.HasPrefix(p.Path, outer+"/"):
			below = p
		}
	}
	return below
}

// Says returns what the tap tells about the lock; nothing if it has never seen it, or any of its clients.
func (s *Seen) Says() (all []sentence.Sentence) {
	if p := s.Path; p != nil {
		all = append(all, s.rate(p))
		if p.Recent.Errors > 0 {
			all = append(all, sentence.Of("taps.failed", sentence.Number(p.Recent.Errors)))
		}
		if p.Woken > 0 {
			all = append(all, sentence.Of("taps.woken", sentence.Number(p.Woken)))
		}
	}
	switch {
	case s.Path == nil && s.Through == 0:
		return nil
	case s.Named == 0:
	case len(s.Unseen) == 0:
		all = append(all, sentence.Of("taps.seen.all", sentence.Number(s.Named)))
	default:
		all = append(all, sentence.Of("taps.seen", sentence.Number(s.Through), sentence.Number(s.Named),
			sentence.Texts(s.Unseen)))
	}
	return all
}

func (s *Seen) rate(p *Path) sentence.Sentence {
	span := sentence.Number(int(max(s.SpanS, 0)))
	if p.Recent.Requests <= 0 || s.SpanS <= 0 {
		return sentence.Of("taps.idle", span)
	}
	took := time.Duration(p.Recent.P99 * float64(time.Millisecond))
	return sentence.Of("taps.rate", sentence.Text(sentence.Tenths(float64(p.Recent.Requests)/s.SpanS)),
		sentence.Text(LatencyText(took)), span)
}

// Client says what the tap knows about a holder or waiter: what it was told last, or that the tap doesn't see it.
func (s *Seen) Client(session int64) sentence.Sentence {
	if session != 0 && !s.of.open[handover.SessionText(session)] {
		return sentence.Of("taps.unseen")
	}
	return s.LastTold(session)
}

// LastTold says which watch event a client received last; nothing if the tap knows of none.
func (s *Seen) LastTold(session int64) (said sentence.Sentence) {
	if t := s.Told[handover.SessionText(session)]; t != nil {
		return LastTold(t.Type, t.Path, s.of.Time.Sub(t.Time), t.Asked != nil)
	}
	return said
}

// reacts is how long a client may take to react to a watch event.
const reacts = time.Second

// LastTold says which watch event a client received last, how long ago, and whether it has asked anything since.
func LastTold(what, path string, ago time.Duration, asked bool) sentence.Sentence {
	key := "tap.told"
	if !asked && ago >= reacts {
		key = "tap.told.silent"
	}
	return sentence.Of(key, sentence.Text(what), sentence.Text(path),
		sentence.Sentences(handover.Lapse(ago.Milliseconds())))
}
