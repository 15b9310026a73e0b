package znode_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// TestAsApacheDoes sends random writes to the tree and to Apache ZooKeeper 3.8.0. It compares the answers and all
// later reads: zxids, codes, paths, Stats, data, ACLs, everything but the clock. engine/testing/conform checks the
// whole server; a failure here is the tree's own.
func TestAsApacheDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("a real ZooKeeper takes seconds to start")
	}
	zktest.Need(t)
	real, err := apache.Start(apache.Config{ // a server whose timer stays idle
		Settings:   []string{"extendedTypesEnabled=true"},
		Properties: []string{"znode.container.checkIntervalMs=86400000"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(real.Close)
	tree, said := znode.New(), map[zoo.Code]int{}
	anyone, bob := join(t, tree, real.Addr), join(t, tree, real.Addr)
	bob.authenticate(t)
	for seed := range uint64(20) {
		c := newChaos(seed)
		for range 50 {
			both := []*twin{anyone, bob}
			said[both[c.IntN(2)].write(t, c)]++
		}
		anyone.compare(t, "/")
		bob.compare(t, "/")
	}
	anyone.close(t)
	bob.compare(t, "/")
	if said[zoo.OK] < 100 || len(said) < 9 {
		t.Errorf("the answers were %v: the test tests too little", said)
	}
}

// twin is one session on the real server and on the tree.
type twin struct {
	real    *peer.Peer
	tree    *znode.Tree
	session int64
	caller  znode.Caller
}

func join(t *testing.T, tree *znode.Tree, addr string) *twin {
	t.Helper()
	real, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: int32(apache.MaxSession.Milliseconds()),
		Password: make([]byte, wire.PasswordBytes)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(real.Abort)
	tw := &twin{real: real, tree: tree, session: real.Welcome.Session}
	tw.caller = znode.Caller{IDs: []zoo.ID{{Scheme: "ip", ID: "127.0.0.1"}}}
	tree.Apply(znode.Txn{Kind: znode.OpenSession, Session: tw.session}, nil)
	return tw
}

func (tw *twin) authenticate(t *testing.T) {
	t.Helper()
	tw.ask(t, wire.Request{Op: wire.OpAuth, Scheme: "digest", Auth: []byte("bob:secret")})
	id, _ := znode.Authenticate("digest", []byte("bob:secret"), "")
	tw.caller.IDs = znode.AddID(tw.caller.IDs, id)
}

func (tw *twin) close(t *testing.T) {
	t.Helper()
	if err := tw.real.Close(); err != nil {
		t.Fatal(err)
	}
	tw.tree.Apply(znode.Txn{Kind: znode.CloseSession, Session: tw.session}, nil)
}

func (tw *twin) ask(t *testing.T, q wire.Request) wire.Response {
	t.Helper()
	r, _, err := tw.real.Do(q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return r
}

// write sends one write to both, compares the answers and returns the code.
func (tw *twin) write(t *testing.T, c *chaos) zoo.Code {
	t.Helper()
	x := c.txn()
	for deadly(x) || slices.ContainsFunc(x.Ops, deadly) || x.Kind == znode.CloseSession ||
		x.Kind == znode.DeleteContainer {
		x = c.txn()
	}
	if x.Kind == znode.Check { // a check can't be sent alone
		x = znode.Txn{Kind: znode.Multi, Ops: []znode.Txn{x}}
	}
	x.Session, x.Caller = tw.session, tw.caller
	q, ok := requestOf(x)
	if !ok {
		return zoo.ErrMarshalling
	}
	r := tw.ask(t, q)
	is, _ := tw.tree.Apply(x, nil)
	got, want := result(x, is), answer(x, r)
	if got != want {
		t.Fatalf("%+v:\nthe tree      %s\nApache's says %s", q, got, want)
	}
	return is.Code
}

// deadly reports whether x crashes Apache ZooKeeper 3.8.0.
func deadly(x znode.Txn) bool {
	switch x.Kind {
	case znode.CreateTTL:
		return x.TTL < 0 && !x.Mode.HasTTL()
	case znode.Set:
		return strings.HasSuffix(x.Path, "zookeeper_stats")
	}
	return false
}

func requestOf(x znode.Txn) (wire.Request, bool) {
	q := wire.Request{Op: ops[x.Kind], Path: x.Path, Data: x.Data, ACL: x.ACL, Flags: int32(x.Mode), TTL: x.TTL,
		Version: x.Version}
	for _, part := range x.Ops {
		if slices.Contains([]znode.Kind{znode.SetACL, znode.DeleteContainer, znode.CloseSession, znode.Multi}, part.Kind) {
			return q, false // can't be sent
		}
		p, _ := requestOf(part)
		q.Ops = append(q.Ops, p)
	}
	return q, true
}

var ops = map[znode.Kind]wire.Op{
	znode.Create: wire.OpCreate2, znode.CreateContainer: wire.OpCreateContainer, znode.CreateTTL: wire.OpCreateTTL,
	znode.Delete: wire.OpDelete, znode.Set: wire.OpSetData, znode.SetACL: wire.OpSetACL, znode.Check: wire.OpCheck,
	znode.Multi: wire.OpMulti,
}

// result and answer return the answers of the tree and of the real server in the same words.
func result(x znode.Txn, r znode.Result) string {
	if x.Kind != znode.Multi || r.Code == zoo.ErrMarshalling {
		return fmt.Sprint(r.Zxid, r.Code, r.Path, timeless(r.Stat))
	}
	s := fmt.Sprint(r.Zxid)
	for i, op := range r.Ops {
		st := timeless(op.Stat)
		if k := x.Ops[i].Kind; k != znode.Set && (k == znode.Delete || k == znode.Check ||
			znode.PartKind(x.Ops[i].Mode) == znode.Create) {
			st = zoo.Stat{} // not sent
		}
		s += fmt.Sprintln(" ", op.Code, op.Path, st)
	}
	return s
}

func answer(x znode.Txn, r wire.Response) string {
	if x.Kind != znode.Multi || r.Code == zoo.ErrMarshalling {
		return fmt.Sprint(r.Zxid, r.Code, r.Path, timeless(r.Stat))
	}
	s := fmt.Sprint(r.Zxid)
	for _, op := range r.Results {
		s += fmt.Sprintln(" ", op.Code, op.Path, timeless(op.Stat))
	}
	return s
}

func timeless(s zoo.Stat) zoo.Stat {
	s.Ctime, s.Mtime = 0, 0
	return s
}

// compare reads everything from path down, in every way.
func (tw *twin) compare(t *testing.T, path string) {
	t.Helper()
	same := func(op wire.Op, got ...any) {
		t.Helper()
		r := tw.ask(t, wire.Request{Op: op, Path: path})
		slices.Sort(r.Children)
		want := []any{r.Code, timeless(r.Stat)}
		switch op {
		case wire.OpGetData:
			want = append(want, r.Data)
		case wire.OpGetChildren2:
			want = append(want, append([]string{}, r.Children...))
		case wire.OpGetACL:
			want = append(want, append([]zoo.ACL{}, r.ACL...))
		case wire.OpAllChildrenNumber:
			want = append(want, r.Number)
		case wire.OpGetEphemerals:
			want = append(want, append([]string{}, r.Children...))
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s %s:\nthe tree      %+v\nApache's says %+v", op, path, got, want)
		}
	}
	stat, code := tw.tree.Exists(path)
	same(wire.OpExists, code, timeless(stat))
	data, stat, code := tw.tree.Get(path, tw.caller)
	same(wire.OpGetData, code, timeless(stat), data)
	names, stat, code := tw.tree.List(path, tw.caller)
	same(wire.OpGetChildren2, code, timeless(stat), append([]string{}, names...))
	acl, stat, code := tw.tree.GetACL(path, tw.caller)
	same(wire.OpGetACL, code, timeless(stat), append([]zoo.ACL{}, acl...))
	number, code := tw.tree.AllChildrenNumber(path, tw.caller)
	same(wire.OpAllChildrenNumber, code, zoo.Stat{}, number)
	mine := tw.tree.GetEphemerals(tw.session, path)
	slices.Sort(mine)
	same(wire.OpGetEphemerals, zoo.OK, zoo.Stat{}, append([]string{}, mine...))
	for _, child := range below(tw.tree, path) {
		tw.compare(t, child)
	}
}
