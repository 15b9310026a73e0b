package observe

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// report logs a znode that is new or has new data, and how much of it was missed.
func (o *observer) report(path string, n *observed, stat *zoo.Stat, data []byte) {
	first, old := !n.read, n.stat
	n.stat, n.read = *stat, true
	found := first && stat.Czxid <= o.since
	changed := stat.Mzxid != old.Mzxid
	var happened, logged int
	switch {
	case found:
		changed = stat.Mzxid > o.since && o.missed.tallies[path] != tally{}
		if changed {
			happened, logged = 1, 1
		}
	case first:
		changed = false
		happened, logged = 1+int(stat.Version), 1
		o.missed.countNew(path, n)
	case changed:
		happened, logged = int(stat.Version-old.Version), 1
	}
	o.missed.settle(path, happened, logged)
	if first {
		o.show(path, stat, data, found)
		o.tree.addChild(path)
	}
	if changed {
		o.log.emit(event.Event{Kind: event.ZnodeChanged, Path: valid(path), Text: event.Preview(data),
			N: int64(stat.DataLength), Zxid: stat.Mzxid})
	}
}

// show logs a znode that was not in the log: as found if it existed before the log began, else as created.
func (o *observer) show(path string, stat *zoo.Stat, data []byte, found bool) {
	who := o.owners.addZnode(stat.EphemeralOwner)
	o.tree.nodes[path].owner = who
	e := event.Event{Kind: event.ZnodeCreated, Path: valid(path), Text: event.Preview(data), N: int64(stat.DataLength),
		Zxid: stat.Czxid, Session: stat.EphemeralOwner, Peer: who.client(),
		Mode: uint8(replay.GuessMode(path, stat.EphemeralOwner != 0, o.tree.childrenMade(path, found)))}
	if found {
		e.Kind, e.N, e.Code = event.ZnodeFound, stat.Ctime, stat.DataLength
		o.log.emit(e)
		return
	}
	o.log.emit(e)
	o.log.emit(event.Event{Kind: event.ZnodeFound, Path: e.Path, N: stat.Ctime})
}
