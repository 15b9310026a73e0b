package server_test

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// used returns a server with some history, and one of its sessions, which is disconnected.
func used(t testing.TB) (*server.Server, ticket) {
	p := &pure{s: server.New(server.Config{Seed: 7})}
	c, err := p.dial(wire.ConnectRequest{TimeoutMS: 4000})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []wire.Request{
		{Op: wire.OpAuth, Scheme: "digest", Auth: []byte("ann:secret")},
		{Op: wire.OpCreate, Path: "/a", Data: []byte("x"), ACL: []zoo.ACL{{Perms: zoo.PermAll, Scheme: "auth"}}},
		{Op: wire.OpCreate, Path: "/a/e", ACL: zoo.OpenACL(), Flags: 1},
		{Op: wire.OpCreateTTL, Path: "/t", ACL: zoo.OpenACL(), Flags: 5, TTL: 1000},
		{Op: wire.OpExists, Path: "/t", Watch: true},
	} {
		c.send(q)
	}
	heard, _ := c.heard()
	c.abort()
	return p.s, ticket{heard[0].welcome.Session, heard[0].welcome.Password}
}

func TestSnapshotComesBack(t *testing.T) {
	s, mine := used(t)
	saved := s.Snapshot([]byte("before"))
	if again := s.Snapshot(nil); !bytes.Equal(again, saved[6:]) {
		t.Error("the same state gives other bytes")
	}
	back, err := server.Restore(server.Config{Seed: 8}, saved[6:])
	if err != nil {
		t.Fatal(err)
	}
	if again := back.Snapshot(nil); !bytes.Equal(again, saved[6:]) {
		t.Error("saved again it is something else")
	}
	p := &pure{t: t, s: back}
	c, err := p.dial(wire.ConnectRequest{TimeoutMS: 4000, Session: mine.id, Password: mine.password})
	if err != nil {
		t.Fatal(err)
	}
	if heard, _ := c.heard(); heard[0].welcome.Session != mine.id {
		t.Errorf("the session is refused: %+v", heard[0].welcome)
	}
	c.abort()
	if other, _ := p.dial(wire.ConnectRequest{TimeoutMS: 40_000}); other == nil {
		t.Error("no second session")
	}
	if p.wait(7 * time.Second); back.NumSessions() != 1 || back.Alive(mine.id) {
		t.Errorf("%d sessions are left", back.NumSessions())
	}
	if _, code := back.Tree().Exists("/a/e"); code != zoo.ErrNoNode {
		t.Error("the session is over, its znode is not")
	}
}

func TestRestoreRefuses(t *testing.T) {
	s, _ := used(t)
	saved := s.Snapshot(nil)
	for n := range saved {
		if _, err := server.Restore(server.Config{}, saved[:n]); err == nil ||
			!strings.Contains(err.Error(), "restore the server: ") {
			t.Fatalf("the first %d of %d bytes: %v", n, len(saved), err)
		}
		damaged := bytes.Clone(saved)
		damaged[n] ^= 0x10
		if _, err := server.Restore(server.Config{}, damaged); err == nil {
			t.Fatalf("byte %d is damaged, and nobody sees it", n)
		}
	}
}

func FuzzRestore(f *testing.F) {
	s, _ := used(f)
	f.Add(s.Snapshot(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := server.Restore(server.Config{}, b)
		if err == nil && !bytes.Equal(s.Snapshot(nil), b) {
			t.Error("it is saved otherwise")
		}
	})
}

// TestLooks checks what the host sees of clients.
func TestLooks(t *testing.T) {
	p := newPure(t)
	c, err := p.dial(wire.ConnectRequest{TimeoutMS: 4000})
	if err != nil {
		t.Fatal(err)
	}
	if code := p.s.Make("/made/here", p.now, 0); code != zoo.OK {
		t.Fatal(code)
	}
	for _, q := range []wire.Request{
		{Op: wire.OpCreate, Path: "/made/e", ACL: zoo.OpenACL(), Flags: 1},
		{Op: wire.OpAddWatch, Path: "/made", Mode: wire.WatchPersistentRecursive},
		{Op: wire.OpGetChildren, Path: "/made/here", Watch: true},
		{Op: wire.OpGetData, Path: "/made/here", Watch: true},
		{Op: wire.OpExists, Path: "/none", Watch: true},
	} {
		c.send(q)
	}
	if n := p.s.WatchSummary(); n != (server.WatchSummary{Conns: 1, Paths: 3, Data: 3, All: 5}) {
		t.Errorf("watches: %+v", n)
	}
	var kinds []string
	for _, w := range p.s.Watches() {
		kinds = append(kinds, w.Path+" "+w.Kind.String())
	}
	if got := strings.Join(kinds,
		", "); got != "/made recursive, /made recursive, /made/here data, /made/here child, /none exist" {
		t.Error("watches:", got)
	}
	info := p.s.Sessions()
	if len(info) != 1 || p.s.Tree().Ephemerals(info[0].ID)[0] != "/made/e" || info[0].Conn != p.s.Conns()[0] ||
		info[0].Deadline != 6*time.Second {
		t.Errorf("sessions: %+v", info)
	}
	if ids := info[0].Conn.IDs(); len(ids) != 1 || ids[0].ID != netip.MustParseAddr("127.0.0.1").String() {
		t.Errorf("ids: %v", ids)
	}
}

// hangsUp is a client whose host ends the connection at the first watch event.
type hangsUp struct {
	end
	told int
}

func (d *hangsUp) Notify(wire.Notification, event.Watch, event.Seq) {
	d.told++
	d.conn.Lost(d.p.now, 0)
}

// TestLostWhileTold checks that a host may end a connection while the server sends to it.
func TestLostWhileTold(t *testing.T) {
	d := &hangsUp{end: end{p: newPure(t)}}
	d.conn = d.p.s.Connect(d, server.From{})
	d.conn.Greet(&wire.ConnectRequest{}, 0, 0)
	d.send(wire.Request{Op: wire.OpCreate, Path: "/a", ACL: zoo.OpenACL()})
	d.send(wire.Request{Op: wire.OpGetChildren, Path: "/", Watch: true})
	d.send(wire.Request{Op: wire.OpGetData, Path: "/a", Watch: true})
	d.heard()
	d.send(wire.Request{Op: wire.OpDelete, Path: "/a", Version: -1})
	if heard, _ := d.heard(); len(heard) != 0 || d.told != 1 || !d.conn.Closed() {
		t.Errorf("told %d times, answered %d, closed %v", d.told, len(heard), d.conn.Closed())
	}
	d = &hangsUp{end: end{p: d.p}}
	d.conn = d.p.s.Connect(d, server.From{})
	d.conn.Greet(&wire.ConnectRequest{}, 0, 0)
	d.send(wire.Request{Op: wire.OpSetWatches, DataWatches: []string{"/gone", "/lost"}})
	if d.told != 1 || d.p.s.WatchSummary().All != 0 {
		t.Errorf("told %d times, %d watches", d.told, d.p.s.WatchSummary().All)
	}
}
