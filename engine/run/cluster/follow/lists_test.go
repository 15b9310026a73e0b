package follow_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestLists lets clients wait on a real server: first they list the children without a watch, as a recipe does that
// nobody ever wakes, and then they watch the list, so that each change wakes them all.
func TestLists(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("servers are asked about watches every 15 s")
	}
	srv := zktest.Start(t)
	acl := zk.WorldACL(zk.PermAll)
	var all []*zk.Conn
	for range 5 {
		c, _, err := zk.Connect([]string{srv.Addr}, 10*time.Second, zk.WithLogInfo(false))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		if len(all) == 0 {
			if _, err := c.Create("/l", nil, 0, acl); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Create("/l/lock-", nil, zk.FlagEphemeral|zk.FlagSequence, acl); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	l := follow.New(cluster.Cluster{Servers: []string{srv.Addr},
		Sessions: sessions.New(sessions.Config{Servers: []string{srv.Addr}, Every: time.Millisecond})})
	t.Cleanup(l.Close)
	var last locks.Row
	says := func(want string, list func(c *zk.Conn) error) {
		t.Helper()
		said := ""
		for end := time.Now().Add(3 * time.Minute); !strings.Contains(said, want); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("it never said %s, but %s", want, said)
			}
			for _, c := range all[1:] { // again, since a ping may have come before the server was asked
				if err := list(c); err != nil {
					t.Fatal(err)
				}
			}
			r, err := l.Report(t.Context(), "/", true)
			if err != nil {
				t.Fatal(err)
			}
			if said = ""; len(r.Rows) > 0 {
				last = r.Rows[0]
				for _, a := range r.Rows[0].Alerts {
					said += a.String() + "\n"
				}
			}
		}
	}
	// Our own session has a persistent watch there, which isn't one of theirs.
	says("trouble.blind.sure(4)", func(c *zk.Conn) error { _, _, err := c.Children("/l"); return err })
	for _, w := range last.Waiters {
		if said := w.Says(); said.Key != "hands.behind.unwatched" {
			t.Errorf("of 0x%x it says %s", w.Session, said)
		}
	}
	says("trouble.herd.list(4)", func(c *zk.Conn) error { _, _, _, err := c.ChildrenW("/l"); return err })
}
