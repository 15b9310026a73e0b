package live_test

import (
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

const lastWords = "last words"

// TestLogKnowsFirst loses the reply to a client's write. The client finds out the outcome for itself and announces
// its phase. By then the log must know the outcome, however late the run looks and however late the write reaches
// the server.
func TestLogKnowsFirst(t *testing.T) {
	made := func(c zoo.Client, path string) error {
		_, err := c.Create(path, []byte(lastWords), zoo.Persistent)
		return err
	}
	tests := map[string]struct {
		kind          event.Kind
		before, write func(zoo.Client, string) error
		see           func(zoo.Client, string) error // returns no error once the client knows
	}{
		"made": {kind: event.ZnodeCreated, write: made, see: func(c zoo.Client, path string) error {
			_, _, err := c.Get(path)
			return err
		}},
		"made in order": {kind: event.ZnodeCreated, write: func(c zoo.Client, path string) error {
			_, err := c.Create(path+"-", []byte(lastWords), zoo.EphemeralSequential)
			return err
		}, see: func(c zoo.Client, path string) error {
			_, _, err := c.Get(path + "-0000000000")
			return err
		}},
		"changed": {kind: event.ZnodeChanged, before: func(c zoo.Client, path string) error {
			_, err := c.Create(path, nil, zoo.Persistent)
			return err
		}, write: func(c zoo.Client, path string) error {
			_, err := c.Set(path, []byte(lastWords), zoo.AnyVersion)
			return err
		}, see: func(c zoo.Client, path string) error {
			if data, _, err := c.Get(path); err != nil || len(data) > 0 {
				return err
			}
			return zoo.ErrNoNode // the write hasn't arrived
		}},
		"deleted": {kind: event.ZnodeDeleted, before: func(c zoo.Client, path string) error {
			_, err := c.Create(path, nil, zoo.Ephemeral)
			return err
		}, write: func(c zoo.Client, path string) error {
			return c.Delete(path, zoo.AnyVersion)
		}, see: func(c zoo.Client, path string) error {
			if err := c.Delete(path, zoo.AnyVersion); !errors.Is(err, zoo.ErrNoNode) {
				return err
			}
			return nil
		}},
	}
	for name, test := range tests {
		for _, late := range []bool{false, true} {
			if late {
				name += ", late"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newBadLine(t, late)
				cfg, list := byHand(unhurried, func(c zoo.Client, root string) error {
					path := root + "/n"
					if test.before != nil {
						if err := test.before(c, path); err != nil {
							return err
						}
					}
					b.speak()
					if err := test.write(c, path); !errors.Is(err, zoo.ErrConnectionLoss) {
						t.Errorf("the answer was not lost: %v", err)
					}
					for err := zoo.ErrConnectionLoss; err == zoo.ErrConnectionLoss; {
						err = zoo.CodeOf(test.see(c, path))
						if err != zoo.OK && err != zoo.ErrConnectionLoss {
							return err
						}
					}
					c.Phase(program.Waiting, program.Subject{Path: path})
					return nil
				})
				r := &recorder{on: func(e event.Event) {
					if e.Kind == event.RecipePhase {
						b.told()
					}
				}}
				srv := &zktest.Server{Server: &apache.Server{Addr: b.addr}}
				if err := runLive(t, srv, cfg, list, r, nil); err != nil {
					t.Fatal(err)
				}
				isIt := func(e event.Event) bool { return e.Kind == test.kind && e.Peer == 1 }
				said := r.find(t, "what the client says", is(event.RecipePhase))
				found := r.find(t, "what it knows", func(e event.Event) bool {
					return isIt(e) && (e.Text == lastWords || e.Reason == event.ByOp)
				})
				if found.Seq > said.Seq {
					r.dump(t)
					t.Error("the log has it after the client has said so")
				}
				for _, e := range r.log() {
					if e.Kind == event.ZnodeCreated && e.Peer == 1 && e.Seq < found.Seq && e.Zxid >= found.Zxid {
						r.dump(t)
						t.Error("by the log it was before the znode was made")
					}
				}
				if n := r.count(isIt); n != 1 {
					r.dump(t)
					t.Errorf("the log has it %d times", n)
				}
				if b.hasty {
					t.Error("the run believes a server that may be behind")
				}
			})
		}
	}
}

// badLine forwards the traffic between a run and a server. It delivers the request that the only client sends once
// it is told to speak, but not the answer: the connection ends.
//
// If late is set, the request reaches the server only after the run's own look at it. Else the run's own connection
// receives nothing from then on until the client has another answer, and time to announce what it knows.
type badLine struct {
	addr, server string
	late         bool

	spoken, lost, heard, looked, answered, saidSo gate

	mu     sync.Mutex
	synced bool // the run's own connection has synced since the client was to speak
	hasty  bool // the run looked before it synced
}

// gate is something that happens once.
type gate struct {
	once sync.Once
	c    chan struct{}
}

func (g *gate) open()        { g.once.Do(func() { close(g.c) }) }
func (g *gate) isOpen() bool { return isClosed(g.c) }

func newBadLine(t *testing.T, late bool) *badLine {
	t.Helper()
	server, err := embed.Listen(embed.Config{MaxTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &badLine{addr: l.Addr().String(), server: server.Addr().String(), late: late}
	gates := []*gate{&b.spoken, &b.lost, &b.heard, &b.looked, &b.answered, &b.saidSo}
	for _, g := range gates {
		g.c = make(chan struct{})
	}
	var all sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		server.Close()
		for _, g := range gates {
			g.open()
		}
		all.Wait()
	})
	all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { b.connect(in, &all) })
		}
	})
	return b
}

func (b *badLine) speak() { b.spoken.open() }
func (b *badLine) told()  { b.saidSo.open() }

// connect does the handshake and forwards frames. It recognizes the run's own connection by its timeout.
func (b *badLine) connect(in net.Conn, all *sync.WaitGroup) {
	defer in.Close()
	asked, err := wire.NewFrameReader(oneByOne{in}, maxHello).Next()
	var hello wire.ConnectRequest
	if err != nil || wire.DecodeConnectRequest(asked, &hello) != nil {
		return
	}
	p := &passage{badLine: b, in: in, itself: time.Duration(hello.TimeoutMS)*time.Millisecond != unhurried}
	if p.again = b.lost.isOpen() && !p.itself; p.again {
		<-b.heard.c
	}
	if p.out, err = net.Dial("tcp", b.server); err != nil {
		return
	}
	defer p.out.Close()
	if _, err := p.out.Write(framed(asked)); err != nil {
		return
	}
	all.Go(func() {
		defer in.Close()
		each(p.out, p.answers)
	})
	each(in, p.asks)
}

// each passes the frames of a connection to take until the connection ends or take returns false.
func each(from net.Conn, take func(payload []byte) (more bool)) {
	for frames := wire.NewFrameReader(from, wire.MaxAnswer); ; {
		payload, err := frames.Next()
		if err != nil || !take(payload) {
			return
		}
	}
}

// passage is one connection. The line's mu guards what both directions need.
type passage struct {
	*badLine
	in, out net.Conn
	itself  bool
	again   bool  // the client's connection after the loss
	cut     bool  // the client receives nothing more
	look    int32 // the xid of the run's own last look
}

// asks forwards a request.
func (p *passage) asks(payload []byte) bool {
	var q wire.Request
	switch {
	case wire.DecodeSent(payload, &q) != nil || q.Op == wire.OpPing || !p.spoken.isOpen():
	case p.itself:
		p.mu.Lock()
		switch {
		case q.Op == wire.OpSync:
			p.synced = true
		case !strings.Contains(q.Path, "-clients"):
			p.hasty = p.hasty || !p.synced
			p.look = q.Xid
		}
		p.mu.Unlock()
	case !p.again:
		p.lose(payload)
		return false
	}
	_, err := p.out.Write(framed(payload))
	return err == nil
}

// lose ends the client's connection and delivers the request to the server, now or later.
func (p *passage) lose(payload []byte) {
	p.mu.Lock()
	p.cut = true
	p.mu.Unlock()
	p.lost.open()
	if p.late {
		p.in.Close()
		<-p.looked.c
	}
	if _, err := p.out.Write(framed(payload)); err != nil {
		p.heard.open() // the test is over
	}
	<-p.heard.c
}

// answers forwards a frame from the server.
func (p *passage) answers(payload []byte) bool {
	p.mu.Lock()
	cut, look := p.cut, p.look
	p.mu.Unlock()
	reply, _ := capture.ReadReply(payload) // the answer to a handshake begins with 0
	if cut {
		if reply.Xid > 0 {
			p.heard.open()
		}
		return reply.Xid <= 0
	}
	if p.itself && p.lost.isOpen() && !p.late {
		<-p.answered.c
		select {
		case <-p.saidSo.c:
		case <-time.After(time.Second): // the client announces nothing before the run has looked
			p.told()
		}
	}
	_, err := p.in.Write(framed(payload))
	switch {
	case reply.Xid <= 0:
	case p.again:
		p.answered.open()
	case p.itself && reply.Xid == look && p.lost.isOpen():
		p.looked.open()
	}
	return err == nil
}
