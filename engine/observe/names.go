package observe

import (
	"math"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire/reader"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Names is what an observation goes by that has large trees read for what the names of their znodes say. It reads of
// each znode who owns it and how many children it has, and lists these; data only where it's wanted. The log has such
// data as one more ZnodeFound, without a Zxid. It never is full of events.
type Names struct {
	// Tell reports whether a name says what its znode may be for. Long lists in which none does are looked into last.
	Tell func(name string) bool
	// Want is sent the paths of znodes whose data is wanted.
	Want <-chan string
}

// Limits of an observation with Names.
const (
	MaxNamedNodes    = 50_000  // that are looked for, and as many again that change
	MaxNamedChildren = 200_000 // of one znode
	maxNamedClients  = 9000    // owners of ephemeral znodes at a time, of whom the log has more than a session
	crowd            = 200     // children of one znode of which none has a name that says something
)

// limits are those of one observation.
type limits struct {
	events                   event.Seq
	nodes, children, changed int // changed: znodes that a watch tells of are read as long as there are no more
	clients, queued          int
}

func (a *Observation) limits() limits {
	if a.Names != nil {
		return limits{math.MaxUint32, MaxNamedNodes, MaxNamedChildren, 2 * MaxNamedNodes, maxNamedClients,
			maxQueued + MaxNamedNodes}
	}
	l := limits{MaxObservedEvents, MaxObservedNodes, MaxObservedChildren, math.MaxInt, MaxObservedClients, maxQueued}
	if a.MaxEvents > 0 {
		l.events = event.Seq(min(a.MaxEvents, MaxObservedEvents))
	}
	return l
}

// needs is what is to be read of a znode: all, or what goes by names. Of the one at the top it's all: its data can say
// what the names below it don't.
func (o *observer) needs(path string) need {
	if n := o.nodes[path]; o.by == nil || path == o.path || n != nil && n.wanted {
		return needData
	}
	return needStat
}

// crowd reports whether a list of children is long, and none has a name that says something.
func (o *observer) crowd(names []string) bool {
	if o.by == nil || len(names) < crowd {
		return false
	}
	for _, name := range names {
		if o.by.Tell(name) {
			return false
		}
	}
	return true
}

// room is how many znodes there may be for one more to be added. A crowd leaves some to others.
func (o *observer) room(crowd bool) int {
	if crowd {
		return o.most.nodes / 5 * 4
	}
	return o.most.nodes
}

// glance takes what there is of a znode besides its data.
func (o *observer) glance(path string, n *observed, stat *zoo.Stat) {
	if n != nil && n.read && n.stat.Czxid == stat.Czxid {
		if n.wanted && n.stat.Mzxid != stat.Mzxid {
			o.look(path, needData)
			return
		}
		o.audited(path, n, stat)
	}
	o.read(path, stat, nil)
}

// want has the data of a znode read, if it's there and may be.
func (o *observer) want(path string) {
	switch n := o.nodes[path]; {
	case n == nil || !n.read:
	case n.secret:
		o.tellData(path, reader.Data, nil)
	default:
		n.wanted = true
		o.look(path, needData)
	}
}

// tellData logs data that was wanted.
func (o *observer) tellData(path string, kind reader.Kind, data []byte) {
	n := o.nodes[path]
	if o.by == nil || kind != reader.Data || n == nil || !n.read || path == "/" {
		return
	}
	o.emit(event.Event{Kind: event.ZnodeFound, Path: valid(path), Text: event.Preview(data), N: n.stat.Ctime,
		Code: n.stat.DataLength})
}
