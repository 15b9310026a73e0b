package story

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// before is what an event is about to change.
type before struct {
	torn, twice int         // what the store counts that it writes to
	owner       event.Actor // of the entry that goes
}

func (r *reader) before(e event.Event) (b before) {
	switch e.Kind {
	case event.StoreWritten:
		if s := r.store(e.Path); s != nil {
			b.torn, b.twice = s.Torn, s.Twice
		}
	case event.EntryGone:
		b.owner = r.owners[lasting{kind: Keeps, actor: e.Actor, path: e.Path}]
	case event.LeaseEnded:
		b.owner = e.Peer
	}
	return b
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
func (r *reader) mark(e event.Event, was before) {
	m := Mark{Seq: e.Seq, Actor: e.Actor, At: e.At, Text: e.Text, N: e.N}
	switch e.Kind {
	case event.SessionExpired:
		m.Kind, m.Peer = Expired, e.Peer
		if l := r.state.Ensemble.Leader(); l != 0 {
			m.Actor = l
		}
	case event.EntryGone, event.LeaseEnded:
		if e.Reason != event.ByTimer && e.Reason != event.ByLease || was.owner.Kind() != event.AClient {
			return
		}
		m.Kind, m.Peer = Expired, was.owner
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
		r.written(&m, e, was)
	default:
		return
	}
	r.marks = append(r.marks, m)
}

// written says how a store took a write. The mark is on the store's lane.
func (r *reader) written(m *Mark, e event.Event, was before) {
	m.Kind, m.Peer, m.Actor = Written, e.Actor, event.Store(1)
	for i := range r.state.Stores {
		if r.state.Stores[i].Name == e.Path {
			m.Actor = event.Store(i + 1)
		}
	}
	s := r.store(e.Path)
	switch {
	case e.Kind == event.StoreRefused:
		m.Kind = Refused
	case s != nil && s.Torn > was.torn:
		m.Kind = Torn
	case s != nil && s.Twice > was.twice:
		m.Kind = Twice
	}
}
