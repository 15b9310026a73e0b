package live_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestForbidden runs where an ACL forbids creating znodes, or allows creating them but not deleting them. Every run
// must refuse, leave nothing behind and report no leftovers.
func TestForbidden(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	c := direct(t, srv)
	for name, perms := range map[string]int32{
		"secret": 0, "read": zk.PermRead, "keep": zk.PermAll &^ zk.PermDelete, "lost": zk.PermDelete | zk.PermRead,
	} {
		acl := append(zk.DigestACL(zk.PermAll, "a", "b"), zk.ACL{Perms: perms, Scheme: "world", ID: "anyone"})
		must(c.Create("/"+name, nil, 0, acl))
		for _, base := range []string{"/" + name, "/" + name + "/further/down"} {
			cfg := live.Config{Servers: []string{srv.Addr}, Root: live.NewRoot(base), ForeignBase: true}
			nothing := []systems.Program{{Main: systems.OnZooKeeper(func(zoo.Client) error { return nil })}}
			err := live.Run(context.Background(), cfg, nothing, &recorder{}, nil)
			if !errors.Is(err, zoo.ErrNoAuth) || strings.Contains(err.Error(), "remove") {
				t.Errorf("below %s: %v", base, err)
			}
		}
		if perms&zk.PermRead == 0 {
			continue
		}
		if names, _, err := c.Children("/" + name); err != nil || len(names) > 0 {
			t.Errorf("in /%s there is %q; %v", name, names, err)
		}
	}
}

// TestSweepForbidden checks that a sweep removes what it may, even if it may not remove one of the dead runs.
func TestSweepForbidden(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	c := direct(t, srv)
	kept, gone := live.NewRoot(base), live.NewRoot(base)
	killThis, killThat := doomed(t, srv, kept), doomed(t, srv, gone)
	acl, _, err := c.GetACL(kept + "/many")
	if err != nil {
		t.Fatal(err)
	}
	acl[0].Perms = zk.PermRead | zk.PermAdmin // without Admin, the server shows nobody the marker
	must(c.SetACL(kept+"/many", acl, -1))
	killThis()
	killThat()
	for end := time.Now().Add(longest); ; time.Sleep(100 * time.Millisecond) {
		err := live.SweepNow(context.Background(), live.Base{Servers: []string{srv.Addr}, Path: base})
		there, _, err2 := c.Exists(gone)
		if errors.Is(err, zoo.ErrNoAuth) && err2 == nil && !there {
			break
		}
		if time.Now().After(end) { // else the connection was lost, or the run isn't dead yet: sweep again
			t.Fatalf("it says %v; the other is there: %v, %v", err, there, err2)
		}
	}
	if names, _, err := c.Children(base); err != nil || len(names) != 2 {
		t.Errorf("there is %q left; %v", names, err)
	}
	if names, _, err := c.Children(kept + "/many"); err != nil || len(names) != 100 {
		t.Errorf("there is %q left; %v", names, err)
	}
}
