package port

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/redis/resp"
)

// comeAndGo has a client come, say something, and go, and waits until the server has let it go.
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

// onlooker reads logs, one after the other, and wants each to tell every client from all others.
type onlooker struct {
	t    *testing.T
	came map[event.Actor]bool // in the log
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

// TestNumbersComeAgain has the numbers of clients run out again and again, most of them for clients who say nothing:
// each log tells of one client under one number, and nobody owns what one has written whose number another has.
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
			comeAndGo(t, s, "INFO") // which is nothing that a log tells
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
