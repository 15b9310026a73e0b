package scene_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/engine/zoo"
	"github.com/zkviz/zkviz/wasm/scene"
)

// watched is what a host sees of some sessions, of which each owns a znode of that name below /app; one whose name
// ends in ! is nobody's.
func watched(host event.Host, names ...string) *view.State {
	s := view.NewFor(event.Header{Host: host, Root: "/app"})
	apply := func(e event.Event) {
		e.Seq, e.At = s.Seq+1, time.Second
		s.Apply(e)
	}
	apply(event.Event{Kind: event.RunStarted, Path: "/app"})
	apply(event.Event{Kind: event.ZnodeCreated, Path: "/app", Mode: uint8(zoo.Persistent)})
	who := event.Actor(0)
	for _, name := range names {
		e := event.Event{Kind: event.ZnodeCreated, Path: "/app/" + strings.TrimSuffix(name, "!"),
			Mode: uint8(zoo.PersistentSequential)}
		if e.Path == "/app/"+name {
			who++
			e.Peer, e.Session, e.Mode = who, int64(who), uint8(zoo.EphemeralSequential)
			apply(event.Event{Kind: event.ClientStarted, Actor: who})
			apply(event.Event{Kind: event.SessionCreated, Peer: who, Session: e.Session})
			apply(event.Event{Kind: event.ConnOpened, Actor: who, Session: e.Session})
		}
		apply(e)
	}
	s.Order()
	return s
}

// contenders are n names of kazoo's.
func contenders(n int, kind func(i int) string) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("%032x__%s__%010d", i, kind(i), i))
	}
	return names
}

func locks(n int) []string { return contenders(n, func(int) string { return "lock" }) }

// states are what is told of the clients, in order: "inside", "waits" and so on.
func states(s *view.State) string {
	var all []string
	for _, line := range strings.Split(tell(s, s.At, scene.Options{Still: true}), "\n") {
		if _, text, ok := strings.Cut(line, " | "); ok && strings.HasPrefix(line, "client-") {
			_, text, _ = strings.Cut(text, ": ")
			all = append(all, strings.TrimSuffix(strings.TrimSuffix(text, "."), "; yours"))
		}
	}
	return strings.Join(all, ", ")
}

// TestParts says of each owner what its znode is to its siblings. Of the one first in line in the Zoo no more is known
// than that.
func TestParts(t *testing.T) {
	rw := contenders(4, func(i int) string { return [...]string{"rlock", "rlock", "lock", "rlock"}[i] })
	for _, c := range []struct {
		names        []string
		observed, zo string
	}{
		{locks(3), "inside, waits, waits", "first; inside, waits, waits"},
		{rw, "inside, inside, waits, waits", "inside, inside, waits, waits"},
		{[]string{"lease-1-0000000000", "lease-2-0000000001"}, "inside, inside", "inside, inside"},
		{[]string{"n_0000000000", "n_0000000001"}, "leads; inside, waits", "first; inside, waits"},
		{[]string{"1", "2"}, "member, member", "member, member"},
		{[]string{"~0000000000", "~0000000001"}, "owner, owner", "first; inside, waits"},
		{[]string{"lock-0000000000!", "lock-0000000001", "lock-0000000002"}, "waits, waits", "waits, waits"},
		{[]string{"log-0000000000!", "log-0000000001!"}, "", ""},
	} {
		for host, want := range map[event.Host]string{event.Observed: c.observed, event.Embedded: c.zo} {
			if got := states(watched(host, c.names...)); got != want {
				t.Errorf("%s, %q: it tells %q, not %q", host, c.names, got, want)
			}
		}
	}
}

// TestPartsAreCounted in the foot of the picture.
func TestPartsAreCounted(t *testing.T) {
	says(t, watched(event.Observed, locks(9)...), "10 znodes · 1 inside · 8 waiting")
	says(t, watched(event.Observed, "1", "2"), "3 znodes")
}

// TestThousandOwners draws each of them as what it is though all are too small for a letter: none as gone.
func TestThousandOwners(t *testing.T) {
	theme := scene.Light()
	for _, c := range []struct {
		names                []string
		inside, waits, there int
	}{
		{locks(1000), 1, 999, 0},
		{contenders(1000, func(int) string { return "party" }), 0, 0, 1000},
		{contenders(1000, func(i int) string { return [...]string{"rlock", "lock"}[i/500] }), 500, 500, 0},
	} {
		var f scene.Frame
		s := watched(event.Observed, c.names...)
		f.Draw(s, s.At, scene.Options{Words: english, Width: 760, Height: 470, Theme: theme})
		inside, full, rings, gone := 0, 0, 0, 0
		for i := range f.Ops {
			switch o := &f.Ops[i]; {
			case o.Kind != scene.Circle:
			case o.Fill == theme.Accent:
				inside++
			case o.Fill == theme.Soft:
				full++
			case o.Stroke == theme.Soft:
				rings++
			case o.Stroke == theme.Grey:
				gone++
			}
		}
		if inside != c.inside || full != c.waits+c.there || rings != c.there || gone > 0 {
			t.Errorf("%d are inside, %d wait, %d are there and %d are gone; want %d, %d, %d and 0", inside, full-rings, rings,
				gone, c.inside, c.waits, c.there)
		}
	}
}
