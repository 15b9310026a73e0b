package learner_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/testing/certtest"
	"github.com/zkviz/zkviz/engine/testing/learnertest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// leader starts a server that follows a script.
func leader(t *testing.T, script func(t *testing.T, p *side)) (addr string) {
	t.Helper()
	return leaders(t, func(s *side) { script(t, s) })
}

// leaders starts a server that follows the next script for each connection.
func leaders(t *testing.T, scripts ...func(*side)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for _, script := range scripts {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			script(&side{conn: conn, in: bufio.NewReader(conn)})
			conn.Close()
		}
	}()
	return l.Addr().String()
}

// side is the leader's side of a connection.
type side struct {
	conn net.Conn
	in   *bufio.Reader
}

// heard reads a packet and formats it.
func (s *side) heard() string {
	var head [16]byte
	if _, err := io.ReadFull(s.in, head[:]); err != nil {
		return err.Error()
	}
	n := int32(binary.BigEndian.Uint32(head[12:]))
	data := make([]byte, max(n, 0)+4) // with no identities
	if _, err := io.ReadFull(s.in, data); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %#x %x", binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint64(head[4:]),
		data[:len(data)-4])
}

// says sends a packet.
func (s *side) says(typ int32, zxid int64, data []byte) {
	_, _ = s.conn.Write(learnertest.AppendPacket(nil, typ, zxid, data))
}

// txn returns a create as it is logged and sent, with a digest at the end.
func txn(zxid int64, path string) []byte {
	x := wire.Txn{Session: 7, Cxid: 1, Zxid: zxid, TimeMS: 5, Op: wire.OpCreate, Path: path}
	return append(x.Append(nil), make([]byte, 12)...)
}

// emptyTree returns a tree of one session and the root.
func emptyTree() []byte {
	tree := txnlogtest.Tree{Sessions: []txnlogtest.Session{{ID: 7, TimeoutMS: 4000}}, Nodes: []txnlog.Node{{Path: "/"}}}
	return append(tree.Append(nil), "\x00\x00\x00\x0aBenWasHere"...)
}

// learn reads to the end and returns what came.
func learn(ctx context.Context, addr string, zxid int64) (told []string, err error) {
	tell := func(format string, args ...any) error {
		told = append(told, fmt.Sprintf(format, args...))
		return nil
	}
	err = learner.Learn(ctx, learner.Config{Leader: addr, Zxid: zxid, Silence: 20 * time.Second}, learner.To{
		Begin: func(b learner.Beginning) error { return tell("begin %+v", b) },
		Tree: txnlog.Tree{
			Session: func(id int64, ms int32) error { return tell("session %d of %d ms", id, ms) },
			Node:    func(n *txnlog.Node) error { return tell("znode %s", n.Path) },
		},
		Txn:    func(t *wire.Txn) error { return tell("%#x %s", t.Zxid, t.Path) },
		Synced: func() error { return tell("synced") },
	})
	return told, err
}

// TestAll starts from nothing and receives the tree, what is committed meanwhile, and what comes later, in every
// kind of packet.
func TestAll(t *testing.T) {
	var heard []string
	hear := func(s *side) { heard = append(heard, s.heard()) }
	addr := leader(t, func(t *testing.T, s *side) {
		hear(s)
		s.says(17, 3<<32, []byte{0, 1, 0, 0})
		hear(s)
		s.says(15, 3<<32, nil)
		_, _ = s.conn.Write(emptyTree())
		s.says(2, 3<<32|1, txn(3<<32|1, "/a"))
		s.says(4, 3<<32|1, nil)
		s.says(10, 3<<32, nil)
		hear(s)
		s.says(8, 3<<32|2, txn(3<<32|2, "/b"))
		s.says(12, -1, nil)
		hear(s)
		s.says(5, 3<<32|2, nil)
		hear(s)
		s.says(8, 3<<32|2, txn(3<<32|2, "/b")) // a repetition
		s.says(19, 3<<32|3, append(make([]byte, 8), txn(3<<32|3, "/c")...))
	})
	told, err := learn(t.Context(), addr, 0)
	const want = "begin {Epoch:3 Kept:false Zxid:12884901888}; session 7 of 4000 ms; znode /; 0x300000001 /a; " +
		"0x300000002 /b; synced; 0x300000003 /c"
	if got := strings.Join(told, "; "); got != want || !errors.Is(err, io.EOF) {
		t.Errorf("%v, it learns\n%s\nnot\n%s", err, got, want)
	}
	const says = "16 0x0 ffffffffffffffff000100000000000000000000; 18 0x0 00000000; 3 0x300000000 ; " +
		"3 0xffffffffffffffff ; 5 0x300000002 "
	if got := strings.Join(heard, "; "); got != says {
		t.Errorf("it says\n%s\nnot\n%s", got, says)
	}
}

// TestOn continues after a transaction: with what was missed, or without what never happened.
func TestOn(t *testing.T) {
	for typ, want := range map[int32]string{
		13: "begin {Epoch:4 Kept:true Zxid:12884901893}; 0x300000006 /a; synced",
		14: "begin {Epoch:4 Kept:true Zxid:12884901891}; synced",
	} {
		addr := leader(t, func(t *testing.T, s *side) {
			if got, want := s.heard(), "16 0x300000000 ffffffffffffffff000100000000000000000000"; got != want {
				t.Errorf("it says %s, not %s", got, want)
			}
			s.says(17, 4<<32, []byte{0, 1, 0, 0})
			if got, want := s.heard(), "18 0x300000005 00000003"; got != want {
				t.Errorf("it says %s, not %s", got, want)
			}
			s.says(typ, 3<<32|3, nil)
			if typ == 13 {
				s.says(2, 3<<32|6, txn(3<<32|6, "/a"))
				s.says(4, 3<<32|6, nil)
			}
			s.says(12, -1, nil)
			s.heard()
		})
		told, err := learn(t.Context(), addr, 3<<32|5)
		if got := strings.Join(told, "; "); got != want || !errors.Is(err, io.EOF) {
			t.Errorf("%v, it learns\n%s\nnot\n%s", err, got, want)
		}
	}
}

// TestNoLeader checks the error for a server that doesn't lead or speaks another protocol.
func TestNoLeader(t *testing.T) {
	for name, script := range map[string]func(*testing.T, *side){
		"closes":        func(_ *testing.T, s *side) { s.heard() },
		"http":          func(_ *testing.T, s *side) { s.heard(); fmt.Fprint(s.conn, "HTTP/1.1 400 Bad Request\r\n\r\n") },
		"mute":          func(_ *testing.T, s *side) { s.heard(); s.says(17, 3<<32, nil) },
		"says too much": func(_ *testing.T, s *side) { s.heard(); s.conn.Write(bytes.Repeat([]byte{0, 0, 0, 17}, 100)) },
	} {
		told, err := learn(t.Context(), leader(t, script), 0)
		if len(told) > 0 || err == nil || !strings.Contains(err.Error(), "leader") {
			t.Errorf("%s: %v, %q", name, err, told)
		}
	}
}

// TestUnanswered checks that connecting to a vanished server takes less long than the operating system would wait.
func TestUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := time.Now()
		err := learner.Learn(t.Context(), learner.Config{Dial: func(ctx context.Context, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}, learner.To{})
		if took := time.Since(from); !errors.Is(err, context.DeadlineExceeded) || took != 5*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// TestStops checks that cancelling ctx ends the reading.
func TestStops(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	addr := leader(t, func(_ *testing.T, s *side) {
		s.heard()
		stop(why)
		s.heard()
	})
	if _, err := learn(ctx, addr, 0); err != why {
		t.Errorf("it ends with %v", err)
	}
}

// TestGoneBack checks that everything is read again if the last transactions never happened for the next leader.
func TestGoneBack(t *testing.T) {
	said := make(chan string, 4)
	addr := leaders(t, func(s *side) {
		s.heard()
		s.says(17, 3<<32, []byte{0, 1, 0, 0})
		s.heard()
		s.says(15, 3<<32, nil)
		_, _ = s.conn.Write(emptyTree())
		s.says(8, 3<<32|2, txn(3<<32|2, "/b"))
	}, func(s *side) {
		s.heard()
		s.says(17, 4<<32, []byte{0, 1, 0, 0})
		said <- s.heard()
		s.says(14, 3<<32|1, nil)
		s.says(8, 4<<32|1, txn(4<<32|1, "/wrong"))
	}, func(s *side) {
		s.heard()
		s.says(17, 4<<32, []byte{0, 1, 0, 0})
		said <- s.heard()
		s.says(15, 3<<32|1, nil)
		_, _ = s.conn.Write(emptyTree())
		s.says(8, 4<<32|1, txn(4<<32|1, "/c"))
	})
	var told []string
	enough := errors.New("enough")
	tell := func(format string, args ...any) error {
		told = append(told, fmt.Sprintf(format, args...))
		return nil
	}
	err := learner.Follow(t.Context(), learner.FollowConfig{Servers: []string{addr}}, learner.To{
		Begin: func(b learner.Beginning) error { return tell("begin %#x", b.Zxid) },
		Tree: txnlog.Tree{
			Session: func(int64, int32) error { return nil },
			Node:    func(*txnlog.Node) error { return nil },
		},
		Txn: func(x *wire.Txn) error {
			_ = tell("%#x %s", x.Zxid, x.Path)
			if x.Path == "/c" {
				return enough
			}
			return nil
		},
		Synced: func() error { return nil },
	})
	const want = "begin 0x300000000; 0x300000002 /b; begin 0x300000001; 0x400000001 /c"
	if got := strings.Join(told, "; "); got != want || !errors.Is(err, enough) {
		t.Errorf("%v, it learns %s, not %s", err, got, want)
	}
	if got := <-said + "; " + <-said; got != "18 0x300000002 00000003; 18 0x0 00000000" {
		t.Error("it says that it knows", got)
	}
}

// TestLost checks that Lost reports the error of the one server that accepts a connection, not that others refuse.
func TestLost(t *testing.T) {
	for _, first := range []bool{true, false} {
		servers := []string{leader(t, func(_ *testing.T, s *side) { s.heard(); s.says(13, 3<<32, nil) }), "127.0.0.1:1"}
		if !first {
			slices.Reverse(servers)
		}
		ctx, stop := context.WithCancel(t.Context())
		var why error
		_ = learner.Follow(ctx, learner.FollowConfig{Servers: servers, Lost: func(err error) { why = err; stop() }},
			learner.To{})
		if why == nil || !strings.Contains(why.Error(), "older than ZooKeeper 3.4") {
			t.Errorf("%v: %v", servers, why)
		}
	}
}

// TestNobodyLeads checks that the error names all servers if none accepts a connection, with the reason but without
// the failed calls.
func TestNobodyLeads(t *testing.T) {
	servers := []string{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:4"}
	for _, c := range []struct {
		servers []string
		want    string
	}{
		{servers[:2], "away.no-leader(127.0.0.1:1, 127.0.0.1:2, error.text(connection refused))"},
		{append(servers, "127.0.0.1:5"),
			"away.no-leader(127.0.0.1:1, 127.0.0.1:2, 127.0.0.1:3, …, error.text(connection refused))"},
	} {
		ctx, stop := context.WithCancel(t.Context())
		why := ""
		_ = learner.Follow(ctx, learner.FollowConfig{Servers: c.servers, Lost: func(err error) {
			why = err.Error()
			stop()
		}}, learner.To{})
		if !strings.HasPrefix(why, c.want) {
			t.Errorf("%v: %s", c.servers, why)
		}
	}
}

// TestAddresses checks that an address without a port is refused before any connection.
func TestAddresses(t *testing.T) {
	for _, addr := range []string{"zk1", "zk1:", "[::1]", ""} {
		err := learner.Follow(t.Context(), learner.FollowConfig{Servers: []string{"127.0.0.1:1", addr}}, learner.To{})
		if err == nil || !strings.Contains(err.Error(), "like zk1:2888") {
			t.Errorf("%q: %v", addr, err)
		}
	}
}

// TestTLS checks the error for a leader that expects TLS, and reading from it with TLS.
func TestTLS(t *testing.T) {
	authority := certtest.New(t)
	pair, err := tls.LoadX509KeyPair(authority.Issue("leader", "127.0.0.1"))
	if err != nil {
		t.Fatal(err)
	}
	secure := func(script func(*side)) func(*side) {
		return func(s *side) {
			s.conn = tls.Server(s.conn, &tls.Config{Certificates: []tls.Certificate{pair}})
			s.in = bufio.NewReader(s.conn)
			script(s)
		}
	}
	script := secure(func(s *side) {
		if s.heard() == "EOF" {
			return
		}
		s.says(17, 3<<32, []byte{0, 1, 0, 0})
		s.heard()
		s.says(15, 3<<32, nil)
		_, _ = s.conn.Write(emptyTree())
	})
	if _, err := learn(t.Context(), leaders(t, script), 0); !strings.Contains(err.Error(), "TLS") {
		t.Errorf("spoken to as it is: %v", err)
	}
	files := access.Files{CA: authority.File}
	cfg, err := files.Config()
	if err != nil {
		t.Fatal(err)
	}
	nodes := 0
	err = learner.Learn(t.Context(), learner.Config{Leader: leaders(t, script), Dial: access.Dialer{TLS: cfg}.Open},
		learner.To{
			Begin: func(learner.Beginning) error { return nil },
			Tree: txnlog.Tree{
				Session: func(int64, int32) error { return nil },
				Node:    func(*txnlog.Node) error { nodes++; return nil },
			},
		})
	if nodes != 1 || !errors.Is(err, io.EOF) {
		t.Errorf("over TLS it learns %d znodes, then %v", nodes, err)
	}
}
