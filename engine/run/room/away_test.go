package room

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// logsInside is a system whose observation reports one log of znodes after the other: each has as many as its number,
// and the third doesn't end.
type logsInside struct {
	begun atomic.Int32
}

func (z *logsInside) Place() string { return "127.0.0.1:2181" }

func (z *logsInside) System() event.System {
	return event.System{Kind: event.ZooKeeperSystem, Servers: 1}
}

func (z *logsInside) Inject(fault.Fault) error { return errors.New("nothing") }

func (z *logsInside) Observe(
	ctx context.Context, root string, sink event.Sink, _ int, _ func(func(event.Event) event.Seq),
) error {
	n := z.begun.Add(1)
	for seq := range n {
		sink.Append(event.Event{Seq: event.Seq(seq + 1), Kind: event.ZnodeCreated, Path: fmt.Sprint(root, "/", n)})
	}
	if n < 3 {
		return event.ErrLogFull
	}
	<-ctx.Done()
	return ctx.Err()
}

func (z *logsInside) Contend(string, ZooLog, func(int)) Contenders { return nobody{} }

// lastLog returns a system whose log doesn't end.
func lastLog() *logsInside {
	z := &logsInside{}
	z.begun.Store(2)
	return z
}

// nobody are Contenders that do nothing.
type nobody struct{}

func (nobody) Resize(int) error            { return nil }
func (nobody) Do(int64, fault.Fault) error { return nil }
func (nobody) Now(int64) []event.Event     { return nil }
func (nobody) Close()                      {}

// TestReportZoo reports what a room shows: each log up to its end, and the last one until nobody wants it any more.
func TestReportZoo(t *testing.T) {
	z := &logsInside{}
	s := New(Config{Zoo: z})
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	last := ""
	var err error
	for err = event.ErrLogFull; errors.Is(err, event.ErrLogFull); {
		next := event.Seq(1)
		err = s.ReportZoo(ctx, "a class", "/q", sinkFunc(func(e event.Event) {
			if e.Seq != next {
				t.Errorf("after event %d comes %d", next-1, e.Seq)
			}
			if next++; e.Path == "/q/3" && e.Seq == 3 {
				cancel()
			}
			last = fmt.Sprint(e.Path, " ", e.Seq)
		}))
	}
	if last != "/q/3 3" || !errors.Is(err, context.Canceled) {
		t.Errorf("the last event is %q, and it ends with %v", last, err)
	}
	for _, r := range s.rooms.byID {
		if !r.idle() {
			t.Errorf("the room has followers: %v", r.followers)
		}
	}
}

type sinkFunc func(event.Event)

func (f sinkFunc) Append(e event.Event) { f(e) }

// TestZooOfAClass checks in which room a page is that names a class.
func TestZooOfAClass(t *testing.T) {
	away := map[string]Inside{"there": lastLog(), "also": lastLog()}
	s := New(Config{Zoo: lastLog(), Away: func(class, path string) (Inside, error) {
		if class == "unknown" {
			return nil, errGone
		}
		if path != "/q" {
			return nil, nil
		}
		in := away[class]
		return in, nil
	}})
	defer s.Close()
	enter := func(class, path string) string {
		t.Helper()
		r, err := s.zoo("somebody", protocol.Request{Do: protocol.Zoo, Path: path, Class: class})
		if err != nil {
			return err.Error()
		}
		return r.id
	}
	own, there, also := enter("", "/q"), enter("there", "/q"), enter("also", "/q")
	if own == there || there == also || own == also {
		t.Errorf("the rooms are %s, %s and %s", own, there, also)
	}
	for class, want := range map[string]string{"": own, "there": there, "also": also, "here": own,
		"unknown": errGone.Error()} {
		if got := enter(class, "/q"); got != want {
			t.Errorf("class %q: %s, want %s", class, got, want)
		}
	}
	if at := enter("there", "/p"); at == there || at == own {
		t.Errorf("at another path the room is %s", at)
	}
	r, _ := s.rooms.find(there)
	if err := r.contend(1); err != ErrZooAway {
		t.Errorf("contenders there: %v", err)
	}
}
