package story

import (
	"slices"

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
		if i := r.store(e.Path); i >= 0 {
			b.torn, b.twice = r.state.Stores[i].Torn, r.state.Stores[i].Twice
		}
	case event.EntryGone:
		b.owner = r.owners[lasting{kind: Keeps, actor: e.Actor, path: e.Path}]
	case event.LeaseEnded:
		b.owner = e.Peer
	}
	return b
}

// store returns the index of the store with a name, or -1.
func (r *reader) store(name string) int {
	return slices.IndexFunc(r.state.Stores, func(s view.Store) bool { return s.Name == name })
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
	i := r.store(e.Path)
	m.Kind, m.Peer, m.Actor = Written, e.Actor, event.Store(max(i, 0)+1)
	switch {
	case e.Kind == event.StoreRefused:
		m.Kind = Refused
	case i >= 0 && r.state.Stores[i].Torn > was.torn:
		m.Kind = Torn
	case i >= 0 && r.state.Stores[i].Twice > was.twice:
		m.Kind = Twice
	}
}
