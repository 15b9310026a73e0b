package peer_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// recorder keeps the data read from a connection, and the last data written to it.
type recorder struct {
	net.Conn
	read  bytes.Buffer
	wrote []byte
}

func (r *recorder) Write(p []byte) (int, error) {
	r.wrote = bytes.Clone(p)
	return r.Conn.Write(p)
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.read.Write(p[:n])
	return n, err
}

// script returns one request of every kind with the code that ZooKeeper answers. Between runs, the answers differ only
// in numbers.
func script() []struct {
	req  wire.Request
	want zoo.Code
} {
	open := zoo.OpenACL()
	get, children := wire.Request{Op: wire.OpGetData, Path: "/p"}, wire.Request{Op: wire.OpGetChildren, Path: "/p"}
	missing := wire.Request{Op: wire.OpGetData, Path: "/none"}
	create := wire.Request{Op: wire.OpCreate, Path: "/p/m", Data: []byte("x"), ACL: open}
	create2 := wire.Request{Op: wire.OpCreate2, Path: "/p/m2", ACL: open}
	container := wire.Request{Op: wire.OpCreateContainer, Path: "/p/mc", ACL: open, Flags: int32(zoo.Container)}
	ttl := wire.Request{Op: wire.OpCreateTTL, Path: "/p/mt", ACL: open, Flags: int32(zoo.PersistentTTL), TTL: 1 << 30}
	set := wire.Request{Op: wire.OpSetData, Path: "/p/m", Version: -1}
	check := wire.Request{Op: wire.OpCheck, Path: "/p/m", Version: 1}
	stale := wire.Request{Op: wire.OpCheck, Path: "/p/m", Version: 9}
	del := wire.Request{Op: wire.OpDelete, Path: "/p/m", Version: -1}
	return []struct {
		req  wire.Request
		want zoo.Code
	}{
		{wire.Request{Op: wire.OpCreate, Path: "/p", Data: []byte("x"), ACL: open}, zoo.OK},
		{wire.Request{Op: wire.OpCreate, Path: "/p", ACL: open}, zoo.ErrNodeExists},
		{wire.Request{Op: wire.OpCreate, Path: "/q"}, zoo.ErrInvalidACL},
		{wire.Request{Op: wire.OpCreate2, Path: "/p/e-", ACL: open, Flags: int32(zoo.EphemeralSequential)}, zoo.OK},
		{wire.Request{Op: wire.OpCreateContainer, Path: "/p/c", ACL: open, Flags: int32(zoo.Container)}, zoo.OK},
		{wire.Request{Op: wire.OpCreateTTL, Path: "/p/t", ACL: open, Flags: int32(zoo.PersistentTTL), TTL: 1 << 30}, zoo.OK},
		{wire.Request{Op: wire.OpExists, Path: "/p", Watch: true}, zoo.OK},
		{wire.Request{Op: wire.OpGetData, Path: "/p", Watch: true}, zoo.OK},
		{wire.Request{Op: wire.OpGetData, Path: "/none"}, zoo.ErrNoNode},
		{wire.Request{Op: wire.OpGetChildren, Path: "/p", Watch: true}, zoo.OK},
		{wire.Request{Op: wire.OpGetChildren2, Path: "/p"}, zoo.OK},
		{wire.Request{Op: wire.OpCheckWatches, Path: "/p", Type: wire.WatcherChildren}, zoo.OK},
		{wire.Request{Op: wire.OpRemoveWatches, Path: "/p", Type: wire.WatcherChildren}, zoo.OK},
		{wire.Request{Op: wire.OpRemoveWatches, Path: "/p", Type: wire.WatcherChildren}, zoo.ErrNoWatcher},
		{wire.Request{Op: wire.OpAddWatch, Path: "/p/x", Mode: wire.WatchPersistentRecursive}, zoo.OK},
		{wire.Request{Op: wire.OpSetData, Path: "/p", Version: 0}, zoo.OK},
		{wire.Request{Op: wire.OpGetData, Path: "/p"}, zoo.OK},
		{wire.Request{Op: wire.OpSetData, Path: "/p", Data: []byte{}, Version: 0}, zoo.ErrBadVersion},
		{wire.Request{Op: wire.OpSetWatches, DataWatches: []string{"/p"}, ExistWatches: []string{"/p"},
			ChildWatches: []string{"/p", "/none"}}, zoo.OK},
		{wire.Request{Op: wire.OpSetWatches2, PersistentWatches: []string{"/p"}, RecursiveWatches: []string{"/p"}}, zoo.OK},
		{wire.Request{Xid: wire.XidAuth, Op: wire.OpAuth, Scheme: "digest", Auth: []byte("a:b")}, zoo.OK},
		{wire.Request{Op: wire.OpSetACL, Path: "/p/c", ACL: []zoo.ACL{{Perms: 31, Scheme: "auth"}}, Version: 0}, zoo.OK},
		{wire.Request{Op: wire.OpGetACL, Path: "/p/c"}, zoo.OK},
		{wire.Request{Op: wire.OpWhoAmI}, zoo.OK},
		{wire.Request{Op: wire.OpSync, Path: "anything"}, zoo.OK},
		{wire.Request{Op: wire.OpGetEphemerals, Path: "/"}, zoo.OK},
		{wire.Request{Op: wire.OpAllChildrenNumber, Path: "/p"}, zoo.OK},
		{wire.Request{Op: wire.OpReconfig}, zoo.ErrReconfigDisabled},
		{wire.Request{Xid: 77, Op: wire.OpPing}, zoo.OK},
		{wire.Request{Op: wire.OpMulti}, zoo.OK},
		{wire.Request{Op: wire.OpMulti, Ops: []wire.Request{create, create2, container, ttl, set, check, del}}, zoo.OK},
		{wire.Request{Op: wire.OpMulti, Ops: []wire.Request{create, stale, del}}, zoo.OK},
		{wire.Request{Op: wire.OpMultiRead, Ops: []wire.Request{get, children, missing}}, zoo.OK},
		{wire.Request{Op: wire.OpSASL, Auth: []byte("?")}, zoo.OK},
		{wire.Request{Op: wire.OpDelete, Path: "/p", Version: 1}, zoo.ErrNotEmpty},
	}
}

// TestApache sends everything to a real ZooKeeper. Its answers must be the same when encoded again.
func TestApache(t *testing.T) {
	server := zktest.Start(t, "extendedTypesEnabled=true")
	for _, readOnly := range []bool{true, false} {
		t.Run(fmt.Sprintf("readOnly=%v", readOnly), func(t *testing.T) { talk(t, server.Addr, readOnly) })
	}
}

func talk(t *testing.T, addr string, readOnly bool) {
	const timeout = int32(zktest.MaxSession / time.Millisecond) // nothing pings, and the machine may be paused
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	seen := &recorder{Conn: conn}
	p, err := peer.New(seen, wire.ConnectRequest{TimeoutMS: timeout, Password: make([]byte, wire.PasswordBytes),
		HasReadOnly: readOnly})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Abort()
	if p.Welcome.Session == 0 || p.Welcome.TimeoutMS != timeout || p.Welcome.HasReadOnly != readOnly {
		t.Errorf("welcomed with %+v", p.Welcome)
	}
	again := wire.AppendFrame(nil, &p.Welcome)
	for i, step := range script() {
		if step.req.Xid == 0 {
			step.req.Xid = int32(i + 100)
		}
		resp, notes, err := p.Do(step.req)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range notes {
			again = wire.AppendFrame(again, &n)
		}
		again = wire.AppendFrame(again, &resp)
		if resp.Code != step.want {
			t.Errorf("%v %s: %v, want %v", step.req.Op, step.req.Path, resp.Code, step.want)
		}
		if !bytes.Equal(again, seen.read.Bytes()) {
			t.Fatalf("%v %s: the server sent\n%x\nand that is read as %+v and %+v, so as\n%x", step.req.Op, step.req.Path,
				seen.read.Bytes(), notes, resp, again)
		}
		again = again[:0]
		seen.read.Reset()
	}
	clean := wire.Request{Op: wire.OpMulti}
	all, _, err := p.Do(wire.Request{Op: wire.OpGetChildren, Path: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all.Children {
		clean.Ops = append(clean.Ops, wire.Request{Op: wire.OpDelete, Path: "/p/" + name, Version: -1})
	}
	clean.Ops = append(clean.Ops, wire.Request{Op: wire.OpDelete, Path: "/p", Version: -1})
	if resp, _, err := p.Do(clean); err != nil || len(resp.Results) == 0 || resp.Results[0].Op == wire.OpError {
		t.Errorf("clean up: %+v, %v", resp, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if bytes.HasPrefix(seen.wrote, []byte{0, 0, 0, 8, 0, 0, 0, 0}) {
		t.Error("the end of the session has no number: in the server's log it's an expiry")
	}
}

// TestRefused tries to resume a session that doesn't exist.
func TestRefused(t *testing.T) {
	server := zktest.Start(t)
	p, err := peer.Dial(server.Addr, wire.ConnectRequest{TimeoutMS: 10_000, Session: 77,
		Password: make([]byte, wire.PasswordBytes)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Abort()
	if p.Welcome.Session != 0 || p.Welcome.TimeoutMS != 0 {
		t.Errorf("welcomed with %+v", p.Welcome)
	}
	if m, err := p.Recv(); err != io.EOF {
		t.Errorf("then came %+v, %v", m, err)
	}
}

// TestSenderAndReceiver sends from one goroutine and receives in another.
func TestSenderAndReceiver(t *testing.T) {
	here, there := net.Pipe()
	var echo sync.WaitGroup
	echo.Go(func() {
		frames := wire.NewFrameReader(there, wire.MaxFrame)
		if _, err := frames.Next(); err != nil {
			t.Error(err)
		}
		_, _ = there.Write(wire.AppendFrame(nil, &wire.ConnectResponse{Session: 5}))
		for {
			frame, err := frames.Next()
			if err != nil {
				return
			}
			var r wire.Request
			if err := wire.DecodeRequest(frame, &r); err != nil {
				t.Error(err)
			}
			_, _ = there.Write(wire.AppendFrame(nil, &wire.Response{Xid: r.Xid, Op: r.Op, Path: r.Path}))
		}
	})
	p, err := peer.New(here, wire.ConnectRequest{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 1000
	var sender sync.WaitGroup
	sender.Go(func() {
		for i := range int32(n) {
			if err := p.Send(wire.Request{Xid: i, Op: wire.OpSync, Path: fmt.Sprint(i)}); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range int32(n) {
		m, err := p.Recv()
		if err != nil || m.Response.Xid != i || m.Response.Path != fmt.Sprint(i) {
			t.Fatalf("answer %d is %+v, %v", i, m, err)
		}
	}
	sender.Wait()
	p.Abort()
	_ = there.Close()
	echo.Wait()
}
