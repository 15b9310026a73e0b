package live

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// onBothServers runs a test against each server that runs work on.
func onBothServers(t *testing.T, test func(t *testing.T, d *adminConn)) {
	for name, addr := range map[string]func(*testing.T) string{
		"Apache": func(t *testing.T) string { return zktest.Start(t).Addr },
		"embedded": func(t *testing.T) string {
			s, err := embed.Listen(embed.Config{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() }) // it keeps nothing
			return s.Addr().String()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
			defer cancel()
			d, err := dialAdmin(ctx, []string{addr(t)}, access.Dialer{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			test(t, d)
		})
	}
}

// made creates a znode of the run and returns its czxid.
func made(t *testing.T, d *adminConn, root, path string) (czxid int64) {
	t.Helper()
	if _, err := d.ZK.Create(path, nil, 0, aclsOf(root)[0]); err != nil {
		t.Fatal(err)
	}
	_, stat, err := d.ZK.Exists(path)
	if err != nil {
		t.Fatal(err)
	}
	return stat.Czxid
}

// swap deletes a znode and creates another in its place, as a stranger may at any moment.
func swap(t *testing.T, d *adminConn, path string) {
	t.Helper()
	if err := d.ZK.Delete(path, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ZK.Create(path, []byte("theirs"), 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
}

// theirs fails if the stranger's znode is gone.
func theirs(t *testing.T, d *adminConn, path string) {
	t.Helper()
	if data, _, err := d.ZK.Get(path); err != nil || string(data) != "theirs" {
		t.Errorf("%s is %q; %v", path, data, err)
	}
}

// TestGuard makes every change that a stranger could make between the look at a znode and its delete.
func TestGuard(t *testing.T) {
	t.Parallel()
	onBothServers(t, func(t *testing.T, d *adminConn) {
		root := NewRoot("/")
		czxid := made(t, d, root, root)
		made(t, d, root, root+"/a")
		made(t, d, root, root+"/b")
		made(t, d, root, root+"/c")
		guarded := func() *guard {
			t.Helper()
			l, err := newGuard(d.ZK, aclsOf(root)[0], root, root, czxid)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		l := guarded()
		for _, path := range []string{"/a", "/b"} {
			if err := l.do(deleteOp(root + path)); err != nil {
				t.Fatalf("delete %s, undisturbed: %v", path, err)
			}
		}
		swap(t, d, root+"/c")
		if err := l.do(deleteOp(root + "/c")); !errors.Is(err, errChanged) {
			t.Errorf("another one was in its place, and it says %v", err)
		}
		theirs(t, d, root+"/c")

		// The replacement of the parent has had the same number of children.
		if err := errors.Join(l.release(), d.ZK.Delete(root+"/c", -1), d.ZK.Delete(root, -1)); err != nil {
			t.Fatal(err)
		}
		czxid = made(t, d, root, root)
		made(t, d, root, root+"/c")
		l = guarded()
		if err := errors.Join(l.release(), d.ZK.Delete(root+"/c", -1)); err != nil {
			t.Fatal(err)
		}
		swap(t, d, root)
		for _, path := range []string{"/x", "/c"} {
			if _, err := d.ZK.Create(root+path, []byte("theirs"), 0, zk.WorldACL(zk.PermAll)); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.do(deleteOp(root + "/c")); !errors.Is(err, errChanged) {
			t.Errorf("another one was around it, and it says %v", err)
		}
		if err := transact(d.ZK, l.deletion(), deleteOp(root)); !errors.Is(err, errChanged) {
			t.Errorf("another one was in its place, and it says %v", err)
		}
		if _, err := newGuard(d.ZK, aclsOf(root)[0], root, root, czxid); !errors.Is(err, errChanged) {
			t.Errorf("the znode is a stranger's, and it says %v", err)
		}
		theirs(t, d, root)
		theirs(t, d, root+"/c")
		if names, _, err := d.ZK.Children(root); err != nil || len(names) != 2 {
			t.Errorf("in the stranger's znode there is %q; %v", names, err)
		}
	})
}

// TestClaim lets a run's server come back at every step of a sweep that considers the run dead. Exactly one of the
// two must give way.
func TestClaim(t *testing.T) {
	t.Parallel()
	onBothServers(t, func(t *testing.T, d *adminConn) {
		root := NewRoot("/zkviz")
		if err := d.makeRoot([]string{"/zkviz"}, root, false); err != nil {
			t.Fatal(err)
		}
		lose := func() {
			t.Helper()
			if err := d.ZK.Delete(marker(root, serverMark), -1); err != nil {
				t.Fatal(err)
			}
			d.SetExpired(true)
		}
		proven := func() ownership {
			t.Helper()
			p, err := checkOwnership(d.ZK, root)
			if err != nil || !p.proven() {
				t.Fatalf("%+v proves no ownership; %v", p, err)
			}
			return p
		}
		s := sweeping{conn: d.ZK, base: "/zkviz", done: map[string]bool{}}
		if _, alive, err := s.abandon(proven()); !alive || err != nil {
			t.Errorf("the run is alive, and is claimed: %v", err)
		}
		lose()
		if _, err := d.ZK.Create(marker(root, "client-1"), nil, zk.FlagEphemeral, aclsOf(root)[0]); err != nil {
			t.Fatal(err)
		}
		if _, alive, err := s.abandon(proven()); !alive || err != nil {
			t.Errorf("a client is alive, and the run is claimed: %v", err)
		}
		if err := d.ZK.Delete(marker(root, "client-1"), -1); err != nil {
			t.Fatal(err)
		}

		p := proven() // the sweep has looked; now the server comes back
		l, err := newGuard(d.ZK, aclsOf(root)[0], root, holder(root), p.holder.stat.Czxid)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.keepMark(root); err != nil {
			t.Errorf("the server comes back first, and gives up: %v", err)
		}
		if err := l.do(&zk.SetDataRequest{Path: holder(root), Data: []byte(abandonedData(root)),
			Version: 0}); !errors.Is(err, errChanged) {
			t.Errorf("the server is back, and the run is claimed: %v", err)
		}
		if err := l.release(); err != nil {
			t.Fatal(err)
		}

		lose()
		l, alive, err := s.abandon(proven())
		if alive || err != nil {
			t.Fatalf("nobody is alive, and the run is not claimed: %v", err)
		}
		if err := d.keepMark(root); !errors.Is(err, errAbandoned) {
			t.Errorf("the run is claimed, and the server goes on: %v", err)
		}
		if alive, err := s.inUse(root, ""); !alive || err != nil {
			t.Errorf("another sweep does not see that the run is claimed: %v", err)
		}
		if err := l.release(); err != nil { // the sweep crashes
			t.Fatal(err)
		}
		if err := d.keepMark(root); !errors.Is(err, errAbandoned) {
			t.Errorf("the run was claimed, and the server goes on: %v", err)
		}
		if alive, err := s.run(root); alive || err != nil {
			t.Errorf("the next sweep does not remove the run: %v", err)
		}
		if there, _, err := d.ZK.Exists("/zkviz"); err != nil || there {
			t.Errorf("something is left: %v", err)
		}
	})
}
