package embed

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// An Ensemble is a source.

func (e *Ensemble) common() *shared      { return e.shared }
func (e *Ensemble) tree() *server.Server { return e.group.Truth() }

func (e *Ensemble) over() bool {
	select {
	case <-e.stop:
		return true
	default:
		return false
	}
}

func (e *Ensemble) listen(emit func(event.Event) event.Seq) error { return e.group.Log(emit) }

func (e *Ensemble) servers() (list []*Server) {
	for _, m := range e.members[1:] {
		list = append(list, m.Server)
	}
	return list
}

func (e *Ensemble) presentServers(o *observation) {
	for _, m := range e.members[1:] {
		o.presentServer(m.self())
	}
}

// presentServer reports a server's state and disk. Its applied transactions appear as one snapshot.
func (o *observation) presentServer(s *ensemble.Server) {
	self := event.Server(int(s.ID()))
	emit := func(e event.Event) {
		e.Actor = self
		o.Take(0, e)
	}
	d := &s.Disk
	emit(event.Event{Kind: event.ServerStarted})
	if d.Accepted > 0 {
		emit(event.Event{Kind: event.EpochPromised, Code: int32(d.Accepted)})
	}
	if d.Current > 0 {
		emit(event.Event{Kind: event.EpochAdopted, Code: int32(d.Current)})
	}
	known := min(s.Delivered(), d.Synced())
	emit(event.Event{Kind: event.SnapshotLoaded, Zxid: int64(known)})
	emit(event.Event{Kind: event.SnapshotSaved, Zxid: int64(known)})
	for _, x := range d.After(known) {
		emit(event.Event{Kind: event.TxnLogged, Zxid: int64(x.Zxid)})
	}
	if z := d.Synced(); z > known {
		emit(event.Event{Kind: event.LogSynced, Zxid: int64(z)})
	}
	if z := s.Delivered(); z > known {
		emit(event.Event{Kind: event.TxnDelivered, Zxid: int64(z)})
	}
	if !s.Up() {
		emit(event.Event{Kind: event.ServerStopped, Reason: event.ServerCrashed})
		return
	}
	n := s.Node()
	leader := event.ZooKeeper
	if n.Leader() != 0 {
		leader = event.Server(int(n.Leader()))
	}
	emit(event.Event{Kind: event.ServerPhase, Text: n.Phase().String(), Peer: leader})
	switch {
	case !n.Serves():
	case n.State() == zab.Leading:
		emit(event.Event{Kind: event.LeaderActivated, Code: int32(d.Current)})
	default:
		emit(event.Event{Kind: event.ServerSynced, Code: int32(d.Current), Zxid: int64(s.Delivered())})
	}
	if s.Paused() {
		emit(event.Event{Kind: event.ServerPaused})
	}
}
