package story

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// reader folds a window of a log and notes what is drawn of it.
type reader struct {
	h        *view.History
	state    *view.State
	from, to time.Duration

	messages   []Message
	index      map[event.Seq]int   // of messages by the events that sent them
	open       []int               // messages under way
	again      map[event.Actor]int // the requests of clients that try again and have no answer yet
	looked     time.Duration       // when the messages under way were last looked at
	homeless   []int               // messages to a server that isn't known yet
	found      bool                // the server of some client is known
	heartbeats int

	bars    []Bar
	lasting map[lasting]int         // bars that haven't ended
	owners  map[lasting]event.Actor // of what nodes keep
	marks   []Mark
}

// lasting identifies a bar that hasn't ended.
type lasting struct {
	kind        BarKind
	actor, peer event.Actor
	path        string
}

func read(h *view.History, o Options) *reader {
	r := &reader{h: h, from: o.From, to: o.To, index: map[event.Seq]int{}, again: map[event.Actor]int{},
		lasting: map[lasting]int{}, owners: map[lasting]event.Actor{}}
	first, last := r.window(o)
	r.state = h.StateAtSeq(first).Clone()
	r.begin()
	for seq := first; seq < last; seq++ {
		r.next(h.Event(int(seq)))
	}
	r.finish()
	return r
}

// window returns the last event before the window, and the last one in it.
func (r *reader) window(o Options) (first, last event.Seq) {
	h := r.h
	last = event.Seq(h.Len())
	switch {
	case o.UpTo > 0:
		first, last = min(o.After, last), min(o.UpTo, last)
		if r.from = 0; first > 0 {
			r.from = h.Event(int(first) - 1).At
		}
		r.to = 0
	case o.From > 0:
		first = h.SeqAt(o.From - 1)
	}
	if r.to > 0 {
		last = h.SeqAt(r.to)
	} else if last > 0 {
		r.to = h.Event(int(last) - 1).At
	}
	return first, last
}

// begin notes what lasts at the window's beginning.
func (r *reader) begin() {
	s := r.state
	for i := range s.Flights.List {
		if f := &s.Flights.List[i]; !f.Over {
			r.send(f)
		}
	}
	at := event.Event{At: r.from}
	for i := range s.Clients {
		r.client(event.Actor(i+1), at)
	}
	for i := range s.Ensemble.Servers {
		r.server(event.Server(i+1), at)
	}
	for i := range s.Remotes.Nodes {
		r.node(event.Node(i+1), at)
	}
	for i := range s.Remotes.Locks {
		if x := &s.Remotes.Locks[i]; !x.Over {
			r.set(Bar{Kind: Keeps, Actor: x.Node, Peer: x.Client, Path: x.Path}, true, at)
		}
	}
	for i := range s.Remotes.Entries {
		x := &s.Remotes.Entries[i]
		if y, ok := s.Header.SystemOf(x.Node); ok && !x.Gone && x.Owner.Kind() == event.AClient && !y.Kind.HasTables() {
			r.keep(Bar{Kind: Keeps, Actor: x.Node, Peer: x.Owner, Path: x.Path}, true, at)
		}
	}
}

// next folds an event.
func (r *reader) next(e event.Event) {
	was := r.before(e)
	r.state.Apply(e)
	switch e.Kind {
	case event.OpSent, event.MsgSent, event.WatchFired, event.PushSent:
		list := r.state.Flights.List
		if n := len(list); n > 0 && list[n-1].Seq == e.Seq {
			r.send(&list[n-1])
		} else if e.Op == event.ServerPing {
			r.heartbeats++
		}
	case event.ConnOpened, event.ConnClosed:
		r.find(e.Actor, e.Peer)
	case event.TryFailed:
		r.failed(e)
	case event.OpDone:
		delete(r.again, e.Actor)
	}
	r.arrive(e)
	if e.Seq%16 == 0 || e.At-r.looked > view.Keep/4 {
		r.land(e.At)
	}
	r.lasts(e)
	r.mark(e, was)
}

// send notes a message.
func (r *reader) send(f *view.Flight) {
	m := Message{Seq: f.Seq, From: f.From, To: f.To, Op: f.Op, Text: f.Text, Sent: f.Sent, Got: -1,
		Index: -1, heartbeat: f.Op == event.Ping, takes: f.Takes}
	if e, ok := r.h.Lookup(f.Seq); ok {
		m.Cause = e.Cause
	}
	switch who := f.From; {
	case f.Notify:
		m.Look, m.Index = Notice, int(f.To)-1
	case who.Kind() == event.AClient:
		m.Look, m.Index = Request, int(who)-1
	case f.To.Kind() == event.AClient:
		m.Look, m.Index = Reply, int(f.To)-1
	default:
		m.Look = Between
	}
	if len(r.state.Ensemble.Servers) > 0 && (m.From == event.ZooKeeper || m.To == event.ZooKeeper) {
		m.client = max(m.From, m.To)
	}
	n := len(r.messages)
	if by, ok := r.h.Lookup(m.Cause); ok && by.Kind == event.TryFailed {
		r.again[m.From] = n
	}
	r.index[m.Seq] = n
	r.messages = append(r.messages, m)
	r.open = append(r.open, n)
	if m.client == 0 {
		return
	}
	if c := r.state.Clients.Get(m.client); c != nil && c.Server != 0 {
		r.found = true
		r.messages[n].at(c.Server)
	} else {
		r.homeless = append(r.homeless, n)
	}
}

// at says which server of the ensemble a message is to or from.
func (m *Message) at(server event.Actor) {
	if m.From == event.ZooKeeper {
		m.From = server
	}
	if m.To == event.ZooKeeper {
		m.To = server
	}
	m.client = 0
}

// find says to which server the messages of a client went that has now connected.
func (r *reader) find(client, server event.Actor) {
	if server.Kind() != event.AServer {
		return
	}
	r.found = true
	rest := r.homeless[:0]
	for _, n := range r.homeless {
		if r.messages[n].client == client {
			r.messages[n].at(server)
		} else {
			rest = append(rest, n)
		}
	}
	r.homeless = rest
}

// arrive notes that an event is the end of a message's way.
func (r *reader) arrive(e event.Event) {
	switch e.Kind {
	case event.OpDone, event.MsgReceived, event.MsgDropped, event.WatchDelivered, event.PushDelivered:
		if n, ok := r.index[e.Cause]; ok {
			m := &r.messages[n]
			m.Got, m.Lost = e.At, e.Kind == event.MsgDropped
		}
	}
}

// land looks which messages have arrived, or are lost, without an event that says so. The fold keeps those that have
// for a while.
func (r *reader) land(at time.Duration) {
	r.looked = at
	rest := r.open[:0]
	for _, n := range r.open {
		m := &r.messages[n]
		list := r.state.Flights.List
		i := sort.Search(len(list), func(i int) bool { return list[i].Seq >= m.Seq })
		switch {
		case m.Got >= 0:
		case i == len(list) || list[i].Seq != m.Seq: // the fold waits for it no longer
			m.Got = m.due(at)
		case list[i].Over:
			m.Got, m.Lost = list[i].OverAt, list[i].Dropped
			if m.Look == Request && !m.Lost { // the fold has it on its way until it's answered
				m.Got = min(m.Got, m.due(m.Got))
			}
		default:
			rest = append(rest, n)
		}
	}
	r.open = rest
}

// failed marks the messages of a try that was refused, if the one before was refused as well.
func (r *reader) failed(e event.Event) {
	var found [2]int
	n := 0
	for x := range view.Chain(r.h, e.Seq) {
		if i, ok := r.index[x.Seq]; ok && n < len(found) {
			found[n] = i
			n++
		}
		if x.Kind == event.OpSent {
			if by, ok := r.h.Lookup(x.Cause); !ok || by.Kind != event.TryFailed {
				return
			}
			break
		}
		if x.Seq < e.Seq && x.Kind == event.TryFailed || x.At < r.from {
			break
		}
	}
	for _, i := range found[:n] {
		r.messages[i].Poll = true
	}
}

// finish ends what lasts at the window's end, and drops what isn't drawn.
func (r *reader) finish() {
	r.land(r.to)
	for i := range r.bars {
		if r.bars[i].To < 0 {
			r.bars[i].To = r.to
		}
	}
	for _, n := range r.open {
		m := &r.messages[n]
		if m.Got = m.due(r.to); r.awaited(m) {
			m.Got = max(m.Got, r.to+1)
		}
	}
	for _, n := range r.homeless { // nobody learned which server that was
		if r.found {
			r.messages[n].at(event.Server(1))
		}
	}
	r.unanswered()
	list := r.messages[:0]
	for _, m := range r.messages {
		switch {
		case m.heartbeat && !m.Lost:
			r.heartbeats++
		default:
			list = append(list, m)
		}
	}
	r.messages = list
}

// unanswered marks tries without an answer by the window's end, and what is on the way to those who tried.
func (r *reader) unanswered() {
	for i := range r.messages {
		m := &r.messages[i]
		if n, ok := r.again[max(m.From, 0)]; ok && n == i {
			m.Poll = true
		}
		if n, ok := r.again[max(m.To, 0)]; ok && m.Look == Reply && i > n {
			m.Poll = true
		}
	}
}

// awaited reports whether a message that the window's events don't end is still on its way: its receiver is there, and
// would have said that it has it.
func (r *reader) awaited(m *Message) bool {
	if c := r.state.Clients.Get(m.To); c != nil {
		return !c.Exited && !c.Crashed && !c.Vanished
	}
	return m.Look == Between
}

// due returns when a message arrives that nobody has been seen to receive.
func (m *Message) due(last time.Duration) time.Duration {
	if m.takes > 0 {
		return m.Sent + m.takes
	}
	return max(last, m.Sent)
}
