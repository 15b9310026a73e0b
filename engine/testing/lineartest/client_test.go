package lineartest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

const (
	families = 4
	prefix   = "s-"
	timeout  = time.Second // session timeout; the server's tick is a twentieth
)

// client uses one session after another, each on several connections in turn.
type client struct {
	id   int
	addr []string // of the servers
	h    *history
	many bool // the servers form an ensemble
	sure bool // a read after a sync is current
	rng  *rand.Rand
	kill <-chan struct{} // when to drop the connection under a request

	p      *peer.Peer
	hello  wire.ConnectRequest // of the session
	open   []sent              // ops whose answers were lost on an earlier connection
	heard  int64               // call of the last op whose answer proved that the session existed
	seen   [families][]node    // by family, from the last read; possibly outdated
	owns   [families]bool      // by family: the session may have created an ephemeral znode
	serial int                 // for data that no other op writes

	lost, expired, resumed, ended int // counts, so that the test can check that each occurred
}

// sent is an op that may have reached the server.
type sent struct {
	op
	call int64
}

// dial connects. On a machine that stalls, the session may expire before the server answers, which ends the
// connection. Then dial tries again.
func (c *client) dial() (p *peer.Peer, err error) {
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if p, err = peer.Dial(c.addr[c.rng.IntN(len(c.addr))], c.hello); err == nil {
			break
		}
	}
	return p, err
}

// begin opens a session.
func (c *client) begin() error {
	c.heard = c.h.now()
	c.hello = wire.ConnectRequest{TimeoutMS: int32(timeout.Milliseconds()), HasReadOnly: true,
		LastZxidSeen: c.hello.LastZxidSeen}
	p, err := c.dial()
	if err != nil {
		return err
	}
	c.p, c.hello.Session, c.hello.Password = p, p.Welcome.Session, p.Welcome.Password
	return nil
}

// resume reconnects the session, or opens another if it has expired.
func (c *client) resume() error {
	c.p.Abort()
	call := c.h.now()
	p, err := c.dial()
	if err != nil {
		return err
	}
	if p.Welcome.Session != 0 {
		c.p = p
		if !c.many {
			c.heard = call
		}
		c.resumed++
		return nil
	}
	p.Abort()
	c.expired++
	until := c.h.now()
	if c.many { // a leader says so when it has proposed the end, and may be partitioned by then
		until = math.MaxInt64
	}
	c.over(c.heard, until)
	return c.begin()
}

// over records the end of the session between call and until, in every family where it may own a znode. For other
// families nobody could tell when it ended, and the checker would try every order.
func (c *client) over(call, until int64) {
	c.settle(until)
	c.ended++
	for f, owns := range c.owns {
		if owns {
			c.h.add(c.id, op{kind: ending, family: f, session: c.hello.Session}, call, outcome{}, until)
		}
	}
	c.owns = [families]bool{}
}

// work does n things, or stops at the first error that no fault explains.
func (c *client) work(t *testing.T, n int) {
	if err := c.begin(); err != nil {
		t.Error(err)
		return
	}
	defer func() { c.p.Abort() }()
	for i := range n {
		do := c.once
		if i == n/2 && c.id == 0 { // so that it is certain to occur
			do = c.expire
		}
		if err := do(); err != nil {
			t.Errorf("client %d: %v", c.id, err)
			return
		}
	}
	// Its ephemeral znodes must not go later, at a time that the history doesn't know.
	for before := c.ended; c.ended == before; {
		if err := c.leave(); err != nil {
			t.Errorf("client %d leaves: %v", c.id, err)
			return
		}
	}
}

func (c *client) once() error {
	switch chance := c.rng.IntN(1000); {
	case chance < 10: // lose the answer
		o := c.draw()
		call := c.h.now()
		_ = c.p.Send(c.request(o)) // may have been sent even if that fails
		c.forget(o, call)
		return c.resume()
	case chance < 12:
		return c.fallSilent()
	case chance < 17:
		return c.leave()
	}
	o := c.draw()
	call := c.h.now()
	if c.many {
		time.Sleep(time.Duration(c.rng.IntN(3)) * time.Millisecond)
		o.stale = !o.writes()
		if o.stale && c.rng.IntN(3) == 0 {
			if err := c.sync(); err != nil {
				c.lost++
				return c.resume()
			}
			o.stale = !c.sure
		}
	}
	answer, err := c.ask(o)
	if err != nil || c.many && answer.code == zoo.ErrSessionExpired { // its end is proposed but not committed
		c.forget(o, call)
		return c.resume()
	}
	if !c.many || o.writes() { // a server of an ensemble answers reads from its own state, which may be old
		c.heard = call
		c.settle(c.h.now())
	}
	c.h.add(c.id, o, call, answer, c.h.now())
	return nil
}

// fallSilent disconnects the client for longer than its session lasts.
func (c *client) fallSilent() error {
	c.p.Abort()
	time.Sleep(timeout + timeout/4)
	return c.resume()
}

// expire stays silent until the session has expired. A busy server may notice that late.
func (c *client) expire() error {
	for before := c.expired; c.expired == before; {
		if err := c.fallSilent(); err != nil {
			return err
		}
	}
	return nil
}

// leave closes the session properly.
func (c *client) leave() error {
	call := c.h.now()
	if err := c.close(); err != nil && (c.many || !errors.Is(err, io.EOF)) {
		return c.resume() // this finds out whether it was closed
	}
	c.over(call, c.h.now())
	return c.begin()
}

// close closes the session. In an ensemble, only an answer confirms that, not the end of the connection.
func (c *client) close() error {
	if !c.many {
		return c.p.Close()
	}
	c.serial++
	if err := c.p.Send(wire.Request{Xid: int32(c.serial), Op: wire.OpCloseSession}); err != nil {
		return err
	}
	_, err := c.p.Recv()
	c.p.Abort()
	return err
}

// forget keeps an op without an answer. A read without an answer doesn't matter.
func (c *client) forget(o op, call int64) {
	c.lost++
	if o.kind != get && o.kind != list {
		c.open = append(c.open, sent{o, call})
	}
}

// settle records the lost ops. They have happened, or never will, once the session is over or has had an answer on
// a later connection (in an ensemble, an answer to a write).
func (c *client) settle(until int64) {
	for _, s := range c.open {
		c.h.add(c.id, s.op, s.call, outcome{lost: true}, until)
	}
	c.open = nil
}

// draw returns the next op. In the mixture, many clients want the same znodes, and some know too little.
func (c *client) draw() op {
	f := c.rng.IntN(families)
	c.serial++
	o := op{family: f, session: c.hello.Session, version: zoo.AnyVersion, name: string(rune('a' + c.rng.IntN(3))),
		data: fmt.Sprintf("%d.%d", c.id, c.serial), ephemeral: c.rng.IntN(3) == 0}
	known := c.seen[f]
	switch chance := c.rng.IntN(100); {
	case chance < 15:
		o.kind = create
	case chance < 25:
		o.kind, o.name = sequential, prefix
	case chance < 45:
		o.kind = set
	case chance < 55:
		o.kind = swap
		o.other = string(rune('a' + c.rng.IntN(3)))
	case chance < 60:
		o.kind = remove
	case chance < 70: // the first in the queue, so that it doesn't grow forever
		o.kind = remove
		if i := slices.IndexFunc(known, func(n node) bool { return len(n.name) > 1 }); i >= 0 {
			o.name = known[i].name
		}
	case chance < 85:
		o.kind = get
	default:
		o.kind = list
	}
	if o.kind == set || o.kind == swap { // mostly with the version that was read last
		for _, n := range known {
			if n.name == o.name && c.rng.IntN(3) > 0 {
				o.version = n.version
			}
		}
	}
	c.owns[f] = c.owns[f] || o.ephemeral && (o.kind == create || o.kind == sequential)
	return o
}
