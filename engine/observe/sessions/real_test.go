package sessions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestReal asks a real server about its clients, and changes nothing there but its packet counts.
func TestReal(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	client := func() *zk.Conn {
		c, _, err := zk.Connect([]string{srv.Addr}, 10*time.Second, zk.WithLogInfo(false))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	a, b := client(), client()
	if _, err := a.Create("/lock", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := b.GetW("/lock"); err != nil {
		t.Fatal(err)
	}
	before := zktest.Count(t, srv.Server)
	p := sessions.New(sessions.Config{Servers: []string{srv.Addr}, Every: time.Millisecond})
	for range 3 {
		if _, err := p.Next(t.Context(), p.Latest().Number); err != nil {
			t.Fatal(err)
		}
	}
	r := p.Latest()
	w, err := p.Watches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	zktest.Counts(t, "after it was asked", srv.Server, before, zktest.Counters{})
	if len(r.Sessions) != 2 || len(r.Servers[0].Troubles) > 0 || r.Servers[0].Watches != 1 {
		t.Errorf("it knows %+v", r)
	}
	for _, c := range []*zk.Conn{a, b} {
		s, ok := r.Of(c.SessionID())
		if host, _, _ := strings.Cut(s.Client, ":"); !ok || host != "127.0.0.1" || s.Server != srv.Addr ||
			s.Timeout != 10*time.Second || s.Quiet(r.At) > time.Minute || s.Expires.Before(r.At) {
			t.Errorf("of 0x%x it knows %+v", c.SessionID(), s)
		}
	}
	if len(w.Lists) != 1 || w.Lists[srv.Addr] != 0 {
		t.Errorf("of child watches it knows %v", w.Lists)
	}
	if len(w.All) != 1 || w.All[0] != (sessions.Watch{Session: b.SessionID(), Path: "/lock"}) || !w.Whole {
		t.Errorf("of watches it knows %+v", w)
	}
}

// TestLists asks a real server about a client that watches a list, one that only listed the children, and one that has
// done something else since. Pings, which a server reports as the last operation, change nothing.
func TestLists(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	var all [3]*zk.Conn
	for i := range all {
		c, _, err := zk.Connect([]string{srv.Addr}, 3*time.Second, zk.WithLogInfo(false)) // it pings each second
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		all[i] = c
	}
	p := sessions.New(sessions.Config{Servers: []string{srv.Addr}, Every: time.Millisecond})
	knows := func(i int, listed bool) func() bool {
		return func() bool {
			r, err := p.Next(t.Context(), p.Latest().Number)
			if err != nil {
				t.Fatal(err)
			}
			s, _ := r.Of(all[i].SessionID())
			return s.Listed == listed
		}
	}
	for i, c := range all {
		await(t, "a list", func() bool { // again if a ping came before the server was asked
			var err error
			if i == 0 {
				_, _, _, err = c.ChildrenW("/zookeeper")
			} else {
				_, _, err = c.Children("/")
			}
			if err != nil {
				t.Fatal(err)
			}
			return knows(i, true)()
		})
	}
	if _, _, err := all[2].Exists("/"); err != nil {
		t.Fatal(err)
	}
	await(t, "no list", knows(2, false))
	pings := 0
	await(t, "pings", func() bool {
		if s, _ := p.Latest().Of(all[0].SessionID()); s.Last == "PING" {
			pings++
		}
		return knows(0, true)() && knows(1, true)() && knows(2, false)() && pings > 10
	})
	if w, err := p.Watches(t.Context()); err != nil || w.Lists[srv.Addr] != 1 || len(w.All) > 0 {
		t.Errorf("of watches it knows %+v, %v", w, err)
	}
}

func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
