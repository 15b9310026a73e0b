package embed

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
	"github.com/zkviz/zkviz/engine/zoo"
)

// TestObservedStory compares the log of one of everything with a golden one, line by line.
func TestObservedStory(t *testing.T) {
	bubble(t, Config{}, &nowhere{}, func(t *testing.T, s *Server) {
		stop := watchOver(t, s, "/", 0)
		p, q := join(t, s, 10*time.Second), join(t, s, 10*time.Second)
		for i, r := range []wire.Request{
			{Op: wire.OpCreate, Path: "/n-", Data: []byte("one"), Flags: int32(zoo.EphemeralSequential)},
			{Op: wire.OpExists, Path: "/none", Watch: true},
			{Op: wire.OpGetData, Path: "/n-0000000000", Watch: true},
			{Op: wire.OpDelete, Path: "/none", Version: -1},
		} {
			r.Xid, r.ACL = int32(i+1), zoo.OpenACL()
			if _, _, err := p.Do(r); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if err := p.Ping(); err != nil {
			t.Fatal(err)
		}
		set := wire.Request{Op: wire.OpSetData, Path: "/n-0000000000", Data: []byte("three"), Version: 0}
		if _, _, err := q.Do(wire.Request{Op: wire.OpMulti, Ops: []wire.Request{set}}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Recv(); err != nil {
			t.Fatal(err)
		}
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		p.Abort()
		synctest.Wait()
		time.Sleep(12 * time.Second)
		got, err := stop()
		if err == nil {
			t.Error("it was not stopped")
		}
		for i, c := range []*peer.Peer{p, q} {
			got = strings.ReplaceAll(got, fmt.Sprintf("%#x", c.Welcome.Session), fmt.Sprint("SESSION-", i+1))
		}
		golden, err := os.ReadFile("testdata/observed.txt")
		if err != nil {
			t.Fatal(err)
		}
		said, told := strings.Split(got, "\n"), strings.Split(string(golden), "\n")
		for i := range max(len(said), len(told)) {
			if i >= len(said) || i >= len(told) || strings.TrimSpace(said[i]) != told[i] {
				t.Fatalf("line %d is not as it should be in\n%s", i+1, got)
			}
		}
	})
}

// TestObservedLimits meets the limits of a log, one by one.
func TestObservedLimits(t *testing.T) {
	newLog := func(root string, most int) *observation {
		o := newObservation(root, most)
		o.now = func() time.Duration { return 0 }
		o.who = func() string { return "somewhere" }
		return o
	}
	t.Run("events", func(t *testing.T) {
		for asked, want := range map[int]event.Seq{
			-1: MaxObservedEvents, 0: MaxObservedEvents, 1: minObservedEvents, minObservedEvents: minObservedEvents,
			minObservedEvents + 1: minObservedEvents + 1, MaxObservedEvents + 1: MaxObservedEvents,
		} {
			if o := newLog("/", asked); o.most != want {
				t.Errorf("asked for %d, a log has %d", asked, o.most)
			}
		}
		o := newLog("/", minObservedEvents)
		for i := range 2 * minObservedEvents {
			o.append(event.Event{Kind: event.RecipeNote})
			if full := i >= minObservedEvents-1; o.full != full { // there must be room for the last
				t.Fatalf("after %d events it is full: %v", i+1, o.full)
			}
		}
		if len(o.events) != minObservedEvents-1 {
			t.Errorf("%d events", len(o.events))
		}
	})
	t.Run("paths", func(t *testing.T) {
		o := newLog("/", 0)
		fits := "/" + strings.Repeat("x", MaxObservedPath-1)
		for range 2 {
			o.take(1, event.Event{Kind: event.ZnodeCreated, Path: fits})
			o.take(2, event.Event{Kind: event.ZnodeCreated, Path: fits + "x"})
		}
		if e := o.events; len(e) != 3 || e[0].Path != fits || e[1].Kind != event.RecipeNote || e[2].Path != fits {
			t.Errorf("it says %v", o.events)
		}
	})
	t.Run("roots", func(t *testing.T) {
		for path, below := range map[string]bool{"/a": true, "/a/b": true, "/ab": false, "/": false, "/b/a": false} {
			o := newLog("/a", 0)
			if o.take(1, event.Event{Kind: event.ZnodeCreated, Path: path}); len(o.events) > 0 != below {
				t.Errorf("%q: %v", path, o.events)
			}
		}
	})
	t.Run("clients", func(t *testing.T) {
		const room = 200 / 8
		o := newLog("/", 200)
		arrive := func(n event.Actor) {
			o.take(event.Seq(n), event.Event{Kind: event.OpSent, Actor: n})
			o.take(event.Seq(n), event.Event{Kind: event.ZnodeCreated, Path: "/x", Peer: n})
		}
		for n := event.Actor(1); n <= room; n++ {
			arrive(1000 + n)
		}
		if len(o.events) != 3*room || o.clients[1000+room] != room || o.events[0].Text != "somewhere" {
			t.Fatalf("%d events of %d clients", len(o.events), room)
		}
		o.events = nil
		arrive(5000)
		arrive(5001)
		var kinds []event.Kind
		for _, e := range o.events {
			kinds = append(kinds, e.Kind)
		}
		want := []event.Kind{event.RecipeNote, event.ZnodeCreated, event.ZnodeCreated}
		if !slices.Equal(kinds, want) {
			t.Errorf("of those without room it says %v", kinds)
		}
		if o.events[1].Peer != event.ZooKeeper || o.full {
			t.Errorf("it says %v, full %v", o.events[1], o.full)
		}
		o.take(9000, event.Event{Kind: event.SessionExpired, Peer: 1001})
		if arrive(5002); !o.full { // a new log has room again
			t.Error("the log goes on though a new one would have room")
		}
		o = newLog("/", 0)
		for n := event.Actor(1); n <= MaxObservedClients+1; n++ {
			arrive(n)
		}
		if o.clients[MaxObservedClients] != MaxObservedClients || o.clients[MaxObservedClients+1] != event.ZooKeeper {
			t.Errorf("the last clients are %d and %d", o.clients[MaxObservedClients], o.clients[MaxObservedClients+1])
		}
	})
	t.Run("causes", func(t *testing.T) {
		o := newLog("/a", 0)
		o.take(7, event.Event{Kind: event.ZnodeCreated, Path: "/a"})
		o.take(8, event.Event{Kind: event.ZnodeCreated, Path: "/elsewhere", Cause: 7})
		for _, c := range []struct{ theirs, mine event.Seq }{{7, 1}, {8, 1}, {9, 0}, {0, 0}, {7 + recentEvents, 0}} {
			if got := o.cause(c.theirs); got != c.mine {
				t.Errorf("the cause %d is %d, not %d", c.theirs, got, c.mine)
			}
		}
		o.take(7+recentEvents-1, event.Event{Kind: event.ZnodeChanged, Path: "/a", Cause: 7})
		o.take(7+recentEvents, event.Event{Kind: event.ZnodeChanged, Path: "/a", Cause: 7})
		o.take(7+recentEvents+1, event.Event{Kind: event.ZnodeChanged, Path: "/a", Cause: 7})
		for i, want := range []event.Seq{1, 1, 0} {
			if got := o.events[1+i].Cause; got != want {
				t.Errorf("of the change %d the cause is %d, not %d", i, got, want)
			}
		}
	})
	t.Run("exits", func(t *testing.T) {
		o := newLog("/", 0)
		o.take(1, event.Event{Kind: event.SessionClosed, Peer: 1})
		o.take(2, event.Event{Kind: event.SessionExpired, Peer: 2})
		var text []byte
		for _, e := range o.events {
			text = fmt.Appendln(text, e.Kind, e.Actor, e.Peer, e.Cause)
		}
		const want = "client.started client-1 zookeeper 0\nsession.closed zookeeper client-1 0\n" +
			"client.exited client-1 zookeeper 2\nclient.started client-2 zookeeper 0\n" +
			"session.expired zookeeper client-2 0\n"
		if string(text) != want {
			t.Errorf("it says\n%s", text)
		}
	})
}

// TestObservedStart begins with as much as there is room for of what is there.
func TestObservedStart(t *testing.T) {
	const most = 400
	const room = most / 4
	for _, there := range []int{room - 1, room, room + 1} {
		bubble(t, Config{}, &nowhere{}, func(t *testing.T, s *Server) {
			p := join(t, s, 0)
			many := wire.Request{Op: wire.OpMulti}
			watch := wire.Request{Op: wire.OpSetWatches, Xid: -8, RelativeZxid: 1000}
			many.Ops = append(many.Ops, wire.Request{Op: wire.OpCreate, Path: "/a", ACL: zoo.OpenACL()})
			for i := range there - 1 {
				one := wire.Request{Op: wire.OpCreate, Path: fmt.Sprintf("/a/%03d", i), ACL: zoo.OpenACL()}
				many.Ops = append(many.Ops, one)
			}
			for i := range there {
				watch.DataWatches = append(watch.DataWatches, fmt.Sprintf("/a/%03d", i%(there-1)))
				if i == there-1 {
					watch.DataWatches, watch.ChildWatches = watch.DataWatches[:i], []string{"/a"}
				}
			}
			for _, q := range []wire.Request{many, watch} {
				if got, _, err := p.Do(q); err != nil || got.Code != zoo.OK {
					t.Fatal(q.Op, got.Code, err)
				}
			}
			stop := watchOver(t, s, "/a", most)
			text, err := stop()
			if errors.Is(err, event.ErrLogFull) {
				t.Error(err)
			}
			want := min(there, room)
			for part, n := range map[string]int{
				"znode.created": want, "watch.set": want,
				"there are more znodes; the others are left out until they change": there - want,
				"there are more watches; the others are left out":                  there - want,
			} {
				if got := strings.Count(text, part); got != n {
					t.Errorf("of %d it says %q %d times, not %d", there, part, got, n)
				}
			}
		})
	}
}
