package observe

import (
	"math"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// Names makes an observation read large trees for what the names of their znodes say. For each znode it reads the
// owner and the number of children, and lists these; it reads data only if it is wanted. In the log such data is
// one more ZnodeFound, without a Zxid. The log never fills up with events.
type Names struct {
	// Tell reports whether a name suggests a use for its znode. Long lists without such names are searched last.
	Tell func(name string) bool
	// Want receives the paths of znodes whose data is wanted.
	Want <-chan string
}

// Limits of an observation with Names.
const (
	MaxNamedNodes    = 50_000  // that it looks for, and as many again that change
	MaxNamedChildren = 200_000 // of one znode
	maxNamedClients  = 9000    // owners of ephemeral znodes at a time for whom the log has a client
	crowd            = 200     // children of one znode without a meaningful name
)

// limits holds the limits of one observation.
type limits struct {
	events                   event.Seq
	nodes, children, changed int // changed: znodes in watch events are read up to this many
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

// needs returns what to read of a znode: everything, or what Names needs. Of the top znode it is everything: its
// data can say what the names below it don't.
func (o *observer) needs(path string) need {
	if n := o.nodes[path]; o.by == nil || path == o.path || n != nil && n.wanted {
		return needData
	}
	return needStat
}

// crowd reports whether a list of children is long and has no meaningful name.
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

// room returns the number of znodes up to which one more may be added. A crowd leaves some room to others.
func (o *observer) room(crowd bool) int {
	if crowd {
		return o.most.nodes / 5 * 4
	}
	return o.most.nodes
}

// glance takes a znode's Stat without its data.
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

// want reads the data of a znode, if it exists and may be read.
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
