package txnlog_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestApache makes a ZooKeeper do one of each operation, and reads its log and, after a restart, its snapshot.
func TestApache(t *testing.T) {
	zktest.Need(t)
	s, err := apache.Start(apache.Config{Properties: []string{"zookeeper.extendedTypesEnabled=true",
		"znode.container.checkIntervalMs=50", "zookeeper.snapshot.compression.method=snappy"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	mortal := dial(t, s.Addr, 2000)
	p := dial(t, s.Addr, 60_000)
	do(t, mortal, wire.Request{Op: wire.OpCreate, Path: "/owned", ACL: zoo.OpenACL(), Flags: int32(zoo.Ephemeral)})
	for _, r := range []wire.Request{
		{Op: wire.OpCreate, Path: "/a", Data: []byte("x"), ACL: zoo.OpenACL()},
		{Op: wire.OpCreate2, Path: "/a/s-", ACL: zoo.OpenACL(), Flags: int32(zoo.EphemeralSequential)},
		{Op: wire.OpCreateContainer, Path: "/c", ACL: zoo.OpenACL(), Flags: int32(zoo.Container)},
		{Op: wire.OpCreate, Path: "/c/1", ACL: zoo.OpenACL()},
		{Op: wire.OpCreateTTL, Path: "/t", ACL: zoo.OpenACL(), Flags: int32(zoo.PersistentTTL),
			TTL: time.Hour.Milliseconds()},
		{Op: wire.OpSetData, Path: "/a", Data: []byte("y"), Version: -1},
		{Op: wire.OpSetACL, Path: "/t", ACL: []zoo.ACL{{Perms: zoo.PermAll, Scheme: "ip", ID: "127.0.0.1"}}, Version: -1},
		{Op: wire.OpDelete, Path: "/nobody", Version: -1},
		{Op: wire.OpMulti, Ops: []wire.Request{{Op: wire.OpCheck, Path: "/a", Version: 1},
			{Op: wire.OpSetData, Path: "/a", Data: []byte("z"), Version: -1},
			{Op: wire.OpCreate, Path: "/m", ACL: zoo.OpenACL()}}},
		{Op: wire.OpMulti, Ops: []wire.Request{{Op: wire.OpDelete, Path: "/m", Version: -1},
			{Op: wire.OpCheck, Path: "/a", Version: 7}}},
		{Op: wire.OpDelete, Path: "/c/1", Version: -1},
	} {
		do(t, p, r)
	}
	gone := func(path string) {
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if r, _, err := p.Do(wire.Request{Op: wire.OpExists, Path: path}); err != nil || time.Now().After(end) {
				t.Fatalf("%s is still there: %v", path, err)
			} else if r.Code == zoo.ErrNoNode {
				return
			}
		}
	}
	gone("/c")
	gone("/owned")
	do(t, p, wire.Request{Op: wire.OpCloseSession})
	s.Kill()

	got := readAll(t, s.Files(), "log.*")
	const want = `
op createSession timeout=2000ms
op createSession timeout=60000ms
op create /owned "" ephemeral cversion=1
op create /a "x" cversion=2
op create2 /a/s-0000000000 "" ephemeral cversion=1
op createContainer /c "" cversion=3
op create /c/1 "" cversion=1
op createTTL /t "" cversion=4 ttl=1h0m0s
op setData /a "y" version=1
op setACL /t version=1
op error -101
op multi (check /a version=2) (setData /a "z" version=2) (create /m "" cversion=5)
op multi (delete /m) (error -103)
op delete /c/1
op closeSession [/a/s-0000000000]
`
	var asked, own []string // the server's own transactions may come at any time
	for _, line := range got {
		if strings.HasPrefix(line, "self ") {
			own = append(own, line)
		} else {
			asked = append(asked, line)
		}
	}
	if text := strings.Join(asked, "\n"); text != strings.TrimSpace(want) {
		t.Errorf("the log has\n%s\nnot%s", text, want)
	}
	slices.Sort(own)
	if want := []string{"self closeSession [/owned]", "self deleteContainer /c"}; !slices.Equal(own, want) {
		t.Errorf("the server did %q by itself, not %q", own, want)
	}

	if err := s.Again(); err != nil { // it writes a snapshot
		t.Fatal(err)
	}
	dial(t, s.Addr, 60_000)
	s.Kill()
	nodes, sessions, last := map[string]txnlog.Node{}, 0, int64(0)
	files, _ := filepath.Glob(filepath.Join(s.Files(), "snapshot.*"))
	for _, name := range files {
		if !strings.HasSuffix(name, ".snappy") {
			t.Errorf("%s is not compressed", name)
		}
		clear(nodes)
		sessions = 0
		if err := txnlog.ReadSnapshotFile(name, txnlog.Tree{
			Session: func(int64, int32) error { sessions++; return nil },
			Node:    func(n *txnlog.Node) error { nodes[n.Path] = *n; return nil },
			Last:    func(zxid int64) { last = zxid },
		}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if zxid, _ := txnlog.SnapshotZxid(strings.TrimSuffix(filepath.Base(name), ".snappy")); last != zxid {
			t.Errorf("%s was written until %#x", name, last)
		}
	}
	a := nodes["/a"]
	if string(a.Data) != "z" || a.Stat.Version != 2 || a.Made != 1 || a.Stat.Mzxid <= a.Stat.Czxid {
		t.Errorf("/a is %+v in the snapshot", a)
	}
	if acl := nodes["/t"].ACL; len(acl) != 1 || acl[0].Scheme != "ip" || nodes["/"].Stat.Czxid != 0 || len(nodes) < 6 {
		t.Errorf("the snapshot has %+v", nodes)
	}
}

func dial(t *testing.T, addr string, timeoutMS int32) *peer.Peer {
	t.Helper()
	p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: timeoutMS})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Abort)
	return p
}

func do(t *testing.T, p *peer.Peer, r wire.Request) {
	t.Helper()
	r.Xid = 1
	if _, _, err := p.Do(r); err != nil {
		t.Fatal(err)
	}
}

// readAll reads all transactions of the files, one line each.
func readAll(t *testing.T, dir, pattern string) (lines []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no %s in %s", pattern, dir)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := txnlog.NewReader(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for {
			var txn wire.Txn
			err := r.Next(&txn)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			by := "op"
			if txn.Cxid == 0 && txn.Op != wire.OpCreateSession {
				by = "self"
			}
			lines = append(lines, by+" "+line(&txn))
		}
	}
	return lines
}

func line(t *wire.Txn) string {
	s := t.Op.String()
	switch t.Op {
	case wire.OpCreateSession:
		return fmt.Sprintf("%s timeout=%dms", s, t.TimeoutMS)
	case wire.OpCloseSession:
		return fmt.Sprint(s, " ", t.Paths)
	case wire.OpError:
		return fmt.Sprint(s, " ", int32(t.Code))
	case wire.OpMulti:
		for i := range t.Parts {
			s += " (" + line(&t.Parts[i]) + ")"
		}
		return s
	}
	s += " " + t.Path
	switch t.Op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		s += fmt.Sprintf(" %q", t.Data)
		if t.Ephemeral {
			s += " ephemeral"
		}
		s += fmt.Sprint(" cversion=", t.Cversion)
		if t.Op == wire.OpCreateTTL {
			s += fmt.Sprint(" ttl=", time.Duration(t.TTL)*time.Millisecond)
		}
	case wire.OpSetData:
		s += fmt.Sprintf(" %q version=%d", t.Data, t.Version)
	case wire.OpSetACL, wire.OpCheck:
		s += fmt.Sprint(" version=", t.Version)
	}
	return s
}
