package replay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// one and two are session ids.
const one, two = 0x101, 0x202

// day returns the history of a lock: two sessions take it, one closes, the other expires.
func day() []wire.Txn {
	return numbered(
		wire.Txn{Session: one, Op: wire.OpCreateSession, TimeoutMS: 4000},
		wire.Txn{Session: one, Cxid: 1, Op: wire.OpCreate, Path: "/locks", Data: []byte("for all")},
		wire.Txn{Session: one, Cxid: 2, Op: wire.OpCreate2, Path: "/locks/a-0000000000", Ephemeral: true},
		wire.Txn{Session: two, Op: wire.OpCreateSession, TimeoutMS: 6000},
		wire.Txn{Session: two, Cxid: 1, Op: wire.OpError, Code: zoo.ErrNodeExists},
		wire.Txn{Session: two, Cxid: 2, Op: wire.OpMulti, Parts: []wire.Txn{
			{Op: wire.OpCheck, Path: "/locks", Version: 1},
			{Op: wire.OpCreate, Path: "/locks/a-0000000001", Ephemeral: true},
			{Op: wire.OpSetData, Path: "/elsewhere", Data: []byte("x")},
		}},
		wire.Txn{Session: two, Cxid: 3, Op: wire.OpMulti, Parts: []wire.Txn{
			{Op: wire.OpDelete, Path: "/locks/a-0000000000"}, {Op: wire.OpError, Code: zoo.ErrBadVersion},
			{Op: wire.OpError, Code: zoo.ErrRuntimeInconsistency},
		}},
		wire.Txn{Session: one, Cxid: 3, Op: wire.OpSetData, Path: "/locks", Data: []byte("for me"), Version: 1},
		wire.Txn{Session: one, Cxid: 4, Op: wire.OpCloseSession, Paths: []string{"/locks/a-0000000000"}},
		wire.Txn{Session: two, Op: wire.OpCloseSession},
		wire.Txn{Op: wire.OpDeleteContainer, Path: "/locks"},
	)
}

// numbered gives the transactions zxids and times.
func numbered(all ...wire.Txn) []wire.Txn {
	for i := range all {
		all[i].Zxid, all[i].TimeMS = int64(i+1), int64(1000*(i+1))
	}
	return all
}

func text(facts []replay.Fact) string {
	var b strings.Builder
	for _, f := range facts {
		fmt.Fprintf(&b, "%d %s", f.Zxid, f.Kind)
		if f.Op != event.NoOp {
			fmt.Fprintf(&b, " %s", f.Op)
		}
		if f.Path != "" {
			fmt.Fprintf(&b, " %s", f.Path)
		}
		if f.Text != "" {
			fmt.Fprintf(&b, " %q", f.Text)
		}
		if f.Kind == event.ZnodeCreated {
			fmt.Fprintf(&b, " mode %d of %#x", f.Mode, f.Session)
		}
		if f.Reason != event.NoReason {
			fmt.Fprintf(&b, " by %s", f.Reason)
		}
		if f.Code != 0 {
			fmt.Fprintf(&b, " code %d", f.Code)
		}
		fmt.Fprintf(&b, ", asked for by %#x", f.By)
		if f.Cause != 0 {
			fmt.Fprintf(&b, ", because of %d", f.Cause)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func replayed(s *replay.State, all []wire.Txn) (told string) {
	for i := range all {
		told += text(s.Apply(&all[i]))
	}
	return told
}

// TestDay checks the facts of each operation: who requested what, its effect, and why each znode went.
func TestDay(t *testing.T) {
	s := replay.New("/")
	const want = `1 session.created, asked for by 0x101
2 txn.applied create /locks, asked for by 0x101
2 znode.created /locks "for all" mode 0 of 0x0, asked for by 0x101, because of 1
3 txn.applied create /locks/a-0000000000, asked for by 0x101
3 znode.created /locks/a-0000000000 mode 3 of 0x101, asked for by 0x101, because of 1
4 session.created, asked for by 0x202
5 txn.applied code -110, asked for by 0x202
6 txn.applied multi /locks, asked for by 0x202
6 znode.created /locks/a-0000000001 mode 3 of 0x202, asked for by 0x202, because of 1
6 znode.changed /elsewhere "x", asked for by 0x202, because of 1
7 txn.applied multi code -103, asked for by 0x202
8 txn.applied set /locks, asked for by 0x101
8 znode.changed /locks "for me", asked for by 0x101, because of 1
9 session.closed, asked for by 0x101
9 znode.deleted /locks/a-0000000000 by session-closed, asked for by 0x101, because of 1
10 session.expired, asked for by 0x202
10 znode.deleted /locks/a-0000000001 by session-expired, asked for by 0x202, because of 1
11 txn.applied delete /locks, asked for by 0x0
11 znode.deleted /locks by timer, asked for by 0x0, because of 1
`
	if got := replayed(s, day()); got != want {
		t.Errorf("it tells\n%s\nnot\n%s", got, want)
	}
	if s.Nodes() != 1 || s.Sessions() != 0 || s.Zxid != 11 || s.TimeMS != 11000 {
		t.Errorf("%d znodes and %d sessions are left, at %d", s.Nodes(), s.Sessions(), s.Zxid)
	}
}

// TestBelow checks that facts cover only the root's subtree, but all sessions.
func TestBelow(t *testing.T) {
	got := replayed(replay.New("/elsewhere"), day())
	const want = `1 session.created, asked for by 0x101
4 session.created, asked for by 0x202
6 txn.applied multi /elsewhere, asked for by 0x202
6 znode.changed /elsewhere "x", asked for by 0x202, because of 1
9 session.closed, asked for by 0x101
10 session.expired, asked for by 0x202
`
	if got != want {
		t.Errorf("it tells\n%s\nnot\n%s", got, want)
	}
}

// TestMultiChangesItsOwn checks that a multi may set, delete and recreate what it creates. Over a snapshot that
// already contains it, it reports nothing.
func TestMultiChangesItsOwn(t *testing.T) {
	all := numbered(wire.Txn{Session: one, Cxid: 1, Op: wire.OpMulti, Parts: []wire.Txn{
		{Op: wire.OpCreate, Path: "/a", Data: []byte("1")},
		{Op: wire.OpSetData, Path: "/a", Data: []byte("2"), Version: 1},
		{Op: wire.OpSetData, Path: "/a", Data: []byte("three"), Version: 2},
		{Op: wire.OpCreate, Path: "/b"},
		{Op: wire.OpDelete, Path: "/b"},
		{Op: wire.OpCreate, Path: "/b", Data: []byte("again")},
	}})
	const want = `1 txn.applied multi /a, asked for by 0x101
1 znode.created /a "1" mode 0 of 0x0, asked for by 0x101, because of 1
1 znode.changed /a "2", asked for by 0x101, because of 1
1 znode.changed /a "three", asked for by 0x101, because of 1
1 znode.created /b mode 0 of 0x0, asked for by 0x101, because of 1
1 znode.deleted /b by op, asked for by 0x101, because of 1
1 znode.created /b "again" mode 0 of 0x0, asked for by 0x101, because of 1
`
	s := replay.New("/")
	if got := replayed(s, all); got != want {
		t.Errorf("it tells\n%s\nnot\n%s", got, want)
	}
	if n := s.Node("/a"); n == nil || n.Text != "three" || n.Bytes != 5 {
		t.Errorf("/a is %+v", n)
	}
	all[0].Parts = all[0].Parts[:3]
	const known = "1 txn.applied multi /a, asked for by 0x101\n"
	if got := replayed(s, all); got != known {
		t.Errorf("over what has it already it tells\n%s", got)
	}
}

// TestSnapshotsAreFuzzy checks that applying transactions again over a snapshot that contains them leads to the
// same state.
func TestSnapshotsAreFuzzy(t *testing.T) {
	for seed := range uint64(200) {
		all := chance(seed)
		whole := replay.New("/")
		replayed(whole, all)
		r := rand.New(rand.NewPCG(seed, 1))
		from := r.IntN(len(all))
		to := from + r.IntN(len(all)-from)
		base := replay.New("/")
		replayed(base, all[:to]) // the worst case of a snapshot named after the zxid from
		replayed(base, all[from:])
		if got, want := left(base), left(whole); !slices.Equal(got, want) {
			t.Fatalf("seed %d: over a snapshot of %d to %d there is\n%q, not\n%q", seed, from, to, got, want)
		}
	}
}

var paths = []string{"/a", "/b", "/b/c", "/d-0000000001"}

// left lists what remains at the end.
func left(s *replay.State) (all []string) {
	for _, path := range paths {
		if n := s.Node(path); n != nil {
			all = append(all, fmt.Sprintf("%s %+v", path, *n))
		}
	}
	return append(all, fmt.Sprint(s.Sessions(), " sessions"))
}

// chance returns a random but consistent history: a znode is created only if it doesn't exist, and so on.
func chance(seed uint64) []wire.Txn {
	r := rand.New(rand.NewPCG(seed, 2))
	var all []wire.Txn
	open, owner := map[int64]bool{}, map[string]int64{}
	ids := []int64{1, 2, 3} // never reused
	for range 60 {
		who, path := r.IntN(len(ids)), paths[r.IntN(len(paths))]
		session := ids[who]
		_, there := owner[path]
		x := wire.Txn{Session: session, Cxid: 1, Path: path}
		switch {
		case !open[session]:
			x = wire.Txn{Session: session, Op: wire.OpCreateSession, TimeoutMS: 4000}
			open[session] = true
		case r.IntN(8) == 0:
			x = wire.Txn{Session: session, Op: wire.OpCloseSession}
			ids[who] += 10
			for path, of := range owner {
				if of == session {
					delete(owner, path)
				}
			}
		case !there:
			x.Op, x.Ephemeral = wire.OpCreate, r.IntN(2) == 0
			owner[path] = 0
			if x.Ephemeral {
				owner[path] = session
			}
		case r.IntN(2) == 0:
			x.Op = wire.OpDelete
			delete(owner, path)
		default:
			x.Op, x.Data = wire.OpSetData, []byte{byte('a' + r.IntN(26))}
		}
		all = append(all, x)
	}
	return numbered(all...)
}
