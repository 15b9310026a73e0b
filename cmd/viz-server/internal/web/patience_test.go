package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nhooyr.io/websocket"
)

// talk is a page that is connected in memory to a server with a lobby of the test's.
type talk struct {
	ctx  context.Context // ends after a day
	conn *websocket.Conn
	raw  net.Conn
}

// oneRoom is a lobby in which only resume finds something: the room that a test has opened.
type oneRoom struct {
	rs *rooms
	id string
}

func (l *oneRoom) openRoom(ctx context.Context, _ asker, _ Message) (*room, error) {
	<-ctx.Done() // as something does that takes too long
	return nil, ctx.Err()
}
func (l *oneRoom) observe(asker, string) (*room, error) { return nil, errors.New("not here") }
func (l *oneRoom) zoo(asker, string) (*room, error)     { return nil, errors.New("not here") }
func (l *oneRoom) resume(who asker, _ string) (*room, error) {
	return l.rs.enter(l.id, who)
}

// talkTo connects a page to a room of so many events. The server and the page are gone when end is called.
func talkTo(t *testing.T, events int) (p *talk, left chan struct{}, end func()) {
	rs := newRooms()
	r, err := simRoom(rs, "a", events)
	if err != nil {
		t.Fatal(err)
	}
	seats, left := newSeats(10, 10), make(chan struct{})
	listener, srv := serveInMemory(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		defer close(left)
		sock, err := accept(w, req, patience)
		if err != nil {
			t.Error(err)
			return
		}
		seat, err := seats.take("a", func() {}, time.Now())
		if err != nil {
			t.Error(err)
			return
		}
		c := conn{s: sock, who: "a", seat: seat, lobby: &oneRoom{rs, r.id}, rooms: rs, frames: newFrames()}
		c.serve(context.Background(), context.Background())
	}))
	ctx, cancel := context.WithTimeout(context.Background(), 24*time.Hour)
	p = &talk{ctx: ctx}
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		p.raw = listener.dial()
		return p.raw, nil
	}}
	p.conn, _, err = websocket.Dial(ctx, "ws://localhost/ws", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	p.conn.SetReadLimit(MaxFrame)
	rs.leave(r, "a", time.Now())
	return p, left, func() {
		_ = p.conn.CloseNow()
		_ = p.raw.Close()
		<-left
		_ = srv.Close()
		transport.CloseIdleConnections()
		cancel()
	}
}

func (p *talk) send(text string) error {
	return p.conn.Write(p.ctx, websocket.MessageText, []byte(text))
}

// next is the next message; what ends the connection if there is none.
func (p *talk) next() (said map[string]any, err error) {
	for {
		kind, text, err := p.conn.Read(p.ctx)
		if err != nil {
			return nil, err
		}
		if kind == websocket.MessageText {
			err = json.Unmarshal(text, &said)
			return said, err
		}
	}
}

// after reads until the connection ends and returns when that was, counted from the call, and why.
func (p *talk) after() (took time.Duration, why websocket.CloseError) {
	begin := time.Now()
	for {
		if _, err := p.next(); err != nil {
			_ = errors.As(err, &why)
			return time.Since(begin), why
		}
	}
}

// TestAPageThatTakesNothingIsCut: it gets patience for a frame, and for the answer to a ping.
func TestAPageThatTakesNothingIsCut(t *testing.T) {
	t.Run("of a run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p, left, end := talkTo(t, 10)
			defer end()
			begin := time.Now()
			if err := p.send(`{"do":"resume","run":"it"}`); err != nil {
				t.Fatal(err)
			}
			<-left
			if took := time.Since(begin); took != patience {
				t.Errorf("it is cut off after %s, want %s", took, patience)
			}
		})
	})
	t.Run("of a ping", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p, left, end := talkTo(t, 10)
			defer end()
			begin := time.Now()
			go func() { _, _ = io.Copy(io.Discard, p.raw) }() // it arrives, and nobody answers
			<-left
			if took, want := time.Since(begin), pingEvery+patience; took != want {
				t.Errorf("it is cut off after %s, want %s", took, want)
			}
		})
	})
	t.Run("that reads stays", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p, left, end := talkTo(t, 10)
			defer end()
			go func() { _, _ = io.Copy(io.Discard, reader{p}) }()
			time.Sleep(time.Hour)
			select {
			case <-left:
				t.Error("it is cut off")
			default:
			}
		})
	})
}

// reader reads all that comes.
type reader struct{ *talk }

func (r reader) Read([]byte) (int, error) {
	_, err := r.next()
	return 0, err
}

// TestTooManyMessagesEndTheConnection: MessageBurst at once, then MessagesPerSecond for as long as one likes, and no more.
func TestTooManyMessagesEndTheConnection(t *testing.T) {
	const quiet = `{"do":"resume","run":"it"}`
	for name, c := range map[string]struct {
		rounds, each int
		pause        time.Duration
		closed       bool
	}{
		"a burst":                    {1, MessageBurst, 0, false},
		"one more":                   {1, MessageBurst + 1, 0, true},
		"as many as may be":          {60, MessagesPerSecond, time.Second, false},
		"a few more a second":        {60, MessagesPerSecond + 2, time.Second, true},
		"a burst after a long pause": {2, MessageBurst, time.Hour, false},
		"two after a long pause":     {2, MessageBurst + 1, time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, left, end := talkTo(t, 1)
				defer end()
				why := make(chan websocket.CloseError, 1)
				go func() { _, w := p.after(); why <- w }()
				for range c.rounds {
					for range c.each {
						_ = p.send(quiet)
						synctest.Wait() // it is done: nothing waits
					}
					time.Sleep(c.pause)
				}
				select {
				case <-left:
					if w := <-why; !c.closed || w.Code != closePolicy || w.Reason != "more than 20 messages a second" {
						t.Errorf("the connection is closed: %v", w)
					}
				default:
					if c.closed {
						t.Error("the connection is open")
					}
				}
			})
		})
	}
}

// TestTooManyRefusalsEndTheConnection sends what is refused, slowly enough.
func TestTooManyRefusalsEndTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, end := talkTo(t, 1)
		defer end()
		for i := range MaxRefusals {
			if err := p.send(`{"do":"contend","clients":1}`); err != nil {
				t.Fatalf("message %d: %v", i+1, err)
			}
			if said, err := p.next(); err != nil || said["say"] != "error" || said["do"] != "contend" {
				t.Fatalf("refusal %d is %v, %v", i+1, said, err)
			}
			time.Sleep(time.Second)
		}
		_ = p.send(`{"do":"contend","clients":1}`)
		if _, why := p.after(); why.Code != closePolicy || why.Reason != "too many messages that had to be refused" {
			t.Errorf("after one more the connection ends with %v", why)
		}
	})
}

// TestAsksThatWait counts those that wait while one takes as long as anything may.
func TestAsksThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, end := talkTo(t, 1)
		defer end()
		begin := time.Now()
		send := func(text string) {
			t.Helper()
			if err := p.send(text); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		send(openAny) // which is begun
		for range MaxAsks {
			send(`{"do":"contend","clients":1}`)
			time.Sleep(time.Second / MessagesPerSecond)
		}
		send(`{"do":"contend","clients":2}`)
		if said, err := p.next(); err != nil || said["do"] != "contend" || said["again_ms"] != 5000. ||
			!strings.HasPrefix(fmt.Sprint(said["text"]), "the messages before this one are not done yet") {
			t.Errorf("one more than may wait gets %v, %v", said, err)
		}
		said, err := p.next()
		if took := time.Since(begin); err != nil || said["do"] != "open" || took != answerTimeout {
			t.Errorf("what takes too long ends after %s, want %s, with %v, %v", took, answerTimeout, said, err)
		}
		for i := range MaxAsks {
			if said, err := p.next(); err != nil || said["do"] != "contend" || said["again_ms"] != nil {
				t.Fatalf("message %d of those that waited: %v, %v", i+1, said, err)
			}
		}
	})
}

// TestMessagesCountByTheirBytes until they are done.
func TestMessagesCountByTheirBytes(t *testing.T) {
	c := conn{}
	for _, step := range []struct {
		bytes int
		want  bool
	}{{MaxAskBytes, true}, {1, false}, {0, true}} {
		if got := c.put(ask{bytes: step.bytes}); got != step.want {
			t.Errorf("%d bytes more are taken: %v", step.bytes, got)
		}
	}
	for range 2 {
		c.next()
	}
	if !c.put(ask{bytes: MaxAskBytes}) || c.put(ask{bytes: 1}) {
		t.Error("what is done still counts, or nothing does any more")
	}
}
