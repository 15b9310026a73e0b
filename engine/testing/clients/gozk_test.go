package clients

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// goZookeeper runs go-zookeeper under /gozk, doing what its users do. cli_mt checks the result.
func goZookeeper(t *testing.T, addr string) {
	conn := connect(t, addr)
	create(t, conn, "/gozk", "")
	for _, check := range []struct {
		name string
		try  func(t *testing.T, addr string)
	}{
		{"operations", goOperations},
		{"ACL", goACL},
		{"multi", goMulti},
		{"watches", goWatches},
		{"lock", goLock},
		{"reconnect", goReconnect},
		{"expiry", goExpiry},
	} {
		t.Run(check.name, func(t *testing.T) { check.try(t, addr) })
	}
	newWitness(t, addr).wantNoEphemerals("/gozk") // the library waits only a second for the end of a session
	cliMTTalk(t, addr).follow("testdata/talk/gozk.txt")
}

func create(t *testing.T, conn *zk.Conn, path, data string) {
	t.Helper()
	if _, err := conn.Create(path, []byte(data), zk.FlagPersistent, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatalf("create %s: %v", path, err)
	}
}

func want(t *testing.T, doing string, got, wanted error) {
	t.Helper()
	if !errors.Is(got, wanted) {
		t.Errorf("%s: %v, want %v", doing, got, wanted)
	}
}

func goOperations(t *testing.T, addr string) {
	conn := connect(t, addr)
	create(t, conn, "/gozk/ops", "one")
	_, made, err := conn.Get("/gozk/ops")
	want(t, "get", err, nil)
	stat, err := conn.Set("/gozk/ops", []byte("three"), 0)
	want(t, "set", err, nil)
	if stat.Version != 1 || stat.Mzxid <= made.Mzxid || stat.Czxid != made.Czxid || stat.DataLength != 5 {
		t.Errorf("set: the znode's facts are %+v after %+v", stat, made)
	}
	_, err = conn.Set("/gozk/ops", nil, 0)
	want(t, "set an old version", err, zk.ErrBadVersion)
	_, err = conn.Create("/gozk/ops", nil, 0, zk.WorldACL(zk.PermAll))
	want(t, "create again", err, zk.ErrNodeExists)
	_, err = conn.CreateContainer("/gozk/ops/container", nil, zk.FlagTTL, zk.WorldACL(zk.PermAll))
	want(t, "create a container with a wrong flag", err, zk.ErrInvalidFlags) // the client itself refuses
	_, err = conn.CreateTTL("/gozk/ops/ttl", []byte("x"), zk.FlagTTL, zk.WorldACL(zk.PermAll), time.Hour)
	want(t, "create with a time to live", err, nil)
	name, err := conn.CreateProtectedEphemeralSequential("/gozk/ops/e-", nil, zk.WorldACL(zk.PermAll))
	want(t, "create a protected one", err, nil)
	if !strings.HasSuffix(name, "-e-0000000001") {
		t.Errorf("the second child is called %s", name)
	}
	_, err = conn.Create(name+"/child", nil, 0, zk.WorldACL(zk.PermAll))
	want(t, "create below an ephemeral", err, zk.ErrNoChildrenForEphemerals)
	want(t, "delete a parent", conn.Delete("/gozk/ops", -1), zk.ErrNotEmpty)
	want(t, "delete what is not there", conn.Delete("/gozk/none", -1), zk.ErrNoNode)
	_, err = conn.Sync("/gozk")
	want(t, "sync", err, nil)
}

func goACL(t *testing.T, addr string) {
	ann, stranger := connect(t, addr), connect(t, addr)
	want(t, "authenticate", ann.AddAuth("digest", []byte("ann:geheim")), nil)
	_, err := ann.Create("/gozk/secret", []byte("s"), 0, zk.AuthACL(zk.PermAll))
	want(t, "create", err, nil)
	acl, _, err := ann.GetACL("/gozk/secret")
	if err != nil || len(acl) != 1 || acl[0] != zk.DigestACL(zk.PermAll, "ann", "geheim")[0] {
		t.Errorf("the ACL is %v (%v)", acl, err)
	}
	_, _, err = stranger.Get("/gozk/secret")
	want(t, "get by a stranger", err, zk.ErrNoAuth)
	_, err = stranger.Create("/gozk/open", nil, 0, zk.AuthACL(zk.PermAll))
	want(t, "create for the authenticated by a stranger", err, zk.ErrInvalidACL)
	_, err = ann.SetACL("/gozk/secret", zk.WorldACL(zk.PermRead), 0)
	want(t, "set the ACL", err, nil)
	_, _, err = stranger.Get("/gozk/secret")
	want(t, "get by a stranger when all may", err, nil)
	_, err = stranger.Set("/gozk/secret", nil, -1)
	want(t, "set by a stranger", err, zk.ErrNoAuth)
}

func goMulti(t *testing.T, addr string) {
	conn := connect(t, addr)
	open := zk.WorldACL(zk.PermAll)
	got, err := conn.Multi(
		&zk.CreateRequest{Path: "/gozk/multi", Data: []byte("1"), Acl: open},
		&zk.CreateRequest{Path: "/gozk/multi/n-", Acl: open, Flags: zk.FlagSequence},
		&zk.SetDataRequest{Path: "/gozk/multi", Data: []byte("2"), Version: 0},
		&zk.CheckVersionRequest{Path: "/gozk/multi", Version: 1},
		&zk.DeleteRequest{Path: "/gozk/multi/n-0000000000", Version: 0},
	)
	want(t, "multi", err, nil)
	if len(got) != 5 || got[1].String != "/gozk/multi/n-0000000000" || got[2].Stat.Version != 1 {
		t.Errorf("multi gave %+v", got)
	}
	got, err = conn.Multi(
		&zk.SetDataRequest{Path: "/gozk/multi", Data: []byte("3"), Version: -1},
		&zk.CheckVersionRequest{Path: "/gozk/multi", Version: 1},
	)
	want(t, "multi with a wrong version", err, zk.ErrBadVersion)
	if len(got) != 2 || got[0].Error != nil || !errors.Is(got[1].Error, zk.ErrBadVersion) {
		t.Errorf("multi with a wrong version gave %+v", got)
	}
}

// hear expects this event next, and then a closed channel, because the watch fires once.
func hear(t *testing.T, events <-chan zk.Event, kind zk.EventType, path string) {
	t.Helper()
	select {
	case e := <-events:
		if e.Type != kind || e.Path != path || e.Err != nil {
			t.Errorf("heard of %v, want %v of %s", e, kind, path)
		}
	case <-time.After(limit):
		t.Errorf("no event within %v, want %v of %s", limit, kind, path)
	}
}

func goWatches(t *testing.T, addr string) {
	a, b := connect(t, addr), connect(t, addr)
	_, _, made, err := a.ExistsW("/gozk/watched")
	want(t, "exists", err, nil)
	_, _, above, err := a.ChildrenW("/gozk")
	want(t, "children", err, nil)
	create(t, b, "/gozk/watched", "")
	hear(t, made, zk.EventNodeCreated, "/gozk/watched")
	hear(t, above, zk.EventNodeChildrenChanged, "/gozk")
	_, _, data, err := a.GetW("/gozk/watched")
	want(t, "get", err, nil)
	_, err = b.Set("/gozk/watched", []byte("1"), -1)
	want(t, "set", err, nil)
	hear(t, data, zk.EventNodeDataChanged, "/gozk/watched")
	_, _, data, err = a.GetW("/gozk/watched")
	want(t, "get", err, nil)
	want(t, "delete", b.Delete("/gozk/watched", 1), nil)
	hear(t, data, zk.EventNodeDeleted, "/gozk/watched")
}

// goLock lets ten clients increment a number that only go-zookeeper's lock protects.
func goLock(t *testing.T, addr string) {
	const clients, rounds = 10, 5
	create(t, connect(t, addr), "/gozk/count", "0")
	var all sync.WaitGroup
	for range clients {
		conn := connect(t, addr)
		all.Go(func() {
			lock := zk.NewLock(conn, "/gozk/lock", zk.WorldACL(zk.PermAll))
			for range rounds {
				if err := lock.Lock(); err != nil {
					t.Error("lock:", err)
					return
				}
				if err := addOneUnprotected(conn, "/gozk/count"); err != nil {
					t.Error("add one:", err)
				}
				if err := lock.Unlock(); err != nil {
					t.Error("unlock:", err)
				}
			}
		})
	}
	all.Wait()
}

func addOneUnprotected(conn *zk.Conn, path string) error {
	data, _, err := conn.Get(path)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(data))
	if err != nil {
		return fmt.Errorf("%s is no number: %w", path, err)
	}
	_, err = conn.Set(path, []byte(strconv.Itoa(n+1)), -1)
	return err
}

// cutter dials connections that it can break. It dials none while its gate is locked.
type cutter struct {
	gate sync.Mutex
	mu   sync.Mutex
	last net.Conn
}

func (c *cutter) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	c.gate.Lock()
	defer c.gate.Unlock()
	conn, err := net.DialTimeout(network, address, timeout)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = conn
	return conn, err
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.last.Close() // it may be closed already
}

// goReconnect breaks a connection and changes what it watches before it reconnects.
func goReconnect(t *testing.T, addr string) {
	var wire cutter
	a, b := connectBy(t, addr, wire.dial), connect(t, addr)
	for _, name := range []string{"", "/changed", "/deleted", "/parent", "/same"} {
		create(t, a, "/gozk/re"+name, "")
	}
	_, err := a.Create("/gozk/re/mine", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	want(t, "create an ephemeral", err, nil)
	id := a.SessionID()
	_, _, changed, _ := a.GetW("/gozk/re/changed")
	_, _, deleted, _ := a.GetW("/gozk/re/deleted")
	_, _, parent, _ := a.ChildrenW("/gozk/re/parent")
	_, _, made, _ := a.ExistsW("/gozk/re/made")
	_, _, same, err := a.GetW("/gozk/re/same")
	want(t, "set watches", err, nil)

	wire.gate.Lock()
	wire.cut()
	_, err = b.Set("/gozk/re/changed", nil, 0)
	want(t, "set", err, nil)
	want(t, "delete", b.Delete("/gozk/re/deleted", 0), nil)
	create(t, b, "/gozk/re/parent/child", "")
	create(t, b, "/gozk/re/made", "")
	wire.gate.Unlock()

	hear(t, changed, zk.EventNodeDataChanged, "/gozk/re/changed")
	hear(t, deleted, zk.EventNodeDeleted, "/gozk/re/deleted")
	hear(t, parent, zk.EventNodeChildrenChanged, "/gozk/re/parent")
	hear(t, made, zk.EventNodeCreated, "/gozk/re/made")
	_, err = b.Set("/gozk/re/same", nil, 0)
	want(t, "set", err, nil)
	hear(t, same, zk.EventNodeDataChanged, "/gozk/re/same")
	_, stat, err := b.Exists("/gozk/re/mine")
	if err != nil || stat.EphemeralOwner != id || a.SessionID() != id {
		t.Errorf("session %#x is %#x now, and its ephemeral belongs to %#x (%v)", id, a.SessionID(), stat.EphemeralOwner, err)
	}
}

// goExpiry keeps a client disconnected until its session expires.
func goExpiry(t *testing.T, addr string) {
	var wire cutter
	conn, events, err := zk.Connect([]string{addr}, 4*tick, zk.WithDialer(wire.dial), zk.WithLogInfo(false),
		zk.WithLogger(newLogger(t)))
	want(t, "connect", err, nil)
	defer conn.Close()
	_, err = conn.Create("/gozk/mine", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	want(t, "create an ephemeral", err, nil)
	_, _, gone, err := connect(t, addr).GetW("/gozk/mine")
	want(t, "watch it", err, nil)

	wire.gate.Lock()
	wire.cut()
	hear(t, gone, zk.EventNodeDeleted, "/gozk/mine")
	wire.gate.Unlock()

	timeout := time.After(limit)
	for {
		select {
		case e := <-events:
			if e.State == zk.StateExpired {
				return
			}
		case <-timeout:
			t.Fatalf("the client has not heard within %v that its session is over", limit)
		}
	}
}
