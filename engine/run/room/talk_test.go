package room

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/run/protocol"
)

// talk is a viewer in memory.
type talk struct {
	requests chan []byte
	said     chan protocol.Message // all messages received, except for
	verdicts chan timed
	frames   chan []byte
	refuses  error         // the error for each frame
	slow     time.Duration // how long it takes a message
	pingErr  error         // the error for each ping
	pings    chan time.Time

	once   sync.Once
	cut    chan struct{} // closed at the end
	reason Reason        // the reason, if one was given
	why    string
	served chan struct{} // closed when everything has ended
}

// timed is a verdict, when it came, and how many frames had come before.
type timed struct {
	protocol.Verdict
	at     time.Time
	frames int
}

var errCut = errors.New("the viewer is cut off")

func newTalk() *talk {
	return &talk{
		requests: make(chan []byte), said: make(chan protocol.Message, 10_000),
		verdicts: make(chan timed, 10_000), frames: make(chan []byte, 1000),
		pings: make(chan time.Time, 10_000), cut: make(chan struct{}), served: make(chan struct{}),
	}
}

func (p *talk) Receive(ctx context.Context) ([]byte, error) {
	select {
	case text := <-p.requests:
		if text == nil {
			return nil, ErrNotText
		}
		return text, nil
	case <-p.cut:
		return nil, errCut
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *talk) Message(_ context.Context, text []byte) error {
	time.Sleep(p.slow)
	m, err := protocol.ParseMessage(text)
	switch m := m.(type) {
	case nil:
	case *protocol.Verdict:
		p.verdicts <- timed{*m, time.Now(), len(p.frames)}
	default:
		p.said <- m
	}
	return err
}

func (p *talk) Frame(_ context.Context, frame []byte) error {
	if p.refuses == nil {
		p.frames <- slices.Clone(frame)
	}
	return p.refuses
}

func (p *talk) Ping(context.Context) error { p.pings <- time.Now(); return p.pingErr }

func (p *talk) Close(reason Reason, why string) {
	p.once.Do(func() { p.reason, p.why = reason, why; close(p.cut) })
}

func (p *talk) Cut() { p.once.Do(func() { close(p.cut) }) }

// send reports whether the request was accepted.
func (p *talk) send(text string) bool {
	select {
	case p.requests <- []byte(text):
		return true
	case <-p.cut:
		return false
	}
}

// next returns the next message, or nil if the viewer is disconnected first.
func (p *talk) next() protocol.Message {
	select {
	case m := <-p.said:
		return m
	case <-p.cut:
		return nil
	}
}

// refused returns the next message, which must be a refusal.
func (p *talk) refused(t *testing.T) *protocol.Refusal {
	t.Helper()
	m := p.next()
	r, ok := m.(*protocol.Refusal)
	if !ok {
		t.Fatalf("the viewer is told %+v, not why something is refused", m)
	}
	return r
}

// talkIn connects a viewer that finds rooms in l.
func talkIn(l finder, rs *rooms) *talk { return talkAs(newTalk(), l, rs) }

func talkAs(p *talk, l finder, rs *rooms) *talk {
	conn, err := NewConnections(1, 1).Admit("a", func() {}, time.Now())
	if err != nil {
		panic(err)
	}
	c := visit{v: p, client: "a", connection: conn, finder: l, rooms: rs, frames: newFrames()}
	go func() {
		defer close(p.served)
		c.serve(context.Background(), context.Background())
	}()
	return p
}

// over ends the talk and waits for its end.
func (p *talk) over() { p.Cut(); <-p.served }

// oneRoom is a finder in which only resume finds a room, and opening anything never ends.
type oneRoom struct {
	rs *rooms
	id string
}

// newOneRoom returns a room with that many events and no followers.
func newOneRoom(t *testing.T, events int) *oneRoom {
	rs := newRooms()
	r, err := simRoom(rs, "a", events)
	if err != nil {
		t.Fatal(err)
	}
	rs.leave(r, "a", time.Now())
	return &oneRoom{rs, r.id}
}

func (l *oneRoom) openRoom(ctx context.Context, _ ClientKey, _ protocol.Request) (*room, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
func (l *oneRoom) observe(ClientKey, string, string) (*room, error) {
	return nil, errors.New("not here")
}
func (*oneRoom) window(context.Context, ClientKey, string, string) (*room, error) {
	return nil, errGone
}
func (*oneRoom) openFile(context.Context, ClientKey, string) (*room, error) {
	return nil, errGone
}
func (*oneRoom) whatIf(context.Context, ClientKey, *room, protocol.Request) (*protocol.Fork, error) {
	return nil, errGone
}
func (*oneRoom) explore(context.Context, ClientKey, protocol.Request) (*protocol.Explored, error) {
	return nil, errGone
}
func (l *oneRoom) zoo(ClientKey, protocol.Request) (*room, error) {
	return nil, errors.New("not here")
}
func (l *oneRoom) resume(who ClientKey, _ string) (*room, error) { return l.rs.enter(l.id, who) }

const (
	resumeIt = `{"do":"resume","run":"it"}`
	openAny  = `{"do":"open","query":"recipe=unique-lock"}`
)

// TestPings checks that a viewer is pinged each PingEvery. One that doesn't answer or accepts no frame is
// disconnected, and its room waits to be resumed.
func TestPings(t *testing.T) {
	gone := errors.New("nobody is there")
	t.Run("answered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newOneRoom(t, 1)
			p := talkIn(l, l.rs)
			defer p.over()
			time.Sleep(time.Hour)
			synctest.Wait()
			if n := len(p.pings); n != int(time.Hour/PingEvery) {
				t.Errorf("%d pings in an hour", n)
			}
			select {
			case <-p.cut:
				t.Error("it is cut off")
			default:
			}
		})
	})
	t.Run("not answered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, begin := newOneRoom(t, 1), time.Now()
			p := newTalk()
			p.pingErr = gone
			<-talkAs(p, l, l.rs).served
			if took := time.Since(begin); took != PingEvery {
				t.Errorf("it is cut off after %s", took)
			}
		})
	})
	t.Run("takes no frame", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newOneRoom(t, 10)
			p := newTalk()
			p.refuses = gone
			talkAs(p, l, l.rs)
			p.send(resumeIt)
			<-p.served
			if n := l.rs.countWhere((*room).idle); n != 1 {
				t.Errorf("%d rooms wait to be resumed, want 1", n)
			}
		})
	})
}

// TestBinaryIsRefused checks that a binary message is refused and the viewer stays.
func TestBinaryIsRefused(t *testing.T) {
	l := newOneRoom(t, 1)
	p := talkIn(l, l.rs)
	defer p.over()
	p.requests <- nil
	if r := p.refused(t); words(r.Why) != "the message is binary; send text" {
		t.Errorf("it is told %q", words(r.Why))
	}
	p.send(resumeIt)
	if _, ok := p.next().(*protocol.Run); !ok {
		t.Error("it gets no run after that")
	}
}
