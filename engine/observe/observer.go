package observe

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// observer is one observation: what it has reported so far, and what it is about to read.
type observer struct {
	limits   limits
	names    *Names        // nil: everything is read
	wanted   <-chan string // see Names
	injected chan injected // events put in from outside
	over     chan struct{} // closed when no more are accepted

	// State of the connection.
	works    bool   // the server has answered a request
	server   string // its address
	readOnly bool   // it is cut off from its ensemble

	oneShot bool  // the servers don't support recursive watches
	retry   bool  // that was just discovered
	last    int64 // latest zxid known
	since   int64 // zxid at the beginning of the log; older znodes existed before

	log       eventLog
	outage    outage
	requests  requests
	tree      tree
	lists     childLists
	initial   initialReads
	audits    audits
	owners    owners
	missed    missedChanges
	omissions omissions
}

// newObserver returns an observer that has no connection yet.
func newObserver(a Observation, sink event.Sink) *observer {
	most := a.limits()
	o := &observer{limits: most, names: a.Names, injected: make(chan injected), over: make(chan struct{})}
	o.log = eventLog{sink: sink, most: most.events, from: time.Now()}
	o.outage.log = &o.log
	o.requests = requests{observer: o, queue: newReadQueue(), budget: cmp.Or(a.Budget, &Budget{})}
	o.tree = tree{observer: o, root: a.Path, nodes: map[string]*observed{}}
	o.lists = childLists{observer: o, unlisted: map[string]bool{}, skipped: map[string]bool{}}
	o.initial = initialReads{report: a.Left, whole: a.Whole}
	o.audits.observer = o
	o.owners = owners{observer: o, bySession: map[int64]*owner{}}
	o.missed = missedChanges{observer: o, tallies: map[string]tally{}}
	o.omissions = omissions{observer: o, byPath: map[string]omission{}}
	if a.Names != nil {
		o.wanted = a.Names.Want
	}
	return o
}

// begin schedules everything known for reading, on a new connection.
func (o *observer) begin(conn *reader.Conn, server string) {
	o.server = server
	o.works, o.retry, o.readOnly = false, false, conn.ReadOnly()
	o.requests.asking, o.requests.subtree = 0, !o.oneShot
	o.requests.queue, o.audits = newReadQueue(), audits{observer: o}
	o.initial.reset()
	known := make([]string, 0, len(o.tree.nodes))
	for path := range o.tree.nodes {
		known = append(known, path)
	}
	slices.Sort(known) // parents first
	for _, path := range append([]string{o.tree.root}, known...) {
		o.readInitially(path)
	}
}

// readAll schedules a znode for reading, with everything that should be known about it.
func (o *observer) readAll(path string) { o.requests.queue.mark(path, o.needs(path)) }

// receive takes the server's message.
func (o *observer) receive(m reader.Message) {
	if m.Asked == nil {
		o.event(zoo.EventType(m.Event.Type), m.Event.Path)
		return
	}
	a := &m.Answer
	if m.Asked.Kind == reader.Subtree && a.Code != zoo.OK {
		o.oneShot, o.retry = true, true
		return
	}
	o.hear(a.Zxid)
	o.requests.received(a)
	switch m.Asked.Kind {
	case reader.Subtree:
	case reader.Children:
		o.lists.receive(m.Asked.Path, a.Code, a)
	default:
		o.answer(m.Asked.Path, m.Asked.Kind, a.Code, &a.Stat, a.Data)
	}
	if o.requests.asking--; o.requests.asking == 0 {
		o.answered()
	}
}

// hear takes the zxid of an answer.
func (o *observer) hear(zxid int64) {
	o.works = true
	var began int64
	if zxid > 0 && o.last == 0 {
		began, o.since = zxid, zxid
		o.log.begin(began)
	}
	o.outage.reconnected(o.server, began)
	o.last = max(o.last, zxid)
	o.audits.begin(zxid)
}

// answered ends a batch: every request has its answer.
func (o *observer) answered() {
	o.requests.pay()
	if o.missed.overlooked > 0 {
		o.missed.report(o.tree.root, o.missed.overlooked)
		o.missed.overlooked = 0
	}
	o.omissions.report()
	o.initial.reportWhole()
}

// answer takes the answer about a znode.
func (o *observer) answer(path string, kind reader.Kind, code zoo.Code, stat *zoo.Stat, data []byte) {
	n := o.tree.nodes[path]
	if n != nil && n.recalled != nil && code == zoo.OK {
		o.complete(path, n, kind, stat, data)
	}
	switch {
	case n == nil && path != o.tree.root: // it was given up meanwhile
		delete(o.missed.tallies, path)
	case code == zoo.ErrNoNode:
		o.notFound(path, n)
	case code == zoo.ErrNoAuth && kind == reader.Data:
		o.tree.put(path).secret = true
		o.requests.queue.mark(path, needStat) // its existence is no secret
		o.logWanted(path, kind, nil)
	case code != zoo.OK:
		o.initial.done(path)
		o.omissions.note(event.Event{Reason: event.LeftUnread, Code: int32(code)})
	case kind == reader.Stat && (n == nil || !n.secret):
		if o.names != nil {
			o.readStat(path, n, stat)
			return
		}
		o.checkStat(path, stat)
	default:
		if n != nil && n.secret && n.read && n.stat.Aversion != stat.Aversion {
			o.requests.queue.mark(path, needData) // perhaps it may be read now
		}
		o.tree.put(path).secret = kind == reader.Stat
		o.read(path, stat, data)
		o.logWanted(path, kind, data)
	}
}

// read compares a znode as read with what was reported.
func (o *observer) read(path string, stat *zoo.Stat, data []byte) {
	n := o.tree.put(path)
	if n.read && n.stat.Czxid != stat.Czxid {
		secret, unlisted, initially := n.secret, o.lists.unlisted[path], o.initial.has(path)
		o.tree.remove(path, true)
		n = o.tree.put(path)
		n.secret = secret
		if unlisted {
			o.lists.unlisted[path] = true
		}
		if initially {
			o.initial.add(path)
		}
	}
	o.tree.missing = o.tree.missing && path != o.tree.root
	o.report(path, n, stat, data)
	o.omissions.set(path, lacksData, n.secret)
	o.lists.list(path, stat)
}

// checkStat takes a Stat without the data.
func (o *observer) checkStat(path string, stat *zoo.Stat) {
	if n := o.tree.nodes[path]; n == nil || !n.read || n.stat.Czxid != stat.Czxid {
		o.requests.queue.mark(path, needData) // it was created between two reads
		return
	}
	o.audits.check(path, o.tree.nodes[path], stat)
	o.lists.list(path, stat)
}

// notFound takes the answer that there is no such znode.
func (o *observer) notFound(path string, n *observed) {
	o.tree.missing = o.tree.missing || path == o.tree.root
	delete(o.lists.unlisted, path)
	o.initial.done(path)
	switch {
	case n == nil:
		o.missed.settle(path, 0, 0)
	case n.read:
		o.missed.settle(path, 1, 1)
		o.tree.remove(path, true)
	default:
		o.missed.settle(path, n.missedIfGone(), 0)
		o.tree.remove(path, true)
	}
	if !o.oneShot {
		return
	}
	if path == o.tree.root {
		o.lists.relist(path) // this sets the watch for its creation, unless it's there by then
		return
	}
	o.lists.relist(parent(path)) // it may have been created since: its parent was read separately
}
