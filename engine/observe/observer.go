package observe

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// observer is one observation: what it has reported so far, and what it is about to read.
type observer struct {
	path   string
	most   limits
	by     *Names        // nil: everything is read
	wants  <-chan string // see Names
	budget *Budget

	sink     event.Sink
	seq      event.Seq
	from     time.Time
	full     bool
	injected chan injected // events put in from outside
	over     chan struct{} // closed when no more are accepted
	heard    time.Time     // when a server was last heard, as known at the end of its connection
	lost     string        // why there is no connection, as last reported; empty while there is one

	// State of the connection.
	works    bool // the server has answered a request
	readOnly bool // it is cut off from its ensemble
	subtree  bool // the recursive watch is still to be requested
	asking   int  // unanswered requests
	reads    int  // these and earlier ones, not yet paid for
	bytes    int  // likewise
	paid     time.Time

	oneShot bool  // the servers don't support recursive watches
	retry   bool  // that was just discovered
	last    int64 // latest zxid known
	since   int64 // zxid at the beginning of the log; older znodes existed before

	looks     looks
	initial   initialReads
	tellWhole func() // nil if nobody needs to know

	unlisted   map[string]bool      // whose children to list once there is a Stat
	nodes      map[string]*observed // in the log, or to be read
	tallies    map[string]tally     // of changes that a watch reported and no read has shown
	audits     audits
	overlooked int // changes that there was no room to look at

	owners  map[int64]*owner // by session
	present int              // those of them that own something here

	skipped   map[string]bool // znodes some of whose children were left out
	omissions map[string]omission
	limits    []event.Event // limits that were once reached
	missing   bool          // there is nothing at path
	reported  []event.Event // what is left out, as last reported
}

// observed is a znode that was found. It is in the log once it was read.
type observed struct {
	read       bool
	secret     bool // it may not be read
	wanted     bool // its data is wanted, where data is only read on request
	stat       zoo.Stat
	who        *owner   // nil if none
	children   []string // known names, sorted
	childCount          // see its type
}

func newObserver(a Observation, sink event.Sink) *observer {
	budget := a.Budget
	if budget == nil {
		budget = &Budget{}
	}
	o := &observer{
		path: a.Path, most: a.limits(), by: a.Names, budget: budget, sink: sink, from: time.Now(), looks: newLooks(),
		injected: make(chan injected), over: make(chan struct{}),
		unlisted: map[string]bool{}, nodes: map[string]*observed{}, tallies: map[string]tally{},
		owners: map[int64]*owner{}, skipped: map[string]bool{}, omissions: map[string]omission{},
	}
	if a.Names != nil {
		o.wants = a.Names.Want
	}
	return o
}

func (o *observer) emit(e event.Event) {
	if o.seq >= o.most.events-1 && e.Kind != event.RunEnded {
		o.full = true
		return
	}
	o.seq++
	e.Seq, e.At = o.seq, time.Since(o.from)
	o.sink.Append(e)
}

// disconnected records that no server can be observed.
func (o *observer) disconnected(why string) {
	if o.lost != why {
		o.lost = why
		o.emit(event.Event{Kind: event.Disconnected, Text: event.Preview([]byte(why)), N: o.silent()})
	}
}

// silent returns how long ago a server was last heard, in ms; 0 if never.
func (o *observer) silent() int64 {
	if o.heard.IsZero() {
		return 0
	}
	return max(time.Since(o.heard).Milliseconds(), 0)
}

// reconnected records that there is a connection again.
func (o *observer) reconnected(server string) {
	if o.lost != "" {
		o.lost = ""
		o.emit(event.Event{Kind: event.Reconnected, Text: event.Preview([]byte(server))})
	}
}

// begin schedules everything known for reading, on a new connection.
func (o *observer) begin(conn *reader.Conn) {
	o.works, o.retry, o.readOnly = false, false, conn.ReadOnly()
	o.asking, o.subtree = 0, !o.oneShot
	o.looks, o.audits = newLooks(), audits{}
	o.initial.reset()
	known := make([]string, 0, len(o.nodes))
	for path := range o.nodes {
		known = append(known, path)
	}
	slices.Sort(known) // parents first
	for _, path := range append([]string{o.path}, known...) {
		o.readInitially(path)
	}
}

// look schedules a part of a znode for reading.
func (o *observer) look(path string, n need) { o.looks.mark(path, n) }

// readAll schedules a znode for reading, with everything that should be known about it.
func (o *observer) readAll(path string) { o.look(path, o.needs(path)) }

// mayAsk reports whether there is something to ask, and nothing under way.
func (o *observer) mayAsk() bool { return o.asking == 0 && (o.subtree || o.looks.any()) }

// ask returns the next requests.
func (o *observer) ask() (all []reader.Request) {
	if o.subtree {
		all = append(all, reader.Request{Kind: reader.Subtree, Path: o.path})
		o.subtree = false
	}
	all = append(all, o.looks.take(batch, o.oneShot)...)
	o.asking = len(all)
	o.reads += len(all)
	if o.asking == 0 {
		o.answered()
	}
	return all
}

// receive takes the server's message.
func (o *observer) receive(m reader.Message) {
	if m.Asked == nil {
		o.event(zoo.EventType(m.Event.Type), m.Event.Path)
		return
	}
	a := &m.Answer
	if o.works = true; a.Zxid > 0 && o.last == 0 {
		o.since = a.Zxid
	}
	o.last = max(o.last, a.Zxid)
	o.audits.begin(a.Zxid)
	o.bytes += len(a.Data)
	for _, name := range a.Children {
		o.bytes += len(name)
	}
	switch m.Asked.Kind {
	case reader.Subtree:
		o.oneShot = a.Code != zoo.OK
		o.retry = o.oneShot
	case reader.Children:
		o.names(m.Asked.Path, a.Code, a)
	default:
		o.answer(m.Asked.Path, m.Asked.Kind, a.Code, &a.Stat, a.Data)
	}
	if o.asking--; o.asking == 0 {
		o.answered()
	}
}

// answered ends a batch: every request has its answer.
func (o *observer) answered() {
	o.paid = o.budget.pay(o.reads, o.bytes)
	o.reads, o.bytes = 0, 0
	if o.overlooked > 0 {
		o.miss(o.path, o.overlooked)
		o.overlooked = 0
	}
	o.tellLeftOut()
	if o.initial.finished() && o.tellWhole != nil {
		o.tellWhole()
	}
}

// answer takes the answer about a znode.
func (o *observer) answer(path string, kind reader.Kind, code zoo.Code, stat *zoo.Stat, data []byte) {
	n := o.nodes[path]
	switch {
	case n == nil && path != o.path: // it was given up meanwhile
		delete(o.tallies, path)
	case code == zoo.ErrNoNode:
		o.gone(path, n)
	case code == zoo.ErrNoAuth && kind == reader.Data:
		o.put(path).secret = true
		o.look(path, needStat) // its existence is no secret
		o.tellData(path, kind, nil)
	case code != zoo.OK:
		o.initial.done(path)
		o.note(event.Event{Reason: event.LeftUnread, Code: int32(code)})
	case kind == reader.Stat && (n == nil || !n.secret):
		if o.by != nil {
			o.glance(path, n, stat)
			return
		}
		o.seen(path, stat)
	default:
		if n != nil && n.secret && n.read && n.stat.Aversion != stat.Aversion {
			o.look(path, needData) // perhaps it may be read now
		}
		o.put(path).secret = kind == reader.Stat
		o.read(path, stat, data)
		o.tellData(path, kind, data)
	}
}

// put returns the znode, marked as unread if it is new.
func (o *observer) put(path string) *observed {
	n := o.nodes[path]
	if n == nil {
		n = &observed{}
		o.nodes[path] = n
	}
	return n
}

// read compares a znode as read with what was reported.
func (o *observer) read(path string, stat *zoo.Stat, data []byte) {
	n := o.put(path)
	if n.read && n.stat.Czxid != stat.Czxid {
		secret := n.secret
		o.forget(path, true)
		n = o.put(path)
		n.secret = secret
	}
	o.missing = o.missing && path != o.path
	o.report(path, n, stat, data)
	o.setOmission(path, lacksData, n.secret)
	o.list(path, stat)
}

// seen takes a Stat without the data.
func (o *observer) seen(path string, stat *zoo.Stat) {
	if n := o.nodes[path]; n == nil || !n.read || n.stat.Czxid != stat.Czxid {
		o.look(path, needData) // it was created between two reads
		return
	}
	o.audited(path, o.nodes[path], stat)
	o.list(path, stat)
}

// gone takes the answer that there is no such znode.
func (o *observer) gone(path string, n *observed) {
	o.missing = o.missing || path == o.path
	delete(o.unlisted, path)
	o.initial.done(path)
	switch {
	case n == nil:
		o.settle(path, 0, 0)
	case n.read:
		o.settle(path, 1, 1)
		o.forget(path, true)
	default:
		o.settle(path, n.missedIfGone(), 0)
		o.forget(path, true)
	}
	if !o.oneShot {
		return
	}
	if path == o.path {
		o.look(path, needStat) // this sets the watch for its creation
		return
	}
	o.relist(parent(path)) // it may have been created since: its parent was read separately
}

// relist lists the children of a znode again.
func (o *observer) relist(path string) {
	o.look(path, needStat)
	o.unlisted[path] = true
}

func parent(p string) string { return path.Dir(p) }

// below reports whether the path is the observed znode's, or below it.
func (o *observer) below(p string) bool {
	rest, ok := strings.CutPrefix(p, strings.TrimSuffix(o.path, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// depth returns how many levels below the observed znode a path is.
func (o *observer) depth(p string) int {
	if p == o.path {
		return 0
	}
	return strings.Count(strings.TrimPrefix(p, strings.TrimSuffix(o.path, "/")), "/")
}
