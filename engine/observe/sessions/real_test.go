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
	if len(w.All) != 1 || w.All[0] != (sessions.Watch{Session: b.SessionID(), Path: "/lock"}) || !w.Whole {
		t.Errorf("of watches it knows %+v", w)
	}
}
