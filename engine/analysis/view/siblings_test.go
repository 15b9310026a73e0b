package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

var partNames = [...]string{view.Apart: "apart", view.First: "first", view.Later: "later", view.Inside: "inside",
	view.Leads: "leads", view.Waits: "waits", view.Item: "item", view.Member: "member",
	view.Unsure: "unsure"}

// kinOf describes a znode among its siblings: "waits 2/3 after a of lock, 1 inside".
func kinOf(s *view.State, path string) string {
	k := s.Kin(path)
	text := partNames[k.Part]
	if k.All > 0 {
		text += fmt.Sprintf(" %d/%d", k.Nth+1, k.All)
	}
	if k.After != "" {
		text += " after " + k.After[strings.LastIndexByte(k.After, '/')+1:]
	}
	if k.Use != "" {
		text += fmt.Sprintf(" of %s, %d inside", k.Use, k.Inside)
	}
	return text
}

// TestDoorBeforePermits checks that a folder becomes a semaphore's door with its first permit: who is first there has
// not got one yet. Asking again what a znode belongs to looks at no other znode.
func TestDoorBeforePermits(t *testing.T) {
	const id = "_c_0c5d7c0e-1f0e-4b8e-9f43-1f2c5a1a000"
	s := view.NewFor(event.Header{Host: event.Observed, Root: "/"})
	create := func(path string, session int64) {
		mode := zoo.Persistent
		if session != 0 {
			mode = zoo.EphemeralSequential
		}
		s.Apply(event.Event{Seq: s.Seq + 1, Kind: event.ZnodeCreated, Path: path, Session: session, Mode: uint8(mode)})
	}
	for _, path := range []string{"/m", "/m/locks", "/m/leases"} {
		create(path, 0)
	}
	create("/m/locks/"+id+"1-lock-0000000001", 1)
	create("/m/locks/"+id+"2-lock-0000000002", 2)
	if got := kinOf(s, "/m/locks/"+id+"1-lock-0000000001"); got != "inside 1/2 of lock, 1 inside" {
		t.Errorf("without permits the first is: %s", got)
	}
	create("/m/leases/"+id+"1-lease-0000000001", 1)
	if got := kinOf(s, "/m/locks/"+id+"1-lock-0000000001"); got != "first 1/2 of lock, 0 inside" {
		t.Errorf("at the door the first is: %s", got)
	}
	for i := range int64(100) {
		create(fmt.Sprintf("/m/leases/%s2-lease-%010d", id, 2+i), 2+i)
	}
	at, waits := s.Group("/m/locks")
	if n := testing.AllocsPerRun(10, func() { s.Group("/m/locks") }); at != "/m" || !waits || n > 20 {
		t.Errorf("the door belongs to %s, %t, and asking again costs %v allocations", at, waits, n)
	}
}

// TestKin follows the relations among the children of a znode as they come and go. Children of other znodes don't
// matter.
func TestKin(t *testing.T) {
	s := view.NewFor(event.Header{Host: event.Observed, Root: "/"})
	apply := func(e event.Event) {
		e.Seq = s.Seq + 1
		s.Apply(e)
	}
	create := func(path string, session int64) {
		mode := zoo.PersistentSequential
		if session != 0 {
			mode = zoo.EphemeralSequential
		}
		apply(event.Event{Kind: event.ZnodeCreated, Path: path, Session: session, Mode: uint8(mode)})
	}
	is := func(path, want string) {
		t.Helper()
		if got := kinOf(s, path); got != want {
			t.Errorf("%s is: %s; want: %s", path, got, want)
		}
	}
	const (
		hex   = "/0123456789abcdef0123456789abcdef__"
		after = " after 0123456789abcdef0123456789abcdef__"
	)
	create("/rw", 0)
	create("/rw"+hex+"rlock__0000000001", 1)
	create("/rw"+hex+"rlock__0000000002", 2)
	create("/rw"+hex+"lock__0000000003", 3)
	create("/rw"+hex+"rlock__0000000004", 4)
	apply(event.Event{Kind: event.ZnodeCreated, Path: "/was", Mode: uint8(zoo.Persistent)})
	create("/was"+hex+"rlock__0000000000", 1)
	create("/was"+hex+"lock__0000000001", 2)
	apply(event.Event{Kind: event.ZnodeDeleted, Path: "/was" + hex + "rlock__0000000000"})
	is("/was"+hex+"lock__0000000001", "inside 1/1 of read-write, 1 inside")
	apply(event.Event{Kind: event.ZnodeDeleted, Path: "/was" + hex + "lock__0000000001"})
	create("/was"+hex+"lock__0000000002", 3)
	is("/was"+hex+"lock__0000000002", "inside 1/1 of read-write, 1 inside")
	create("/rw.", 0)
	create("/rw0", 0)
	is("/rw"+hex+"rlock__0000000001", "unsure 1/4 of read-write, 0 inside")
	is("/rw"+hex+"rlock__0000000002", "unsure 2/4 of read-write, 0 inside")
	is("/rw"+hex+"lock__0000000003", "waits 3/4"+after+"rlock__0000000002 of read-write, 0 inside")
	is("/rw"+hex+"rlock__0000000004", "waits 4/4"+after+"lock__0000000003 of read-write, 0 inside")
	apply(event.Event{Kind: event.ZnodeDeleted, Path: "/rw" + hex + "lock__0000000003"})
	is("/rw"+hex+"rlock__0000000004", "inside 3/3 of read-write, 3 inside")
	is("/rw"+hex+"lock__0000000003", "apart")
	is("/rw", "apart")
	is("/nowhere", "apart")
	is("/", "apart")

	for i := range 3 {
		create(fmt.Sprintf("/log/log-%010d", i), 0)
		create(fmt.Sprintf("/latch/n_%010d", i), int64(i+1))
		create(fmt.Sprintf("/sem/lease-1a-%010d", i), int64(i+1))
		create(fmt.Sprintf("/ids/%d", i), int64(i+1))
		create(fmt.Sprintf("/own/mine~%010d", i), int64(i+1))
		create(fmt.Sprintf("/jobs/mine~%010d", i), 0)
	}
	is("/log/log-0000000001", "item 2/3 of queue, 0 inside")
	is("/latch/n_0000000000", "leads 1/3 of election, 1 inside")
	is("/latch/n_0000000001", "waits 2/3 after n_0000000000 of election, 1 inside")
	is("/sem/lease-1a-0000000002", "inside 3/3 of permits, 3 inside")
	is("/ids/2", "member 3/3 of members, 3 inside")
	is("/own/mine~0000000000", "first 1/3")
	is("/own/mine~0000000002", "later 3/3 after mine~0000000001")
	is("/jobs/mine~0000000002", "item 3/3")

	create("/ghosts/lock-0000000000", 0)
	create("/ghosts/lock-0000000001", 1)
	create("/ghosts/lock-0000000002", 2)
	is("/ghosts/lock-0000000000", "first 1/3 of lock, 0 inside")
	is("/ghosts/lock-0000000001", "waits 2/3 after lock-0000000000 of lock, 0 inside")
}

// TestLostWhileWaiting checks that a reader that waited behind a writer when it lost its connection hasn't come in
// by that, and that one that was inside still is. Only the clients' requests show which of them it was.
func TestLostWhileWaiting(t *testing.T) {
	const name = "/0123456789abcdef0123456789abcdef__"
	s := view.NewFor(event.Header{Host: event.Embedded, Root: "/"})
	apply := func(e event.Event) {
		e.Seq = s.Seq + 1
		s.Apply(e)
	}
	apply(event.Event{Kind: event.ZnodeCreated, Path: "/rw"})
	paths := []string{name + "rlock__0000000000", name + "rlock__0000000001", name + "lock__0000000002"}
	for i, path := range paths {
		paths[i] = "/rw" + path
		who := event.Actor(i + 1)
		apply(event.Event{Kind: event.ClientStarted, Actor: who})
		apply(event.Event{Kind: event.SessionCreated, Peer: who, Session: int64(who)})
		apply(event.Event{Kind: event.ConnOpened, Actor: who, Session: int64(who)})
		apply(event.Event{Kind: event.ZnodeCreated, Peer: who, Path: paths[i], Session: int64(who),
			Mode: uint8(zoo.EphemeralSequential)})
	}
	watch := func(kind event.Kind) {
		apply(event.Event{Kind: kind, Peer: 2, Path: paths[2], Watch: event.DataWatch})
	}
	are := func(when, first, second string) {
		t.Helper()
		for i, want := range []string{first, second} {
			if got := partNames[s.Kin(paths[i]).Part]; got != want {
				t.Errorf("%s, %s is: %s; want: %s", when, paths[i], got, want)
			}
		}
	}
	watch(event.WatchSet)
	are("connected", "inside", "waits")
	watch(event.WatchRemoved)
	apply(event.Event{Kind: event.ConnClosed, Actor: 2, Reason: event.ConnLost})
	apply(event.Event{Kind: event.ConnClosed, Actor: 1, Reason: event.ConnLost})
	are("cut off", "inside", "waits")
	apply(event.Event{Kind: event.ConnOpened, Actor: 2, Session: 2})
	are("back", "inside", "waits")
	watch(event.WatchSet)
	watch(event.WatchFired)
	apply(event.Event{Kind: event.ZnodeDeleted, Path: paths[2], Reason: event.ByOp})
	are("let in", "inside", "inside")
}
