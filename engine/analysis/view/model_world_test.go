package view_test

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// This file holds the model's znodes, watches and messages.

func (m *model) znode(e event.Event) {
	n := m.node(e.Path)
	switch e.Kind {
	case event.ZnodeCreated:
		m.creators[e.Seq] = e.Peer
		m.bring(e, e.N)
	case event.ZnodeChanged:
		if n == nil {
			n = m.put(view.Node{Path: e.Path, Number: event.Number(e.Path), Untold: true})
		}
		n.Mzxid, n.Changed, n.Data, n.Bytes, n.Version = e.Zxid, e.At, e.Text, e.N, n.Version+1
	case event.ZnodeDeleted:
		if n != nil && !n.Gone {
			n.Gone, n.GoneAt, n.Why = true, e.At, e.Reason
			if p := m.parent(e.Path); p != nil {
				p.Children, p.ChildGone = max(p.Children-1, 0), e.At
				if e.Reason == event.ByFailover {
					p.Next = max(p.Next-1, 0)
				}
			}
		}
		for _, c := range m.clients {
			c.Inside = c.Inside && c.Belief.Path != e.Path
		}
		m.release(e)
	case event.ZnodeFound:
		if e.Introduces() {
			n = m.bring(e, int64(e.Code))
		}
		if n != nil {
			n.Made = e.N
		}
	}
}

// bring adds a znode that an event describes, with that many bytes of data.
func (m *model) bring(e event.Event, bytes int64) *view.Node {
	old := m.node(e.Path)
	again := old != nil && !old.Gone
	n := m.put(view.Node{
		Path: e.Path, Mode: zoo.CreateMode(e.Mode), Owner: e.Session, Creator: e.Peer, Czxid: e.Zxid, Mzxid: e.Zxid,
		Bytes: bytes, Data: e.Text, Number: event.Number(e.Path), Created: e.At, Changed: e.At,
	})
	if p := m.parent(e.Path); p != nil {
		if !again {
			p.Children++
		}
		number := event.Number(e.Path)
		if sequential := number >= 0 && n.Mode.IsSequential(); !sequential {
			p.Next++
		} else if number >= p.Next {
			p.Next, p.Numbers = number+1, true
		}
	}
	return n
}

// parent returns the znode above a path, if it exists.
func (m *model) parent(p string) *view.Node {
	if p == "" || p == "/" {
		return nil
	}
	i := strings.LastIndex(p, "/")
	if i < 0 {
		return nil
	}
	dir := p[:i]
	if dir == "" {
		dir = "/"
	}
	if n := m.node(dir); n != nil && !n.Gone {
		return n
	}
	return nil
}

// put adds a znode, or replaces the one that was there.
func (m *model) put(n view.Node) *view.Node {
	if old := m.node(n.Path); old != nil {
		*old = n
		return old
	}
	m.nodes = append(m.nodes, &n)
	return &n
}

// release records a release-over. Deletions at one moment for one reason are one release.
func (m *model) release(e event.Event) {
	if e.Peer == event.ZooKeeper && e.Reason == event.ByOp {
		return
	}
	if n := len(m.releases); n > 0 && e.Cause != 0 {
		r := m.releases[n-1]
		if r.By == e.Peer && r.At == e.At && r.Why == e.Reason && r.cause == e.Cause {
			r.last = e.Seq
			return
		}
	}
	m.releases = append(m.releases, &modelRelease{
		Release: view.Release{Seq: e.Seq, At: e.At, By: e.Peer, Why: e.Reason}, last: e.Seq, cause: e.Cause,
	})
}

// standing returns the latest of the peer's standing watches that e can be about.
func (m *model) standing(e event.Event) (last *modelWatch) {
	for _, w := range m.watches {
		if w.Client == e.Peer && !w.Over && w.Path == e.Path && (w.Kind == e.Watch || e.Watch == event.NoWatch) {
			last = w
		}
	}
	return last
}

func (m *model) setWatch(c *modelClient, e event.Event) {
	m.counts.WatchesSet++
	if c != nil && m.standing(e) == nil {
		m.addWatch(e)
	}
}

func (m *model) addWatch(e event.Event) *modelWatch {
	w := &modelWatch{Watch: view.Watch{Client: e.Peer, Path: e.Path, Kind: e.Watch, Set: e.At}}
	m.watches = append(m.watches, w)
	return w
}

func (m *model) fireWatch(c *modelClient, e event.Event) {
	m.counts.WatchesFired++
	if c == nil {
		return
	}
	w := m.standing(e)
	if w == nil || e.Watch == event.PersistentWatch || e.Watch == event.RecursiveWatch { // these persist
		w = m.addWatch(e)
	}
	w.Over, w.Fired, w.OverAt = true, true, e.At
	w.Flight, w.Type, w.notice = time.Duration(e.N), zoo.EventType(e.Type), e.Seq
	w.why, w.release = m.why(e)
	w.open = !c.Crashed && !c.Exited
	m.send(view.Flight{Seq: e.Seq, To: e.Peer, Notify: true, Path: e.Path, Sent: e.At, Takes: time.Duration(e.N)})
}

// why returns why a watch fired: by its cause if that is known, else by the type of its event.
func (m *model) why(e event.Event) (wakeCause, *modelRelease) {
	for _, r := range m.releases {
		switch {
		case e.Cause == 0 || e.Cause < r.Seq || e.Cause > r.last:
		case r.By == e.Peer:
			return forOwnDoing, nil
		default:
			return forRelease, r
		}
	}
	creator, created := m.creators[e.Cause]
	switch {
	case created && creator == e.Peer:
		return forOwnDoing, nil
	case created && creator == event.ZooKeeper:
		return forOther, nil
	case created || zoo.EventType(e.Type) == zoo.NodeCreated:
		return forArrival, nil
	case zoo.EventType(e.Type) == zoo.NodeDeleted:
		return forRelease, nil
	}
	return forOther, nil
}

// notified returns the client's latest watch whose event e delivers or drops. An event without a cause matches any
// watch with its path and type.
func (m *model) notified(who event.Actor, e event.Event) (last *modelWatch) {
	for _, w := range m.watches {
		fits := e.Cause != 0 && w.notice == e.Cause ||
			e.Cause == 0 && w.Path == e.Path && w.Type == zoo.EventType(e.Type)
		if w.Client == who && w.open && fits && (last == nil || w.notice > last.notice) {
			last = w
		}
	}
	return last
}

func (m *model) deliver(c *modelClient, e event.Event) {
	m.arrive(e.Cause, e.At)
	u := wakeup{watch: m.notified(e.Actor, e), heeded: c.Blocked}
	if u.watch != nil {
		u.watch.open = false
		u.why, u.release = u.watch.why, u.watch.release
	}
	if e.Path == c.waitsOn {
		c.Blocked = false
	}
	if c.Belief.Phase.Inside() || u.why == forOwnDoing {
		return
	}
	m.close(c, true)
	c.wakeup = &u
	c.Woken++
	c.WokenAt = e.At
	m.byRelease += one(u.why == forRelease)
	m.byArrival += one(u.why == forArrival)
	if u.release != nil {
		u.release.Woken++
	}
}

func (m *model) message(e event.Event) {
	switch e.Kind {
	case event.MsgSent:
		if c := m.known(e.Peer); c != nil && e.Actor == event.ZooKeeper && e.Op != event.Ping && e.Op != event.Connect {
			m.arrive(c.request, e.At)
			c.reply = e.Seq
			c.answered = m.read(c, e)
		}
		m.send(view.Flight{
			Seq: e.Seq, From: e.Actor, To: e.Peer, Op: e.Op, Reply: e.Actor == event.ZooKeeper, Path: e.Path, Code: e.Code,
			Sent: e.At, Takes: time.Duration(e.N),
		})
	case event.MsgReceived:
		m.arrive(e.Cause, e.At)
	case event.MsgDropped:
		if f := m.flight(e.Cause); f != nil {
			f.Over, f.OverAt, f.Dropped = true, e.At, true
		}
		for _, who := range []event.Actor{e.Actor, e.Peer} {
			if w := m.notified(who, e); w != nil && e.Cause != 0 {
				w.open = false
			}
		}
	}
	if e.Actor == event.ZooKeeper && e.Kind != event.MsgDropped {
		m.hear(e)
	}
}

// read returns what the answer to a read, or to a write of what a client has read, tells the client.
func (m *model) read(c *modelClient, e event.Event) (a view.Learnt) {
	n := m.node(e.Path)
	switch e.Op {
	case event.Get, event.Set, event.Exists, event.Children:
		a.Op, a.Path = e.Op, e.Path
	case event.Multi:
		if e.Path != c.Value.Path {
			return a
		}
		a.Op, a.Path = e.Op, e.Path
	default:
		return a
	}
	if n == nil || n.Gone || e.Code != 0 {
		return a
	}
	a.There, a.Version = true, n.Version
	if e.Op == event.Get || e.Op == event.Set || e.Op == event.Multi {
		a.Data = n.Data
	}
	if e.Op == event.Children {
		a.Names = n.Children
	}
	return a
}

func (m *model) send(f view.Flight) { m.flights = append(m.flights, &f) }

// flight returns the message that the event seq sent, if it is under way.
func (m *model) flight(seq event.Seq) *view.Flight {
	for _, f := range m.flights {
		if f.Seq == seq && !f.Over {
			return f
		}
	}
	return nil
}

func (m *model) arrive(seq event.Seq, at time.Duration) {
	if f := m.flight(seq); f != nil {
		f.Over, f.OverAt = true, at
		f.HeldFor = min(f.HeldFor, at-f.Held)
	}
}

// hold holds up a message, and those behind it on its connection. Servers have another one for votes.
func (m *model) hold(first *view.Flight, e event.Event) {
	until := max(first.Sent+first.Takes+first.HeldFor, e.At) + time.Duration(e.N)
	vote := first.Op == event.Notification
	for _, f := range m.flights {
		if f.Seq < first.Seq || f.From != first.From || f.To != first.To || (f.Op == event.Notification) != vote ||
			f.Over || f.Takes <= 0 {
			continue
		}
		f.Takes = max(f.Takes, e.At-f.Sent-min(max(e.At-f.Held, 0), f.HeldFor))
		if f.HeldFor == 0 {
			f.Held = e.At
		}
		f.HeldFor = max(f.HeldFor, until-f.Sent-f.Takes)
	}
}

func (m *model) arriveRequest(e event.Event) {
	if c := m.known(e.Peer); c != nil {
		m.arrive(c.request, e.At)
	}
}
