package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// client is a connection that records its last reply, its end and its watch events.
type client struct {
	last
	why  event.Reason
	conn *server.Conn
	told []string
}

func (c *client) Notify(n wire.Notification, _ event.Watch, _ event.Seq) {
	c.told = append(c.told, fmt.Sprint(n.Type, n.Path))
}

func (c *client) Close(why event.Reason, _ event.Seq) { c.why = why }

func enter(s *server.Server) *client {
	c := &client{}
	c.conn = s.Connect(c, server.From{})
	c.conn.Greet(&wire.ConnectRequest{TimeoutMS: 10_000}, 0, 0)
	return c
}

func (c *client) do(q wire.Request) zoo.Code {
	c.conn.Handle(&q, 0, 0)
	return c.reply.Code
}

// TestWatchLimits sets watches up to each limit. An existing watch can be set again, and a used one makes room.
func TestWatchLimits(t *testing.T) {
	for name, limits := range map[string]server.Limits{
		"of all":  {Watches: 4},
		"of one":  {WatchesPerConn: 4},
		"of path": {WatchBytes: 8},
	} {
		s := server.New(server.Config{Limits: limits})
		c := enter(s)
		exists := func(path string) wire.Request { return wire.Request{Op: wire.OpExists, Path: path, Watch: true} }
		for _, path := range []string{"/a", "/b", "/c", "/d", "/a"} {
			if code := c.do(exists(path)); code != zoo.ErrNoNode {
				t.Fatalf("%s: a watch on %s: %v", name, path, code)
			}
		}
		create := wire.Request{Op: wire.OpCreate, Path: "/x", ACL: zoo.OpenACL()}
		if code := c.do(create); code != zoo.OK {
			t.Fatal(code)
		}
		for _, q := range []wire.Request{
			exists("/e"), exists("/x"),
			{Op: wire.OpGetData, Path: "/x", Watch: true},
			{Op: wire.OpGetChildren, Path: "/x", Watch: true},
			{Op: wire.OpGetChildren2, Path: "/x", Watch: true},
			{Op: wire.OpAddWatch, Path: "/x"},
			{Op: wire.OpAddWatch, Path: "/x", Mode: wire.WatchPersistentRecursive},
		} {
			if code := c.do(q); code != zoo.ErrQuotaExceeded {
				t.Errorf("%s: %v beyond the limit: %v", name, q.Op, code)
			}
		}
		if code := c.do(wire.Request{Op: wire.OpGetData, Path: "/x"}); code != zoo.OK {
			t.Errorf("%s: without a watch: %v", name, code)
		}
		create.Path = "/a" // uses up the watch on it
		c.do(create)
		if code := c.do(exists("/x")); code != zoo.OK {
			t.Errorf("%s: when there is room again: %v", name, code)
		}
		if n := s.WatchSummary().All; n != 4 {
			t.Errorf("%s: %d watches stand", name, n)
		}
	}
}

// TestWatchesAreKeptForWhoHasFew lets greedy clients set all watches that they get. Others still get some each until
// none are left, but not more than their share and not on long paths.
func TestWatchesAreKeptForWhoHasFew(t *testing.T) {
	s := server.New(server.Config{Limits: server.Limits{Watches: 40, WatchesPerConn: 30, WatchBytes: 400, WatchesKept: 5}})
	watch := func(c *client, path string) bool {
		return c.do(wire.Request{Op: wire.OpExists, Path: path, Watch: true}) == zoo.ErrNoNode
	}
	most := func(c *client, name string) (n int) {
		for n < 100 && watch(c, fmt.Sprintf("/%s%d", name, n)) {
			n++
		}
		return n
	}
	if a, b := most(enter(s), "a"), most(enter(s), "b"); a != 30 || b != 5 {
		t.Errorf("the greedy ones got %d and %d watches, want all that others do not need, 30, and 5", a, b)
	}
	late := enter(s)
	if watch(late, "/much-longer-than-others-are") {
		t.Error("a watch on a long path was set where room is kept for short ones")
	}
	if n := most(late, "c"); n != 5 {
		t.Errorf("who came late got %d watches, want 5", n)
	}
	if n := most(enter(s), "d"); n != 0 {
		t.Errorf("%d watches were set beyond all", n)
	}
}

// TestTooManyToComeBackWith checks that a client that returns with too many watches is disconnected. With only some of
// them it would wait for events that never come.
func TestTooManyToComeBackWith(t *testing.T) {
	s := server.New(server.Config{Limits: server.Limits{Watches: 4}})
	c := enter(s)
	c.do(wire.Request{Op: wire.OpSetWatches, ExistWatches: []string{"/a", "/b", "/c", "/d", "/e"}})
	if c.why != event.ConnTooManyWatches || s.WatchSummary().All != 0 {
		t.Errorf("closed for %q, with %d watches left", c.why, s.WatchSummary().All)
	}
}

// TestIdentityLimits adds too many identities, and one that is too long.
func TestIdentityLimits(t *testing.T) {
	s := server.New(server.Config{Limits: server.Limits{IDs: 3, IDBytes: 1000}})
	auth := func(secret string) wire.Request {
		return wire.Request{Op: wire.OpAuth, Scheme: "digest", Auth: []byte(secret)}
	}
	c := enter(s)
	for i := range 3 {
		if code := c.do(auth(fmt.Sprintf("u%d:p", i))); code != zoo.OK {
			t.Fatal(i, code)
		}
	}
	if code := c.do(auth("one:more")); code != zoo.ErrAuthFailed || c.why != event.ConnTooManyIDs {
		t.Errorf("one more is answered with %v, and closed for %q", code, c.why)
	}
	c = enter(s)
	if code := c.do(auth("u:" + strings.Repeat("p", 1000))); code != zoo.ErrAuthFailed || c.why != event.ConnTooManyIDs {
		t.Errorf("a long one is answered with %v, and closed for %q", code, c.why)
	}
}

// TestPartLimits sends each kind of multi with one part too many.
func TestPartLimits(t *testing.T) {
	s := server.New(server.Config{Limits: server.Limits{Parts: 2}})
	c := enter(s)
	for of, part := range map[wire.Op]wire.Op{wire.OpMulti: wire.OpCheck, wire.OpMultiRead: wire.OpGetData} {
		q := wire.Request{Op: of}
		for n := range 4 {
			want := zoo.OK
			if n > 2 {
				want = zoo.ErrMarshalling
			}
			if code := c.do(q); code != want {
				t.Errorf("%v of %d parts: %v", of, n, code)
			}
			q.Ops = append(q.Ops, wire.Request{Op: part, Path: "/", Version: -1})
		}
	}
}

// TestTickInPortions ends sessions and deletes containers a few at a time. Each is checked again before it goes.
func TestTickInPortions(t *testing.T) {
	s := server.New(server.Config{ContainerCheck: time.Second})
	var c *client
	for range 10 {
		c = enter(s)
	}
	for i := range 10 {
		path := fmt.Sprintf("/c%d", i)
		c.do(wire.Request{Op: wire.OpCreateContainer, Path: path, ACL: zoo.OpenACL(), Flags: int32(zoo.Container)})
		c.do(wire.Request{Op: wire.OpCreate, Path: path + "/k", ACL: zoo.OpenACL()})
		c.do(wire.Request{Op: wire.OpDelete, Path: path + "/k", Version: -1})
	}
	steps := 1
	for ; s.TickSome(time.Minute, 3); steps++ {
		if left := 10 - 3*steps; s.NumSessions() != max(left, 0) {
			t.Errorf("after step %d there are %d sessions", steps, s.NumSessions())
		}
		if steps == 5 { // a container that is due is used again before its turn
			c = enter(s)
			c.do(wire.Request{Op: wire.OpCreate, Path: "/c9/k", ACL: zoo.OpenACL()})
		}
	}
	if s.Tree().Mortals() != 1 || steps != 7 {
		t.Errorf("%d containers are left after %d steps", s.Tree().Mortals(), steps)
	}
}

// TestEndsOfOwnersInPortions expires sessions that own ephemeral znodes. The znodes count, so a portion ends at most
// one session that owns as many as a portion has.
func TestEndsOfOwnersInPortions(t *testing.T) {
	s := server.New(server.Config{})
	for i := range 6 {
		c := enter(s)
		for k := range 5 * (i % 2) {
			c.do(wire.Request{Op: wire.OpCreate, Path: fmt.Sprintf("/e%d-%d", i, k), ACL: zoo.OpenACL(),
				Flags: int32(zoo.Ephemeral)})
		}
		if n := c.conn.Owned(); n != 5*(i%2) {
			t.Errorf("session %d owns %d znodes", i, n)
		}
	}
	var left []int
	for more := true; more; {
		more = s.TickSome(time.Minute, 5)
		left = append(left, s.NumSessions())
	}
	if want := []int{4, 2, 0}; !slices.Equal(left, want) {
		t.Errorf("after each portion there are %v sessions, want %v", left, want)
	}
}

// forgotten loses a connection, lets another change a znode that it watched, and removes its watches in portions.
func forgotten(t *testing.T, s *server.Server, c, other *client, most int) {
	t.Helper()
	told := len(c.told)
	c.conn.Lost(0, 0)
	other.do(wire.Request{Op: wire.OpSetData, Path: "/1", Version: -1})
	for more := true; more; {
		before := s.WatchSummary().All
		more = c.conn.Forget()
		if gone := before - s.WatchSummary().All; gone > most || more && gone < most {
			t.Errorf("%d watches went, at most %d are to", gone, most)
		}
	}
	if n := s.WatchSummary().All; n != 0 || len(c.told) > told || len(s.Conns()) != 1 {
		t.Errorf("%d watches are left, %v was told afterwards, %d connections are there", n, c.told[told:], len(s.Conns()))
	}
	if next := enter(s); next.do(wire.Request{Op: wire.OpExists, Path: "/1", Watch: true}) != zoo.OK {
		t.Error("the next connection cannot watch")
	}
}

// TestSetWatchesInPortions sets many watches at once and in portions, and also ends the connection in portions. The
// same watches must result, and the same events, also for a znode that changes in between.
func TestSetWatchesInPortions(t *testing.T) {
	request := func() wire.Request {
		q := wire.Request{Op: wire.OpSetWatches2, RelativeZxid: 12}
		for i := range 20 {
			q.DataWatches = append(q.DataWatches, fmt.Sprintf("/%d", i))
			q.ExistWatches = append(q.ExistWatches, fmt.Sprintf("/%d", 2*i))
			q.ChildWatches = append(q.ChildWatches, fmt.Sprintf("/%d", i))
			q.PersistentWatches = append(q.PersistentWatches, fmt.Sprintf("/p%d", i))
			q.RecursiveWatches = append(q.RecursiveWatches, fmt.Sprintf("/r%d", i))
		}
		return q
	}
	standing := func(most int) (string, []string) {
		s := server.New(server.Config{Portion: most})
		c, other := enter(s), enter(s)
		for i := range 15 {
			other.do(wire.Request{Op: wire.OpCreate, Path: fmt.Sprintf("/%d", i), ACL: zoo.OpenACL()})
		}
		q := request()
		for n := 0; c.conn.BeginSetWatches(&q, most, 0, 0); n++ {
			if n == 3 {
				other.do(wire.Request{Op: wire.OpDelete, Path: "/p3", Version: -1})
			}
		}
		if code := c.do(q); code != zoo.OK {
			t.Fatal(code)
		}
		text, told := fmt.Sprint(s.Watches()), c.told
		forgotten(t, s, c, other, most)
		return text, told
	}
	want, told := standing(1000)
	for _, most := range []int{1, 7, 20, 33} {
		got, heard := standing(most)
		if got != want || fmt.Sprint(heard) != fmt.Sprint(told) {
			t.Errorf("in portions of %d there stand\n%s\nwant\n%s\nand come\n%s\nwant\n%s", most, got, want, heard, told)
		}
	}
}
