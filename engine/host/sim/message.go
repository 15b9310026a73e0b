package sim

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/base/fifo"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// post knows what is on its way between clients and what they talk to. Only a run with faults on such messages has one.
type post struct {
	sent map[fault.Message]int // how many messages in all, by their names without Nth
	next int64                 // the number of the next letter
	way  []letter              // in the order of sending
}

// letter is a message on its way, or the end of a connection.
type letter struct {
	id   int64
	name fault.Message // of a message that has one
	on   *direction
	nth  uint32        // its number there
	due  time.Duration // when it would arrive if none were delayed
	is   action
}

// newPost returns a post if any of the faults strikes a client's message.
func newPost(faults []fault.Fault) *post {
	if !slices.ContainsFunc(faults, func(f fault.Fault) bool { return f.Message.Client() != 0 }) {
		return nil
	}
	return &post{sent: map[fault.Message]int{}}
}

// ship plans the arrival of what goes in one direction of a connection, whose time arrival has just returned.
func (w *world) ship(d *direction, a action, name fault.Message) {
	p := w.post
	nth, due := d.order.Send()
	if p == nil {
		w.agenda.Add(due, a)
		return
	}
	p.next++
	p.way = append(p.way, letter{id: p.next, name: name, on: d, nth: nth, due: due, is: a})
	w.agenda.Add(due, action{step: stepLetter, n: p.next})
}

// name returns the name of the message that an event sends, if it has one.
func (w *world) name(e event.Event) fault.Message {
	m, ok := fault.Of(e)
	if !ok || w.post == nil {
		return fault.Message{}
	}
	w.post.sent[m]++
	m.Nth = w.post.sent[m]
	return m
}

// find returns the letter for which is is true, nil if there is none.
func (p *post) find(is func(*letter) bool) *letter {
	for i := range p.way {
		if is(&p.way[i]) {
			return &p.way[i]
		}
	}
	return nil
}

// letterArrives handles a letter that was planned to arrive now.
func (w *world) letterArrives(id int64) {
	x := w.post.find(func(x *letter) bool { return x.id == id })
	if x == nil { // it was delivered before its time, or is lost
		return
	}
	switch when, next := x.on.order.Comes(x.nth, w.now); when {
	case fifo.Later:
		w.agenda.Add(next, action{step: stepLetter, n: id})
	case fifo.Now:
		a := x.is
		w.post.way = slices.DeleteFunc(w.post.way, func(x letter) bool { return x.id == id })
		w.do(&a)
	}
}

// strike carries out a fault on a client's message. If the message isn't on its way, nothing happens. Else the fault's
// cause is its sending.
func (w *world) strike(f fault.Fault) {
	e := event.Event{Kind: event.FaultInjected, Peer: f.Message.Client(), Text: f.String()}
	x := w.post.find(func(x *letter) bool { return x.name == f.Message })
	if x == nil {
		w.emit(e)
		return
	}
	e.Cause, e.N = x.is.cause, int64(f.For)
	cause := w.emit(e)
	switch f.Kind {
	case fault.DropMessage:
		if x.is.conn != nil {
			x.is.conn.disconnect(cause)
		} else {
			x.is.message.conn.disconnect(cause)
		}
	case fault.DelayMessage:
		x.on.order.Delay(x.nth, x.due, w.now, f.For)
	case fault.DeliverMessage:
		w.deliverNext(*x)
	}
}

// deliverNext makes a letter arrive now, after all that is ahead of it on its connection and before all that has waited
// behind it. Behind a cut it goes on waiting.
func (w *world) deliverNext(x letter) {
	if x.is.conn != nil && x.is.conn.cut() || x.is.conn == nil && x.is.message.conn.cut() {
		return
	}
	x.on.order.Deliver(x.nth, w.now)
	for i := range w.post.way {
		if y := &w.post.way[i]; y.on == x.on && (y.nth <= x.nth || y.due <= w.now) {
			w.agenda.Add(w.now, action{step: stepLetter, n: y.id})
		}
	}
}

// lose makes all that is on its way in a direction never arrive, and breaks it.
func (w *world) lose(d *direction, from, to event.Actor) {
	d.broken = true
	d.order.Lose()
	w.post.way = slices.DeleteFunc(w.post.way, func(x letter) bool {
		if x.on != d {
			return false
		}
		switch x.is.step {
		case stepNodeGone:
			w.endsInFlight--
		case stepNotify, stepNodePush:
			x.is.client.state.Inbound--
			x.is.client.update()
		}
		if op := x.is.op(); op != event.NoOp || x.is.step == stepNotify {
			w.emit(event.Event{Kind: event.MsgDropped, Actor: from, Peer: to, Op: op, Cause: x.is.cause})
		}
		return true
	})
}

// disconnect breaks the connection. All that is on its way there is lost. The server learns of it at once, as when it
// can't send a reply, and the client a little later.
func (k *conn) disconnect(cause event.Seq) {
	c := k.client
	c.w.lose(&k.up, c.id, event.ZooKeeper)
	c.w.lose(&k.down, event.ZooKeeper, c.id)
	c.w.server.lost(k, cause)
	c.w.agenda.Add(c.w.now+c.network.flight(), action{step: stepHungUp, client: c, conn: k, cause: cause})
}

// disconnect breaks the connection. All that is on its way there is lost, and both ends learn of it.
func (k *nodeConn) disconnect(cause event.Seq) {
	c := k.client
	c.w.lose(&k.up, c.id, k.node.id)
	c.w.lose(&k.down, k.node.id, c.id)
	k.end(cause)
	c.w.agenda.Add(c.w.now+c.network.flight(), action{step: stepNodeHungUp, client: c, message: &k.itself, cause: cause})
	k.node.planTick()
}

// end ends the connection at the node.
func (k *nodeConn) end(cause event.Seq) {
	if k.closed {
		return
	}
	k.closed = true
	k.node.conns = slices.DeleteFunc(k.node.conns, func(o *nodeConn) bool { return o == k })
	k.session.Lost(k.client.w.now, cause)
}
