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
	// Meaningful reports whether a name suggests a use for its znode. Long lists without such names are searched last.
	Meaningful func(name string) bool
	// Want receives the paths of znodes whose data is wanted.
	Want <-chan string
}

// Limits of an observation with Names.
const (
	MaxNamedNodes    = 50_000  // that it looks for, and as many again that change
	MaxNamedChildren = 200_000 // of one znode
	maxNamedClients  = 9000    // owners of ephemeral znodes at a time for whom the log has a client
	minBulk          = 200     // children of one znode without a meaningful name
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
	if n := o.tree.nodes[path]; o.names == nil || path == o.tree.root || n != nil && n.wanted {
		return needData
	}
	return needStat
}

// bulk reports whether a list of children is long and has no meaningful name.
func (n *Names) bulk(names []string) bool {
	if n == nil || len(names) < minBulk {
		return false
	}
	for _, name := range names {
		if n.Meaningful(name) {
			return false
		}
	}
	return true
}

// room returns the number of znodes up to which one more may be added. A bulk leaves some room to others.
func (l *limits) room(bulk bool) int {
	if bulk {
		return l.nodes / 5 * 4
	}
	return l.nodes
}

// readStat takes a znode's Stat without its data.
func (o *observer) readStat(path string, n *observed, stat *zoo.Stat) {
	if n != nil && n.read && n.stat.Czxid == stat.Czxid {
		if n.wanted && n.stat.Mzxid != stat.Mzxid {
			o.requests.queue.mark(path, needData)
			return
		}
		o.audits.check(path, n, stat)
	}
	o.read(path, stat, nil)
}

// want reads the data of a znode, if it exists and may be read.
func (o *observer) want(path string) {
	switch n := o.tree.nodes[path]; {
	case n == nil || !n.read:
	case n.secret:
		o.logWanted(path, reader.Data, nil)
	default:
		n.wanted = true
		o.requests.queue.mark(path, needData)
	}
}

// logWanted logs data that was wanted.
func (o *observer) logWanted(path string, kind reader.Kind, data []byte) {
	n := o.tree.nodes[path]
	if o.names == nil || kind != reader.Data || n == nil || !n.read || path == "/" {
		return
	}
	o.log.emit(event.Event{Kind: event.ZnodeFound, Path: valid(path), Text: event.Preview(data), N: n.stat.Ctime,
		Code: n.stat.DataLength})
}
