package server_test

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// pure is the server under test with links in memory. The script controls its clock.
type pure struct {
	t   *testing.T
	s   *server.Server
	now time.Duration
	log event.Log

	clients event.Actor // so far
}

func newPure(t *testing.T) *pure {
	p := &pure{t: t}
	p.s = server.New(server.Config{Seed: 7, EpochMS: 1_700_000_000_000, FirstSession: 0x10001, Emit: p.emit,
		Number: p.number})
	return p
}

func (p *pure) number() event.Actor {
	p.clients++
	return p.clients
}

func (p *pure) emit(e event.Event) event.Seq {
	e.Seq, e.At = event.Seq(len(p.log.Events)+1), p.now
	p.log.Append(e)
	return e.Seq
}

// facts returns the server's log so far.
func (p *pure) facts() string {
	var text []byte
	for _, e := range p.log.Events {
		text = append(text, eventtext.Of(e)+"\n"...)
	}
	return string(text)
}

func (p *pure) dial(hello wire.ConnectRequest) (speaker, error) {
	e := &end{p: p}
	e.conn = p.s.Connect(e, server.From{Addr: netip.MustParseAddr("127.0.0.1")})
	e.conn.Greet(&hello, p.now, 0)
	if len(e.arrived) == 0 {
		return nil, errors.New("closed without an answer")
	}
	return e, nil
}

// wait lets time pass in which only the server acts.
func (p *pure) wait(d time.Duration) {
	for end := p.now + d; ; {
		at, ok := p.s.NextTick()
		if !ok || at > end {
			p.now = end
			return
		}
		if at <= p.now {
			p.t.Fatalf("at %v the next tick is at %v", p.now, at)
		}
		p.now = at
		p.s.Tick(p.now)
	}
}

func (p *pure) settle(speaker) {}

// end is a client's end of a connection, and the server's link to it.
type end struct {
	p       *pure
	conn    *server.Conn
	arrived []message
	closed  bool
}

func (e *end) send(q wire.Request) { e.conn.Handle(&q, e.p.now, 0) }

func (e *end) sendRaw(op wire.Op, body []byte) {
	q := wire.Request{Xid: 1, Op: op}
	var into wire.Request
	frame := append((&wire.Request{Xid: q.Xid, Op: wire.OpPing}).Append(nil)[:4], byte(op>>24), byte(op>>16), byte(op>>8),
		byte(op))
	switch err := wire.DecodeRequest(append(frame, body...), &into); {
	case err == nil || errors.Is(err, wire.ErrUnimplemented):
		e.conn.Handle(&into, e.p.now, 0)
	case errors.Is(err, wire.ErrMarshalling):
		e.conn.Malformed(&into, e.p.now, 0)
	default:
		e.conn.Lost(e.p.now, 0)
		e.closed = true
	}
}

func (e *end) abort() { e.conn.Lost(e.p.now, 0) }

func (e *end) heard() ([]message, bool) {
	list := e.arrived
	e.arrived = nil
	return list, !e.closed
}

func (e *end) Welcome(r *wire.ConnectResponse, _ event.Seq) {
	w := *r
	e.arrived = append(e.arrived, message{welcome: &w})
}

func (e *end) Reply(to *wire.Request, r *wire.Response, _ event.Seq) {
	answer := *r
	e.arrived = append(e.arrived, message{to: *to, reply: &answer})
}

func (e *end) Notify(n wire.Notification, _ event.Watch, _ event.Seq) {
	e.arrived = append(e.arrived, message{note: &n})
}

func (e *end) Close(event.Reason, event.Seq) { e.closed = true }
