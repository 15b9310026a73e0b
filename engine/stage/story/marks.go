package story

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// counts is what a store has counted.
type counts struct{ torn, twice int }

// before returns what the store that an event writes to has counted by then.
func (r *reader) before(e event.Event) (n counts) {
	if e.Kind == event.StoreWritten {
		if s := r.store(e.Path); s != nil {
			n = counts{s.Torn, s.Twice}
		}
	}
	return n
}

func (r *reader) store(name string) *view.Store {
	for i := range r.state.Stores {
		if s := &r.state.Stores[i]; s.Name == name {
			return s
		}
	}
	return nil
}

// mark notes an event that is a moment of the story.
func (r *reader) mark(e event.Event, before counts) {
	m := Mark{Seq: e.Seq, Actor: e.Actor, At: e.At, Text: e.Text, N: e.N}
	switch e.Kind {
	case event.SessionExpired:
		m.Kind, m.Peer = Expired, e.Peer
		if l := r.state.Ensemble.Leader(); l != 0 {
			m.Actor = l
		}
	case event.EntryGone, event.LeaseEnded:
		if e.Reason != event.ByTimer && e.Reason != event.ByLease || e.Peer.Kind() == event.NoActor {
			return
		}
		m.Kind, m.Peer = Expired, e.Peer
	case event.ClientCrashed, event.ServerStopped:
		m.Kind = Crashed
	case event.ClientVanished:
		m.Kind = Vanished
	case event.ClockJumped:
		m.Kind = Jumped
	case event.TxnCommitted:
		m.Kind = Commits
	case event.LinkCut:
		if e.Peer.Kind() != event.AClient {
			return
		}
		m.Kind, m.Peer = Cut, e.Peer
	case event.RecipePhase:
		if p := program.Phase(e.Text); p.Inside() || p == program.Waiting || p == program.Released {
			return
		}
		m.Kind = Reports
	case event.StoreWritten, event.StoreRefused:
		r.written(&m, e, before)
	default:
		return
	}
	r.marks = append(r.marks, m)
}

// written says how a store took a write. The mark is on the store's lane.
func (r *reader) written(m *Mark, e event.Event, before counts) {
	m.Kind, m.Peer, m.Actor, m.Name = Written, e.Actor, event.Store(1), e.Path
	for i := range r.state.Stores {
		if r.state.Stores[i].Name == e.Path {
			m.Actor = event.Store(i + 1)
		}
	}
	s := r.store(e.Path)
	switch {
	case e.Kind == event.StoreRefused:
		m.Kind = Refused
	case s != nil && s.Torn > before.torn:
		m.Kind = Torn
	case s != nil && s.Twice > before.twice:
		m.Kind = Twice
	}
}
