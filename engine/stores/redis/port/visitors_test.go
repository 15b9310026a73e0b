package port

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// comeAndGo connects, sends a command and quits, and waits until the server has closed the connection.
func comeAndGo(t *testing.T, s *Server, words ...string) {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write(resp.AppendCommand(resp.AppendCommand(nil, words), []string{"QUIT"})); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(c); err != nil {
		t.Fatal(err)
	}
}

// onlooker reads logs, one after the other, and checks that each one's clients have distinct numbers.
type onlooker struct {
	t    *testing.T
	came map[event.Actor]bool // seen in the log
}

func (o *onlooker) Append(e event.Event) {
	switch e.Kind {
	case event.RunStarted:
		o.came = map[event.Actor]bool{}
	case event.ConnOpened:
		if o.came[e.Actor] {
			o.t.Errorf("%v comes again", e.Actor)
		}
		o.came[e.Actor] = true
	case event.EntrySet:
		if e.Peer != event.ZooKeeper && !o.came[e.Peer] {
			o.t.Errorf("%v is set by %v, who has not come", e.Path, e.Peer)
		}
	}
	if err := e.Valid(); err != nil {
		o.t.Error(err)
	}
}

// TestNumbersComeAgain makes the clients' numbers run out repeatedly, mostly with clients that send no request. Each
// number must mean one client in a log, and a key whose owner's number is reused must lose its owner.
func TestNumbersComeAgain(t *testing.T) {
	s, err := Listen(Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	s.visitors.Most = 10
	ctx, cancel := context.WithCancel(context.Background())
	served, looked := make(chan error), make(chan error)
	go func() { served <- s.Serve(ctx) }()
	o := &onlooker{t: t}
	go func() {
		for {
			if err := s.Observe(ctx, Root, o, 0, nil); !errors.Is(err, event.ErrLogFull) {
				looked <- err
				return
			}
		}
	}()
	for i := range 30 {
		comeAndGo(t, s, "SET", fmt.Sprint("k", i), "v")
		for range 4 {
			comeAndGo(t, s, "INFO") // no log reports that
		}
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := <-looked; !errors.Is(err, context.Canceled) && !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	owners := map[event.Actor]int{}
	s.node.Present(100, func(e event.Event) { owners[e.Peer]++ })
	delete(owners, event.ZooKeeper)
	for who, n := range owners {
		if n > 1 {
			t.Errorf("%v owns what %d clients have written", who, n)
		}
	}
}
