package embed

import (
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// scripted is a connection whose other end sends the given pieces and then nothing. It drops what is written to it.
type scripted struct {
	pieces [][]byte
	once   sync.Once
	closed chan struct{}
}

func (s *scripted) Read(p []byte) (int, error) {
	select {
	case <-s.closed:
		return 0, net.ErrClosed
	default:
	}
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.pieces[0])
	if s.pieces[0] = s.pieces[0][n:]; len(s.pieces[0]) == 0 {
		s.pieces = s.pieces[1:]
	}
	return n, nil
}

func (s *scripted) Write(p []byte) (int, error) {
	select {
	case <-s.closed:
		return 0, net.ErrClosed
	default:
		return len(p), nil
	}
}

func (s *scripted) Close() error                     { s.once.Do(func() { close(s.closed) }); return nil }
func (s *scripted) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
func (s *scripted) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2} }
func (s *scripted) SetDeadline(time.Time) error      { return nil }
func (s *scripted) SetReadDeadline(time.Time) error  { return nil }
func (s *scripted) SetWriteDeadline(time.Time) error { return nil }

// cut splits the bytes into pieces. cuts gives the lengths of the pieces and repeats.
func cut(said, cuts []byte) (pieces [][]byte) {
	for i := 0; len(said) > 0; i++ {
		n := len(said)
		if len(cuts) > 0 {
			n = min(n, 1+int(cuts[i%len(cuts)]))
		}
		pieces = append(pieces, said[:n:n])
		said = said[n:]
	}
	return pieces
}

// secret is a znode that only the bystander may change.
const secret = "/secret"

// FuzzConnection lets a client send anything, in any pieces. The server neither panics nor takes more memory than
// the bytes are worth. Another client notices nothing, and no goroutine remains at the end.
func FuzzConnection(f *testing.F) {
	for _, said := range conversations() {
		f.Add(said, []byte{})
		f.Add(said, []byte{0})
		f.Add(said, []byte{2, 0, 40, 7})
	}
	f.Fuzz(func(t *testing.T, said, cuts []byte) {
		// The memory is that of the whole process, in which other things happen. Try more than once.
		const tries = 3
		var took uint64
		for range tries {
			if took = converse(t, said, cuts); took <= worth(len(said)) {
				return
			}
		}
		var stacks [1 << 16]byte
		t.Errorf("%d bytes said took %d bytes of memory\n%s", len(said), took, stacks[:runtime.Stack(stacks[:], true)])
	})
}

// converse lets one client talk to a new server, and returns how many bytes that allocated.
func converse(t *testing.T, said, cuts []byte) uint64 {
	t.Helper()
	s, err := Listen(Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := enter(t, s)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := &scripted{pieces: cut(said, cuts), closed: make(chan struct{})}
	if !s.begin(c, "", "anybody") {
		t.Fatal("it was not let in")
	}
	select {
	case <-c.closed:
	case <-time.After(eventually):
		t.Fatal("the server does not close a connection that has nothing more to say")
	}
	runtime.ReadMemStats(&after)
	b.unmoved(t)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return after.TotalAlloc - before.TotalAlloc
}

// eventually is how long to wait. Only a broken server takes that long.
const eventually = 5 * time.Minute

// worth returns how much memory that many bytes may cost, answers included. A client may request stored data again
// and again. At worst, half of the bytes store data, and the other half requests it with 30 bytes each.
func worth(said int) uint64 {
	n := uint64(said)
	return 4<<20 + 1000*n + n*n/60
}

// bystander is a client that nobody may disturb.
type bystander struct{ p *peer.Peer }

func enter(t *testing.T, s *Server) bystander {
	t.Helper()
	conn, err := s.Dial()
	if err != nil {
		t.Fatal(err)
	}
	p, err := peer.New(conn, wire.ConnectRequest{TimeoutMS: 40_000})
	if err != nil {
		t.Fatal(err)
	}
	b := bystander{p}
	mine := []zoo.ACL{{Perms: zoo.PermAll, Scheme: "auth"}}
	for _, r := range []wire.Request{
		{Op: wire.OpAuth, Scheme: "digest", Auth: []byte("me:myself")},
		{Op: wire.OpCreate, Path: secret, ACL: mine},
		{Op: wire.OpCreate, Path: secret + "/e", ACL: mine, Flags: int32(zoo.Ephemeral)},
		{Op: wire.OpGetData, Path: secret + "/e", Watch: true},
		{Op: wire.OpGetChildren, Path: secret, Watch: true},
	} {
		if got := b.do(t, r); got.Code != zoo.OK {
			t.Fatal(r.Op, got.Code)
		}
	}
	return b
}

// do fails if anything but the answer arrives.
func (b bystander) do(t *testing.T, r wire.Request) wire.Response {
	t.Helper()
	got, notes, err := b.p.Do(r)
	if err != nil || len(notes) > 0 {
		t.Fatalf("%v: %+v, %v", r.Op, notes, err)
	}
	return got
}

func (b bystander) unmoved(t *testing.T) {
	t.Helper()
	got := b.do(t, wire.Request{Op: wire.OpGetData, Path: secret + "/e"})
	if got.Code != zoo.OK || got.Stat.Version != 0 || got.Stat.EphemeralOwner != b.p.Welcome.Session {
		t.Errorf("the bystander's own znode: %+v", got)
	}
	if err := b.p.Close(); err != nil {
		t.Errorf("the bystander leaves: %v", err)
	}
}

// conversations lists what clients send, good and bad.
func conversations() [][]byte {
	hello := wire.ConnectRequest{TimeoutMS: 10_000, Password: make([]byte, 16), HasReadOnly: true}
	old := wire.ConnectRequest{TimeoutMS: -1}
	again := wire.ConnectRequest{TimeoutMS: 10_000, Session: 0x100000000000000, Password: make([]byte, 16)}
	late := wire.ConnectRequest{LastZxidSeen: 1 << 40}
	greet := wire.AppendFrame(nil, &hello)
	open := zoo.OpenACL()
	requests := greet
	for _, r := range []wire.Request{
		{Xid: 1, Op: wire.OpCreate, Path: "/a", Data: []byte("x"), ACL: open},
		{Xid: 2, Op: wire.OpCreate2, Path: "/a/e-", ACL: open, Flags: int32(zoo.EphemeralSequential)},
		{Xid: 3, Op: wire.OpGetData, Path: "/a", Watch: true},
		{Xid: 4, Op: wire.OpSetData, Path: "/a", Version: -1},
		{Xid: 5, Op: wire.OpAddWatch, Path: "/", Mode: wire.WatchPersistentRecursive},
		{Xid: 6, Op: wire.OpMulti, Ops: []wire.Request{
			{Op: wire.OpCheck, Path: "/a", Version: 1}, {Op: wire.OpDelete, Path: secret, Version: -1}}},
		{Xid: wire.XidPing, Op: wire.OpPing},
		{Xid: 7, Op: wire.OpGetChildren2, Path: "/", Watch: true},
		{Xid: 8, Op: wire.OpSetData, Path: secret, Version: -1},
		{Xid: 9, Op: wire.OpCloseSession},
	} {
		requests = wire.AppendFrame(requests, &r)
	}
	watches := wire.AppendFrame(greet[:len(greet):len(greet)], &wire.Request{Xid: -8, Op: wire.OpSetWatches,
		DataWatches: []string{"/none"}, ExistWatches: []string{"/zookeeper"}, ChildWatches: []string{"/"}})
	auth := wire.AppendFrame(greet[:len(greet):len(greet)], &wire.Request{Xid: -4, Op: wire.OpAuth, Scheme: "digest",
		Auth: []byte("u:p")})
	return [][]byte{
		nil, requests, watches, auth,
		wire.AppendFrame(nil, &old), wire.AppendFrame(nil, &again), wire.AppendFrame(nil, &late),
		[]byte("ruok"), []byte("mntr"), []byte("wchp and more"), []byte("abcd"),
		greet[:20],
		append(greet[:len(greet):len(greet)], 0x7f, 0xff, 0xff, 0xff),
		append(greet[:len(greet):len(greet)], 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 3, 231),  // an unknown operation
		append(greet[:len(greet):len(greet)], 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0), // cut short
		append(greet[:len(greet):len(greet)], greet...),
	}
}
