package observe

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/zoo"
)

// observer is one observation: what it has reported so far. emit, away and back may be called by the
// library's goroutines; all else belongs to the one that observes.
type observer struct {
	path string
	most event.Seq // events

	mu   sync.Mutex
	sink event.Sink
	seq  event.Seq
	from time.Time
	full bool
	lost string // why there is no connection, as last told; empty while there is one

	paid    time.Time // until when the reading so far is paid for
	nodes   map[string]*observed
	owners  map[int64]*owner // by session
	present int              // of these, those that own something here
	skipped map[string]bool  // znodes some of whose children were left out
	limits  []event.Event    // that were reached once
	missing bool             // there is nothing at path
	told    []event.Event    // what is left out, as last told
}

// observed is a znode that was found. It is in the log once it was read.
type observed struct {
	read     bool
	stat     zk.Stat
	children []string // names, sorted
	readAt   time.Time
	lacks    lack
	who      *owner // nil for nobody
}

func newObserver(a Observation, sink event.Sink) *observer {
	most := MaxObservedEvents
	if a.MaxEvents > 0 {
		most = min(a.MaxEvents, most)
	}
	return &observer{
		path: a.Path, most: event.Seq(most), sink: sink, from: time.Now(),
		nodes: map[string]*observed{}, owners: map[int64]*owner{},
		skipped: map[string]bool{},
	}
}

func (o *observer) emit(e event.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.append(e)
}

func (o *observer) append(e event.Event) {
	if o.seq >= o.most-1 && e.Kind != event.RunEnded {
		o.full = true
		return
	}
	o.seq++
	e.Seq, e.At = o.seq, time.Since(o.from)
	o.sink.Append(e)
}

// note remembers a limit that was reached, for tellLeftOut.
func (o *observer) note(limit event.Event) {
	if !slices.Contains(o.limits, limit) {
		o.limits = append(o.limits, limit)
	}
}

// away is that no server can be reached.
func (o *observer) away(why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost != why {
		o.lost = why
		o.append(event.Event{Kind: event.Disconnected, Text: event.Preview([]byte(why))})
	}
}

// back is that there is a connection again.
func (o *observer) back(server string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost != "" {
		o.lost = ""
		o.append(event.Event{Kind: event.Reconnected, Text: event.Preview([]byte(server))})
	}
}

// begin has everything read that is known, on a new connection.
func (o *observer) begin(d *dirty) {
	d.mark(o.path, true, true)
	for path := range o.nodes {
		d.mark(path, true, true)
	}
}

// batch is how many znodes are read at a time, side by side.
const batch = 32

// refresh reads what has changed.
func (o *observer) refresh(ctx context.Context, conn *zk.Conn, d *dirty) error {
	jobs, err := d.take(ctx, o.ripe)
	if err != nil {
		return context.Cause(ctx)
	}
	var all sync.WaitGroup
	for i := range jobs {
		all.Go(func() { jobs[i].fetch(conn, o.path) })
	}
	all.Wait()
	reads, bytes := 0, 0
	for _, j := range jobs {
		if admin.Passing(j.err) {
			d.mark(j.path, j.data, j.children) // for as long as the connection is there
		} else {
			o.take(j, d)
		}
		reads += j.reads
		bytes += len(j.text)
	}
	o.tellLeftOut()
	if o.isFull() {
		return event.ErrLogFull
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(o.pay(reads, bytes)):
		return nil
	}
}

// pay says how long to wait after so much reading. What was not used lately may be used at once, so that
// the first look at a tree is quick.
func (o *observer) pay(reads, bytes int) time.Duration {
	now := time.Now()
	if earliest := now.Add(-burst); o.paid.Before(earliest) {
		o.paid = earliest
	}
	o.paid = o.paid.Add(max(time.Duration(reads)*time.Second/readsPerSecond,
		time.Duration(bytes)*time.Second/bytesPerSecond))
	return o.paid.Sub(now)
}

// fill ends the log: there is no room for what comes.
func (o *observer) fill() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.full = true
}

func (o *observer) isFull() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.full
}

// ripe reports whether a znode may be read again already.
func (o *observer) ripe(path string) bool {
	n := o.nodes[path]
	return n == nil || time.Since(n.readAt) >= rereadEvery
}

// take compares what was read with what was reported.
func (o *observer) take(j job, d *dirty) {
	n := o.nodes[j.path]
	code := admin.CodeOf(j.err)
	switch {
	case code == zoo.ErrNoNode:
		if n != nil && j.path != o.path {
			d.mark(path.Dir(j.path), false, true) // it may have been made since: its parent was read beside it
		}
		o.forget(j.path)
		o.missing = o.missing || j.path == o.path
		return
	case code != zoo.OK && code != zoo.ErrNoAuth:
		o.note(event.Event{Reason: event.LeftUnread, Code: int32(code)})
		return
	case n == nil && j.path != o.path: // it was given up meanwhile
		return
	}
	if j.path == o.path {
		o.missing = false
	}
	if n != nil && n.read && n.stat.Czxid != j.stat.Czxid {
		o.forget(j.path)
		n = nil
	}
	if n == nil {
		n = &observed{}
		o.nodes[j.path] = n
	}
	n.readAt = time.Now()
	if j.data {
		o.report(j, n)
	}
	if j.listed {
		o.list(j, n, d)
	}
	o.lacking(j, n, code == zoo.ErrNoAuth)
}

// report logs a znode that is new, or whose data is.
func (o *observer) report(j job, n *observed) {
	old := n.stat
	first := !n.read
	n.stat, n.read = *j.stat, true
	path := strings.ToValidUTF8(j.path, "\uFFFD")
	e := event.Event{Path: path, Text: event.Preview(j.text), N: int64(n.stat.DataLength), Zxid: n.stat.Mzxid}
	switch {
	case first:
		e.Kind, e.Zxid, e.Session = event.ZnodeCreated, n.stat.Czxid, n.stat.EphemeralOwner
		e.Mode = uint8(replay.GuessMode(j.path, n.stat.EphemeralOwner != 0))
		n.who = o.own(n.stat.EphemeralOwner)
		e.Peer = n.who.by()
	case old.Mzxid != n.stat.Mzxid:
		e.Kind = event.ZnodeChanged
	default:
		return
	}
	o.emit(e)
	if first {
		o.emit(event.Event{Kind: event.ZnodeFound, Path: path, N: n.stat.Ctime})
	}
}

// list compares a znode's children with those known.
func (o *observer) list(j job, n *observed, d *dirty) {
	slices.Sort(j.names)
	for _, name := range n.children {
		if _, still := slices.BinarySearch(j.names, name); !still {
			o.forget(path.Join(j.path, name))
		}
	}
	n.children = j.names
	delete(o.skipped, j.path)
	n.lacks.set(lacksSome|lacksLong, false)
	for _, name := range j.names {
		child := path.Join(j.path, name)
		switch {
		case o.nodes[child] != nil:
		case len(child) > MaxObservedPath:
			n.lacks |= lacksLong
		case len(o.nodes) >= MaxObservedNodes:
			o.skipped[j.path] = true
			n.lacks |= lacksSome
		default:
			o.nodes[child] = &observed{}
			d.mark(child, true, true)
		}
	}
	if len(o.nodes) < MaxObservedNodes*9/10 {
		for path := range o.skipped {
			d.mark(path, false, true)
		}
	}
}

// forget logs the deletion of a znode and of all that was below it.
func (o *observer) forget(at string) {
	n := o.nodes[at]
	if n == nil {
		return
	}
	delete(o.nodes, at)
	delete(o.skipped, at)
	for _, name := range n.children {
		o.forget(path.Join(at, name))
	}
	if !n.read {
		return
	}
	o.emit(event.Event{Kind: event.ZnodeDeleted, Path: strings.ToValidUTF8(at, "\uFFFD"), Reason: event.ByUnknown,
		Peer: n.who.by()})
	if n.who != nil {
		o.disown(n.who, n.stat.EphemeralOwner)
	}
}
