package live_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/live"
	"github.com/zkviz/zkviz/engine/live/zktest"
	"github.com/zkviz/zkviz/engine/zoo"
)

// TestForbidden is told to run where an ACL does not let it make znodes, or make them and not delete them. It
// leaves nothing there, and says so of nothing.
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
			cfg := live.Config{Servers: []string{srv.Addr}, Root: live.NewRoot(base)}
			nothing := []zoo.Process{{Main: func(zoo.Client) error { return nil }}}
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

// TestSweepForbidden sweeps what it may, though there is a dead run that it may not remove.
func TestSweepForbidden(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	c := direct(t, srv)
	must(c.Create("/swept", nil, 0, anyone))
	const kept, gone = "/swept/run-aaaaaaaaaa", "/swept/run-bbbbbbbbbb"
	must(c.Create(kept, nil, 0, anyone))
	must(c.Create(kept+"/x", nil, 0, anyone))
	must(c.SetACL(kept, zk.WorldACL(zk.PermRead), -1))
	must(c.Create(gone, nil, 0, anyone))
	for end := time.Now().Add(longest); ; {
		err := live.SweepNow(context.Background(), []string{srv.Addr}, "/swept")
		if errors.Is(err, zoo.ErrNoAuth) {
			break
		}
		if err == nil || time.Now().After(end) { // else the connection was lost: sweep again
			t.Fatalf("it says %v", err)
		}
	}
	if names, _, err := c.Children("/swept"); err != nil || len(names) != 1 {
		t.Errorf("there is %q left; %v", names, err)
	}
}

// TestNoSession tells a server that hangs up at once from one that has gone.
func TestNoSession(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	if text := away(t, l.Addr().String()); !strings.Contains(text, "gives no session") {
		t.Errorf("it says %q", text)
	}
}
