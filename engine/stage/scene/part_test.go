package scene_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// watched returns a host's view of some sessions, each of which owns a znode of that name below /app. A name that ends
// in ! makes a znode without an owner.
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
	s.Tree.Order()
	return s
}

// contenders returns n names in kazoo's format.
func contenders(n int, kind func(i int) string) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("%032x__%s__%010d", i, kind(i), i))
	}
	return names
}

func locks(n int) []string { return contenders(n, func(int) string { return "lock" }) }

// states returns the words for the clients, in order: "inside", "waits" and so on.
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

// TestParts checks the role of each owner's znode among its siblings. In the Zoo, the client at the head is only known
// to be first.
func TestParts(t *testing.T) {
	rw := contenders(4, func(i int) string { return [...]string{"rlock", "rlock", "lock", "rlock"}[i] })
	for _, c := range []struct {
		names        []string
		observed, zo string
	}{
		{locks(3), "inside, waits, waits", "first; inside, waits, waits"},
		{rw, "perhaps inside, perhaps inside, waits, waits", "inside, inside, waits, waits"},
		{[]string{"read-0000000000", "read-0000000001", "write-0000000002", "read-0000000003"},
			"inside, inside, waits, waits", "inside, inside, waits, waits"},
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

// TestDoorOfASemaphore checks that the first at the door waits for a permit, although its permit's znode exists.
func TestDoorOfASemaphore(t *testing.T) {
	id := func(i int) string { return fmt.Sprintf("_c_%08d-0000-0000-0000-000000000000", i) }
	for _, host := range []event.Host{event.Observed, event.Embedded} {
		s := watched(host, "leases!", "locks!", "leases/"+id(1)+"-lease-0000000000", "leases/"+id(2)+"-lease-0000000001",
			"locks/"+id(2)+"-lock-0000000001", "locks/"+id(3)+"-lock-0000000002")
		for i, owner := range map[string]int64{"lease-0000000001": 2, "lock-0000000001": 2, "lock-0000000002": 3} {
			for j := range s.Tree.Nodes {
				if strings.HasSuffix(s.Tree.Nodes[j].Path, i) {
					s.Tree.Nodes[j].Owner, s.Tree.Nodes[j].Creator = owner, event.Actor(owner)
				}
			}
		}
		if got := states(s); !strings.HasPrefix(got, "inside, waits, waits") {
			t.Errorf("%s: it tells %q", host, got)
		}
	}
}

// TestPartsAreCounted checks the counts at the foot of the picture.
func TestPartsAreCounted(t *testing.T) {
	says(t, watched(event.Observed, locks(9)...), "10 znodes · 1 inside · 8 waiting")
	says(t, watched(event.Observed, "1", "2"), "3 znodes")
}

// TestStaysInside checks that a persistent znode holds a lock, whether or not its creator is connected.
func TestStaysInside(t *testing.T) {
	names := locks(2)
	for _, host := range []event.Host{event.Observed, event.Embedded} {
		s := watched(host, names[0]+"!", names[1])
		told := tell(s, s.At, scene.Options{Still: true})
		if host == event.Observed {
			says(t, s, "3 znodes · 1 inside · 1 waiting")
		}
		maker := watched(host, names[0], names[1])
		for i := range maker.Tree.Nodes {
			if n := &maker.Tree.Nodes[i]; strings.HasSuffix(n.Path, names[0]) {
				n.Owner, n.Mode = 0, zoo.PersistentSequential
			}
		}
		made := tell(maker, maker.At, scene.Options{Still: true})
		for _, text := range []string{told, made} {
			if strings.Contains(text, "A: inside") || strings.Contains(text, "A: first") {
				t.Errorf("%s: somebody who may have gone has the lock:\n%s", host, text)
			}
		}
	}
}

// numbered returns names with the numbers from to to-1.
func numbered(name string, from, to int) (all []string) {
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprintf("%s-%010d", name, i))
	}
	return all
}

// TestThousandOwners checks that each owner is drawn with its role although all are dots, and none as gone.
func TestThousandOwners(t *testing.T) {
	theme := display.Light()
	for _, c := range []struct {
		names                []string
		inside, waits, there int
	}{
		{locks(1000), 0, 999, 0}, // the one inside has a letter
		{contenders(1000, func(int) string { return "party" }), 0, 0, 1000},
		{append(numbered("read", 0, 500), numbered("write", 500, 1000)...), 495, 500, 0},
	} {
		var f scene.Frame
		s := watched(event.Observed, append(c.names, "config!")...)
		f.Draw(s, s.At, scene.Options{Words: english, Width: 760, Height: 470, Theme: theme})
		inside, full, rings, gone := 0, 0, 0, 0
		for i := range f.Ops {
			switch o := &f.Ops[i]; {
			case o.Kind != display.Circle:
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

// TestEverythingCanBeReached moves the selection by key, on stages of all sizes, and checks that it passes every owner
// and every znode, however many there are. The selected one must be in the picture.
func TestEverythingCanBeReached(t *testing.T) {
	var rows []string
	for i := range 126 {
		rows = append(rows, fmt.Sprintf("setting%03d!", i))
	}
	var below []string
	for _, name := range locks(126) {
		below = append(below, "lock/"+name)
	}
	items := contenders(300, func(int) string { return "item" })
	for i := range items {
		items[i] += "!"
	}
	for name, s := range map[string]*view.State{
		"a queue":  watched(event.Observed, locks(300)...),
		"readers":  watched(event.Observed, contenders(90, func(int) string { return "rlock" })...),
		"rows":     watched(event.Observed, rows...),
		"a tree":   watched(event.Observed, append(append(rows, "lock!"), below...)...),
		"items":    watched(event.Observed, items...),
		"visitors": watched(event.Embedded, locks(90)...),
	} {
		for _, size := range [][2]float64{{628, 418}, {390, 320}, {1100, 640}} {
			missing := map[string]bool{}
			for i := range s.Clients {
				missing[s.Clients[i].Name] = true
			}
			for i := range s.Tree.Nodes {
				missing[s.Tree.Nodes[i].Path] = true
			}
			var f scene.Frame
			o := scene.Options{Words: english, Width: size[0], Height: size[1], Theme: display.Light()}
			for n := 0; len(missing) > 0; n++ {
				f.Draw(s, s.At, o)
				if hit, ok := f.Find(o.Selected); o.Selected != "" && (!ok || hit.W == 0) {
					t.Fatalf("%s, %v: %s is selected, and not in the picture", name, size, o.Selected)
				}
				if n > 3000 {
					t.Fatalf("%s, %v: the key does not come by %d things, as %s", name, size, len(missing), one(missing))
				}
				o.Selected = f.Next(o.Selected, 1)
				delete(missing, o.Selected)
			}
		}
	}
}

// TestTurn turns the pages forward and back, each once, and checks that words lead from one to the next.
func TestTurn(t *testing.T) {
	var rows []string
	for i := range 126 {
		rows = append(rows, fmt.Sprintf("setting%03d!", i))
	}
	items := contenders(300, func(int) string { return "item" })
	for i := range items {
		items[i] += "!"
	}
	for name, c := range map[string]struct {
		s     *view.State
		pages int
	}{
		"a queue":               {watched(event.Observed, locks(300)...), 50}, // 6 after the holder
		"a tree":                {watched(event.Observed, append([]string{"config!"}, locks(300)...)...), 75},
		"rows":                  {watched(event.Observed, rows...), 4},
		"items":                 {watched(event.Observed, items...), 10},
		"few":                   {watched(event.Observed, locks(9)...), 1},
		"a crowd of a recipe's": {queued("children-lock", 200), 1},
	} {
		var layout scene.Layout
		o := scene.Options{Words: english, Width: 628, Height: 418, Theme: display.Light()}
		turn := func(back bool) (pages int) {
			for {
				pages++
				to := layout.Plan(c.s, c.s.At, o).Turn(back)
				if to == "" || pages > 400 {
					return pages
				}
				if o.Selected = to; !told(c.s, o, to) {
					t.Fatalf("%s: nothing tells of %s", name, to)
				}
			}
		}
		there := turn(false)
		if back := turn(true); there != c.pages || back != there {
			t.Errorf("%s: there are %d pages, back %d; want %d", name, there, back, c.pages)
		}
	}
}

// told reports whether the picture in words has an entry that selects id.
func told(s *view.State, o scene.Options, id string) bool {
	var layout scene.Layout
	return slices.ContainsFunc(layout.Plan(s, s.At+time.Minute, o).Tell(), func(e scene.Entry) bool { return e.ID == id })
}

// TestAllAreTold checks that, with words alone, any of hundreds of clients leads to all clients and znodes.
func TestAllAreTold(t *testing.T) {
	for name, s := range map[string]*view.State{
		"a queue": watched(event.Observed, locks(300)...),
		"a tree":  watched(event.Observed, append([]string{"config!"}, locks(300)...)...),
	} {
		missing := map[string]bool{}
		for i := range s.Clients {
			missing[s.Clients[i].Name] = true
		}
		for i := range s.Tree.Nodes {
			missing[s.Tree.Nodes[i].Path] = true
		}
		o := scene.Options{Words: english, Width: 1400, Height: 788, Still: true}
		queue, asked := []string{""}, map[string]bool{}
		for ; len(queue) > 0 && len(missing) > 0; queue = queue[1:] {
			var layout scene.Layout
			o.Selected = queue[0]
			for _, e := range layout.Plan(s, s.At, o).Tell() {
				delete(missing, e.ID)
				if !asked[e.ID] && (strings.HasPrefix(e.Text, "And") || strings.HasPrefix(e.Text, "+")) {
					asked[e.ID] = true
					queue = append(queue, e.ID)
				}
			}
		}
		if len(missing) > 0 {
			t.Errorf("%s: the words lead nowhere to %d things, as %s", name, len(missing), one(missing))
		}
	}
}

func one(set map[string]bool) string {
	for s := range set {
		return s
	}
	return ""
}

// TestHolderAndSelected checks that the holder and the selected client are readable among hundreds: in a queue and
// below other znodes, also on a phone. The others are counted.
func TestHolderAndSelected(t *testing.T) {
	below := watched(event.Observed, append([]string{"config!"}, locks(300)...)...)
	want := []string{"000", "149", "A", "150", "+1"}
	for name, c := range map[string]struct {
		s        *view.State
		selected string
		want     []string
	}{
		"a queue":     {watched(event.Observed, locks(300)...), "client-150", []string{"000", "149", "A", "150", "+2"}},
		"a tree":      {below, "client-150", want},
		"by its path": {below, "/app/" + locks(300)[149], want},
	} {
		for _, size := range [][2]float64{{628, 418}, {390, 320}} {
			var f scene.Frame
			f.Draw(c.s, c.s.At, scene.Options{Words: english, Width: size[0], Height: size[1], Theme: display.Light(),
				Selected: c.selected})
			var said []string
			for i := range f.Ops {
				if f.Ops[i].Kind == display.Text {
					said = append(said, f.Ops[i].Text)
				}
			}
			for _, want := range c.want {
				found := slices.ContainsFunc(said, func(s string) bool {
					name, _, _ := strings.Cut(s, "·")
					return s == want || len(want) == 3 && strings.HasSuffix(name, want) || want[0] == '+' && strings.HasPrefix(s, want)
				})
				if !found {
					t.Errorf("%s, %v: the picture does not say %q, but %q", name, size, want, said)
				}
			}
		}
	}
}

// TestUnseenServers checks that, if zkviz only taps clients, no server is drawn as down or in no epoch: nothing reports
// that.
func TestUnseenServers(t *testing.T) {
	s := view.NewFor(event.Header{Host: event.Tapped, Root: "/", Systems: []event.System{
		{Kind: event.ZooKeeperSystem, Servers: 2, Addresses: []string{"zk1:2181", "zk2:2181"}}}})
	for i, e := range []event.Event{{Kind: event.RunStarted, Path: "/"}, {Kind: event.ClientStarted, Actor: 1},
		{Kind: event.SessionCreated, Peer: 1, Session: 7},
		{Kind: event.ConnOpened, Actor: 1, Peer: event.Server(2), Session: 7}, {Kind: event.ZnodeCreated, Path: "/a"},
		{Kind: event.OpSent, Actor: 1, Op: event.Get, Path: "/a"},
		{Kind: event.MsgSent, Peer: 1, Op: event.Get, Path: "/a"},
		{Kind: event.OpDone, Actor: 1, Op: event.Get, Path: "/a"}} {
		e.Seq, e.At = event.Seq(i+1), time.Second
		s.Apply(e)
	}
	s.Tree.Order()
	told := tell(s, s.At, scene.Options{Still: true})
	for _, not := range []string{"down", "epoch", "out of reach"} {
		if strings.Contains(told, not) {
			t.Errorf("%q is told:\n%s", not, told)
		}
	}
	if len(s.Ensemble.Servers) > 0 {
		t.Errorf("it has servers: %+v", s.Ensemble.Servers)
	}
}
