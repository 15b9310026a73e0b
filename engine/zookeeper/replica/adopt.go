package replica

import (
	"bytes"
	"fmt"
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
)

// adopt makes the truth equal to the state of a new leader, because all other servers learn from it. A correct
// leader has everything that was ever applied. With a flaw, znodes that it lacks are deleted, and znodes that it
// brings back are created again.
func (g *Group) adopt(r *Replica, cause event.Seq) {
	if g.truth == nil || g.truth.Zxid() == r.Core.Zxid() {
		return
	}
	before := g.truth
	truth, err := server.Restore(g.cfg.Server(0, 0), r.Core.Snapshot(nil))
	if err != nil {
		panic(fmt.Sprintf("what server %d of an ensemble has, as a leader: %v", r.ID, err)) // a server wrote it
	}
	for _, at := range slices.Backward(below(before, "/")) {
		if _, there := truth.Tree().Stat(at); !there {
			g.emit(event.Event{Kind: event.ZnodeDeleted, Path: at, Reason: event.ByFailover, Cause: cause})
		}
	}
	for _, at := range below(truth, "/") {
		if e, is := changedBy(before, truth, at); is {
			e.Cause = cause
			g.emit(e)
		}
	}
	truth.Log(g.record)
	g.truth = truth
}

// changedBy returns the event for a znode of a new leader if the znode was another one before or had other data.
func changedBy(before, now *server.Server, at string) (event.Event, bool) {
	was, there := before.Tree().Stat(at)
	is, _ := now.Tree().Stat(at)
	had, _ := before.Tree().Data(at)
	data, _ := now.Tree().Data(at)
	e := event.Event{Kind: event.ZnodeChanged, Path: at, Zxid: is.Mzxid, Reason: event.ByFailover,
		Text: event.Preview(data), N: int64(len(data))}
	if there && was.Czxid == is.Czxid {
		return e, !bytes.Equal(had, data)
	}
	mode, _ := now.Tree().Mode(at)
	e.Kind, e.Zxid, e.Session, e.Mode = event.ZnodeCreated, is.Czxid, is.EphemeralOwner, uint8(mode)
	for _, s := range now.Sessions() {
		if s.ID == is.EphemeralOwner {
			e.Peer = s.Actor
		}
	}
	return e, true
}

// below lists the paths of a znode's descendants, parents before children.
func below(s *server.Server, at string) (all []string) {
	names, _ := s.Tree().Children(at)
	for _, name := range names {
		child := path.Join(at, name)
		all = append(append(all, child), below(s, child)...)
	}
	return all
}
