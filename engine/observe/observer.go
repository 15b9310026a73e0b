package observe

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire/reader"
	"github.com/zkviz/zkviz/engine/zoo"
)

// observer is one observation: what it has reported so far, and what it is about to read.
type observer struct {
	path   string
	most   limits
	by     *Names        // nil: all is read
	wants  <-chan string // see Names
	budget *Budget

	sink  event.Sink
	seq   event.Seq
	from  time.Time
	full  bool
	said  chan said     // what is put in besides
	over  chan struct{} // closed when nothing more is
	heard time.Time     // when a server was heard of last, as was known at the end of its connection
	lost  string        // why there is no connection, as last told; empty while there is one

	// Of the connection.
	works    bool // the server has answered a request
	readOnly bool // and is cut off from its ensemble
	subtree  bool // the watch for all is still to be asked for
	asking   int  // requests without an answer
	reads    int  // of these and those before, not paid for
	bytes    int  // likewise
	paid     time.Time

	oneShot bool  // the servers have no watch for all
	retry   bool  // that has just turned out
	last    int64 // zxid of which has been heard
	since   int64 // zxid at the beginning of the log; what is older was there before

	looks     looks
	first     first
	tellWhole func() // nil if nobody needs to know

	unlisted   map[string]bool      // whose children are to be listed once there is a Stat
	nodes      map[string]*observed // that are in the log, or to be read
	tallies    map[string]tally     // of changes that a watch has told of and no read has shown
	audits     audits
	overlooked int // changes that there was no room to look at

	owners  map[int64]*owner // by session
	present int              // of these, those that own something here

	skipped map[string]bool // znodes some of whose children were left out
	lacks   map[string]lack
	limits  []event.Event // that were reached once
	missing bool          // there is nothing at path
	told    []event.Event // what is left out, as last told
}

// observed is a znode that was found. It is in the log once it was read.
type observed struct {
	read     bool
	secret   bool // it may not be read
	wanted   bool // its data, where none is read unless it's wanted
	stat     zoo.Stat
	who      *owner   // nil for nobody
	children []string // names of those known, sorted
	family            // see there
}

func newObserver(a Observation, sink event.Sink) *observer {
	budget := a.Budget
	if budget == nil {
		budget = &Budget{}
	}
	o := &observer{
		path: a.Path, most: a.limits(), by: a.Names, budget: budget, sink: sink, from: time.Now(), looks: newLooks(),
		said: make(chan said), over: make(chan struct{}),
		unlisted: map[string]bool{}, nodes: map[string]*observed{}, tallies: map[string]tally{},
		owners: map[int64]*owner{}, skipped: map[string]bool{}, lacks: map[string]lack{},
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

// away is that no server can be looked at.
func (o *observer) away(why string) {
	if o.lost != why {
		o.lost = why
		o.emit(event.Event{Kind: event.Disconnected, Text: event.Preview([]byte(why)), N: o.silent()})
	}
}

// silent is how long ago the last word of a server was, in ms; 0 if there was none.
func (o *observer) silent() int64 {
	if o.heard.IsZero() {
		return 0
	}
	return max(time.Since(o.heard).Milliseconds(), 0)
}

// back is that there is a connection again.
func (o *observer) back(server string) {
	if o.lost != "" {
		o.lost = ""
		o.emit(event.Event{Kind: event.Reconnected, Text: event.Preview([]byte(server))})
	}
}

// begin has everything read that is known, on a new connection.
func (o *observer) begin(conn *reader.Conn) {
	o.works, o.retry, o.readOnly = false, false, conn.ReadOnly()
	o.asking, o.subtree = 0, !o.oneShot
	o.looks, o.audits = newLooks(), audits{}
	o.first.reset()
	known := make([]string, 0, len(o.nodes))
	for path := range o.nodes {
		known = append(known, path)
	}
	slices.Sort(known) // parents first
	for _, path := range append([]string{o.path}, known...) {
		o.firstLook(path)
	}
}

// look has something of a znode read.
func (o *observer) look(path string, n need) { o.looks.mark(path, n) }

// readAll has all read of a znode that is to be known of it.
func (o *observer) readAll(path string) { o.look(path, o.needs(path)) }

// mayAsk reports whether there is something to ask for, and nothing under way.
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

// hear takes what the server says.
func (o *observer) hear(m reader.Message) {
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

// answered is that all is answered that was asked.
func (o *observer) answered() {
	o.paid = o.budget.pay(o.reads, o.bytes)
	o.reads, o.bytes = 0, 0
	if o.overlooked > 0 {
		o.miss(o.path, o.overlooked)
		o.overlooked = 0
	}
	o.tellLeftOut()
	if o.first.over() && o.tellWhole != nil {
		o.tellWhole()
	}
}

// answer is what is known of a znode now.
func (o *observer) answer(path string, kind reader.Kind, code zoo.Code, stat *zoo.Stat, data []byte) {
	n := o.nodes[path]
	switch {
	case n == nil && path != o.path: // it was given up meanwhile
		delete(o.tallies, path)
	case code == zoo.ErrNoNode:
		o.gone(path, n)
	case code == zoo.ErrNoAuth && kind == reader.Data:
		o.put(path).secret = true
		o.look(path, needStat) // existence is no secret
		o.tellData(path, kind, nil)
	case code != zoo.OK:
		o.first.done(path)
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

// put is the znode, as one that is to be read if it is new.
func (o *observer) put(path string) *observed {
	n := o.nodes[path]
	if n == nil {
		n = &observed{}
		o.nodes[path] = n
	}
	return n
}

// read compares what was read of a znode with what was reported.
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
	o.lack(path, lacksData, n.secret)
	o.list(path, stat)
}

// seen is a Stat without the data.
func (o *observer) seen(path string, stat *zoo.Stat) {
	if n := o.nodes[path]; n == nil || !n.read || n.stat.Czxid != stat.Czxid {
		o.look(path, needData) // it was made between two reads
		return
	}
	o.audited(path, o.nodes[path], stat)
	o.list(path, stat)
}

// gone is that there is no such znode.
func (o *observer) gone(path string, n *observed) {
	o.missing = o.missing || path == o.path
	delete(o.unlisted, path)
	o.first.done(path)
	switch {
	case n == nil:
		o.settle(path, 0, 0)
	case n.read:
		o.settle(path, 1, 1)
		o.forget(path, true)
	default:
		o.settle(path, n.unborn(), 0)
		o.forget(path, true)
	}
	if !o.oneShot {
		return
	}
	if path == o.path {
		o.look(path, needStat) // which sets the watch for its coming
		return
	}
	o.relist(parent(path)) // it may have been made since: its parent was read beside it
}

// relist has the children of a znode listed again.
func (o *observer) relist(path string) {
	o.look(path, needStat)
	o.unlisted[path] = true
}

func parent(p string) string { return path.Dir(p) }

// below reports whether the path is that of the observed znode, or below it.
func (o *observer) below(p string) bool {
	rest, ok := strings.CutPrefix(p, strings.TrimSuffix(o.path, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// depth is how many levels below the observed znode a path is.
func (o *observer) depth(p string) int {
	if p == o.path {
		return 0
	}
	return strings.Count(strings.TrimPrefix(p, strings.TrimSuffix(o.path, "/")), "/")
}
