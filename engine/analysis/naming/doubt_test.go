package naming_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Names as the libraries make them, without their numbers.
const (
	curatorLock  = "_c_" + uuid + "-lock-"
	curatorRead  = "_c_" + uuid + "-__READ__"
	curatorWrite = "_c_" + uuid + "-__WRIT__"
	curatorLease = "_c_" + uuid + "-lease-"
	kazooLock    = hex + "__lock__"
	kazooRead    = hex + "__rlock__"
	goLock       = "_c_" + hex + "-lock-"
)

// at returns a child with a number, of a session, created by a transaction of the same number.
func at(stem string, number int32, session int64) naming.Child {
	return naming.Child{Name: fmt.Sprintf("%s%010d", stem, number), Owner: session, Zxid: int64(number)}
}

// among returns a guess in words, as text writes it. Both orders of the children must give the same guess.
func among(t *testing.T, d naming.Door, all ...naming.Child) string {
	t.Helper()
	got := text(naming.Of(all, d, false))
	slices.Reverse(all)
	if back := text(naming.Of(all, d, false)); back != got {
		t.Errorf("from the last to the first they are\n%s, from the first to the last\n%s", back, got)
	}
	return got
}

// TestDoubts tells which znodes in one folder are inside, by what their libraries' clients wait for, and which may
// or may not be.
func TestDoubts(t *testing.T) {
	for _, test := range []struct {
		want string
		all  []naming.Child
	}{
		// kazoo's reader may wait for a writer behind it, but not for one that has gone.
		{"read-write of kazoo: r1?writer-behind 2", []naming.Child{at(kazooRead, 0, 1), at(kazooLock, 1, 2)}},
		{"read-write of kazoo: 1! r2", []naming.Child{at(kazooLock, 0, 1), at(kazooRead, 1, 2)}},
		{"read-write of kazoo: r1?writer-behind 2 r3",
			[]naming.Child{at(kazooRead, 0, 1), at(kazooLock, 1, 2), at(kazooRead, 2, 3)}},
		{"read-write of Curator: r1! 2", []naming.Child{at(curatorRead, 0, 1), at(curatorWrite, 1, 2)}},

		// With Curator, a session that holds the write lock may read as well.
		{"read-write of Curator: 1! r1?own-write r2",
			[]naming.Child{at(curatorWrite, 0, 1), at(curatorRead, 1, 1), at(curatorRead, 2, 2)}},
		{"read-write of Curator: r1! 1", []naming.Child{at(curatorRead, 0, 1), at(curatorWrite, 1, 1)}},
		{"read-write of zkviz: 1! r1", []naming.Child{at("write-1a-", 0, 1), at("read-1a-", 1, 1)}},

		// Curator doesn't count kazoo's znodes; kazoo can be configured to count Curator's.
		{"lock of Curator + kazoo: 1! 2! 3", []naming.Child{at(kazooLock, 0, 1), at(curatorLock, 1, 2),
			at(curatorLock, 2, 3)}},
		{"lock of Curator + kazoo: 1! 2?other-names", []naming.Child{at(curatorLock, 0, 1), at(kazooLock, 1, 2)}},
		{"lock of kazoo + Curator: 1! 2?other-names 3",
			[]naming.Child{at(curatorLock, 0, 1), at(kazooLock, 1, 2), at(kazooLock, 2, 3)}},

		// go-zookeeper counts both, and Curator counts it.
		{"lock of go-zookeeper + Curator + kazoo: 1! 2 3 4", []naming.Child{at(kazooLock, 0, 1), at(goLock, 1, 2),
			at(curatorLock, 2, 3), at(goLock, 3, 4)}},

		// After the parent's counter overflows, text order puts its new numbers first, the newer before the older.
		{"lock of Curator: 3! 2 1", []naming.Child{at(curatorLock, 2147483647, 1),
			at(curatorLock, -2147483648, 2), at(curatorLock, -2147483647, 3)}},
		{"lock of Curator: 2! 1", []naming.Child{at(curatorLock, 0, 1), at(curatorLock, -2147483648, 2)}},
		{"lock of zkviz: 2! 3 1", []naming.Child{at("lock-1a-", 2147483647, 1), at("lock-1b-", -2147483648, 2),
			at("lock-1c-", -2147483647, 3)}},

		// Only the last ten digits count, where a library puts others before them.
		{"members of Curator: 1! 2!", []naming.Child{at("queue-0FFFFFFF2", 1, 1), at("queue-000000001", 2, 2)}},
		{"read-write of HBase: r1! r2! 3", []naming.Child{at("read-a:1", 0, 1), at("read-a:22", 1, 2),
			at("write-a:3", 2, 3)}},

		// kazoo's persistent lock holds without a session; Curator's name without one holds nothing.
		{"lock of kazoo: 0! 2", []naming.Child{at(kazooLock, 0, 0), at(kazooLock, 1, 2)}},
		{"lock of the ZooKeeper recipes: 0", []naming.Child{at("lock-", 0, 0)}},
		{"queue of : 0", []naming.Child{at("n_", 0, 0)}},
		{"lock of Curator: 0 2", []naming.Child{at(curatorLock, 0, 0), at(curatorLock, 1, 2)}},
	} {
		if got := among(t, naming.Door{}, test.all...); got != test.want {
			t.Errorf("they are\n%s, not\n%s", got, test.want)
		}
	}
}

// TestDoor tells which permits their owners have, by who is at the door: the newest permit that the session at the
// door created since it came there isn't its own yet.
func TestDoor(t *testing.T) {
	one, two, three := at(curatorLease, 10, 1), at(curatorLease, 11, 2), at(curatorLease, 12, 3)
	again := at(curatorLease, 13, 1)
	unknown := again
	unknown.Zxid = 0
	for _, test := range []struct {
		want string
		door naming.Door
		all  []naming.Child
	}{
		{"permits of Curator: 1! 2! 3!", naming.Door{}, []naming.Child{one, two, three}},
		{"permits of Curator: 1! 2! 3", naming.Door{Open: true, Session: 3}, []naming.Child{one, two, three}},
		{"permits of Curator: 1! 2! 3!", naming.Door{Open: true, Session: 4}, []naming.Child{one, two, three}},
		{"permits of Curator: 1! 2! 1", naming.Door{Open: true, Session: 1}, []naming.Child{one, two, again}},
		{"permits of Curator: 1! 2! 1", naming.Door{Open: true, Session: 1, Zxid: 13}, []naming.Child{one, two, again}},
		{"permits of Curator: 1! 2! 1!", naming.Door{Open: true, Session: 1, Zxid: 14}, []naming.Child{one, two, again}},
		{"permits of Curator: 1! 2! 1", naming.Door{Open: true, Session: 1, Zxid: 14}, []naming.Child{one, two, unknown}},

		// kazoo's barrier and its semaphore name their znodes alike: only the door tells them apart.
		{"rendezvous of kazoo: 1?gathering", naming.Door{}, []naming.Child{{Name: hex, Owner: 1}}},
		{"permits of kazoo: 1!", naming.Door{Open: true}, []naming.Child{{Name: hex, Owner: 1}}},
		{"permits of kazoo: 1!", naming.Door{Open: true, Session: 1}, []naming.Child{{Name: hex, Owner: 1}}},
	} {
		if got := among(t, test.door, test.all...); got != test.want {
			t.Errorf("with %+v they are\n%s, not\n%s", test.door, got, test.want)
		}
	}
}

// TestDoorMoves: a family reports whose turn it may be when somebody else comes to the door.
func TestDoorMoves(t *testing.T) {
	var f naming.Family
	for i := range int32(3) {
		f.Put(at(curatorLease, i, int64(i+1)))
	}
	f.Touched()
	for _, test := range []struct {
		session int64
		touched int // who was at the door, and who is
	}{{3, 1}, {1, 2}, {0, 1}} {
		session := test.session
		f.SetDoor(naming.Door{Open: true, Session: session})
		for i := range int32(3) {
			name := at(curatorLease, i, 0).Name
			if inside, _ := f.Inside(name); inside == (session == int64(i+1)) {
				t.Errorf("with %d at the door, %s is inside: %t", session, name, inside)
			}
		}
		if n := len(f.Touched()); n != test.touched {
			t.Errorf("with %d at the door, %d may have come in or gone, not %d", session, n, test.touched)
		}
	}
}

// TestDoubtful: doubts arise only where some wait for others that they may not count.
func TestDoubtful(t *testing.T) {
	for _, test := range []struct {
		want bool
		all  []naming.Child
	}{
		{false, nil},
		{false, []naming.Child{at(kazooLock, 0, 1), at(kazooLock, 1, 2)}},
		{false, []naming.Child{at(kazooRead, 0, 1), at(kazooRead, 1, 2)}},
		{true, []naming.Child{at(kazooRead, 0, 1), at(kazooLock, 1, 2)}},
		{true, []naming.Child{at(curatorWrite, 0, 1), at(curatorRead, 1, 1)}},
		{true, []naming.Child{at(kazooLock, 0, 1), at(goLock, 1, 2)}},
		{true, []naming.Child{{Name: hex, Owner: 1}}},
		{false, []naming.Child{{Name: uuid, Owner: 1}}},
	} {
		var f naming.Family
		for _, c := range test.all {
			f.Put(c)
		}
		if f.Doubtful() != test.want {
			t.Errorf("%v: %t, want %t", test.all, !test.want, test.want)
		}
	}
	var f naming.Family
	f.Put(at(kazooLock, 0, 1))
	f.Put(at(goLock, 1, 2))
	if f.Drop(at(goLock, 1, 2).Name); f.Doubtful() {
		t.Error("it is doubtful once the other library's client has gone")
	}
	f.Put(at(kazooRead, 2, 3))
	if f.Drop(at(kazooLock, 0, 1).Name); f.Doubtful() {
		t.Error("it is doubtful once the only writer has gone")
	}
	f.Put(at(kazooLock, 3, 1))
	if f.Drop(at(kazooRead, 2, 3).Name); f.Doubtful() {
		t.Error("it is doubtful once the only reader has gone")
	}
}

// TestHesitates: with sixteen or more, it changes its mind once another way explains a sixteenth more.
func TestHesitates(t *testing.T) {
	for _, test := range []struct {
		locks int32 // at first; then others come
		stem  string
		owner int64
		use   naming.Use // their use
		after int32      // after so many others
	}{
		{15, "n_", 1, naming.Election, 16},
		{16, "n_", 1, naming.Election, 18},
		{31, "n_", 1, naming.Election, 33},
		{32, "n_", 1, naming.Election, 35},
		{15, "zz", 1, naming.Unknown, 16},
		{16, "zz", 1, naming.Unknown, 18},
		{16, "item-", 0, naming.Queue, 18},
	} {
		var f naming.Family
		for i := range test.locks {
			f.Put(at("lock-", i, 1))
		}
		for i := range test.after {
			if use, _ := f.Taken(); use != naming.Lock {
				t.Errorf("%d locks and %d of %s are taken for %q", test.locks, i, test.stem, use)
				break
			}
			f.Put(at(test.stem, 100+i, test.owner))
		}
		if use, _ := f.Taken(); use != test.use {
			t.Errorf("%d locks and %d of %s are taken for %q, not %q", test.locks, test.after, test.stem, use, test.use)
		}
	}
}

// TestStrays counts places without a session that can't hold anything.
func TestStrays(t *testing.T) {
	var f naming.Family
	for i, c := range []naming.Child{at(curatorLock, 0, 1), at(curatorLock, 1, 0), at(curatorLock, 2, 0)} {
		if f.Put(c); f.Strays() != i {
			t.Errorf("%d of %d are nobody's", f.Strays(), i+1)
		}
	}
	if f.Drop(at(curatorLock, 1, 0).Name); f.Strays() != 1 {
		t.Errorf("%d are nobody's once one of two has gone", f.Strays())
	}
	var lasting naming.Family
	if lasting.Put(at(kazooLock, 0, 0)); lasting.Strays() != 0 {
		t.Error("a lasting lock of kazoo's holds nothing")
	}
}

// TestOthers counts children without a place, however they come and go.
func TestOthers(t *testing.T) {
	var f naming.Family
	expect := func(places, others int) {
		t.Helper()
		if f.Len() != places || f.Others() != others {
			t.Errorf("%d places and %d others, not %d and %d", f.Len(), f.Others(), places, others)
		}
	}
	f.Drop("nobody") // never added
	expect(0, 0)
	f.Put(at("lock-", 0, 1))
	f.PutOthers(1)
	expect(1, 1)
	f.Drop("data")
	expect(1, 0)
	f.Put(naming.Child{Name: "fence", Owner: 1}) // ephemeral, so it is kept by name
	expect(1, 1)
	f.Drop("data")
	expect(1, 1)
	f.Drop("fence")
	expect(1, 0)
}

// TestRecall: writers of kazoo's read-write lock are named like those of its plain lock, so earlier children decide.
func TestRecall(t *testing.T) {
	read, write, other := at(kazooRead, 0, 1), at(kazooLock, 1, 2), at(curatorLock, 2, 3)
	for _, test := range []struct {
		known, first, want bool
		c                  naming.Child
	}{
		{false, true, true, read}, {false, false, true, read}, {true, false, true, read},
		{true, true, true, write}, {true, false, true, write}, {false, true, false, write}, {false, false, false, write},
		{true, true, false, other}, {true, false, true, other}, {false, true, false, other},
		{true, true, true, naming.Child{Name: "data"}},
	} {
		if got := naming.Recall(test.known, test.c, test.first); got != test.want {
			t.Errorf("known %t, then %s, the first %t: %t", test.known, test.c.Name, test.first, got)
		}
	}
	var before, f naming.Family
	before.Put(read)
	f.Recall(&before)
	f.Put(write)
	if use, _ := f.Taken(); use != naming.ReadWrite {
		t.Errorf("a writer of a read-write lock is taken for %s", use)
	}
}

// TestFolders checks which folders belong to one semaphore.
func TestFolders(t *testing.T) {
	if got := naming.Seats("/s"); got != "/s/leases" {
		t.Errorf("the permits of /s are in %s", got)
	}
	for folder, want := range map[string][2]string{
		"/s":        {"/s-__lock__", ""},
		"/s/leases": {"/s/leases-__lock__", "/s/locks"},
	} {
		if got := naming.Doors(folder); got != want {
			t.Errorf("the doors of %s are %q, not %q", folder, got, want)
		}
	}
	for folder, want := range map[string]string{
		"/s/leases": "/s", "/a/s/locks": "/a/s", "/s-__lock__": "/s", "/a/s-__lock__": "/a/s",
		"/leases": "", "/locks": "", "leases": "", "/s": "", "/-__lock__": "", "/a/-__lock__": "", "/": "",
	} {
		at, ok := naming.Home(folder)
		if ok != (want != "") || ok && at != want {
			t.Errorf("%s belongs to %q, %t, not to %q", folder, at, ok, want)
		}
	}
	for data, want := range map[string]bool{"3": true, "1": true, "0": false, "-1": false, "": false, "three": false} {
		if naming.Permits(data) != want {
			t.Errorf("%q is a number of permits: %t", data, !want)
		}
	}
	for c, want := range map[naming.Child]bool{at(curatorLease, 0, 1): true, at(curatorLock, 0, 1): false,
		{Name: hex}: false} {
		if naming.Permit(c) != want {
			t.Errorf("%s is a permit: %t", c.Name, !want)
		}
	}
}

// TestTells: a name tells something if a recipe uses it, if it ends in a number, or if it has to be beside others.
// A persistent znode without a number tells nothing.
func TestTells(t *testing.T) {
	for c, want := range map[naming.Child]bool{
		at(curatorLock, 0, 1):               true,
		at("zz", 0, 0):                      true,
		{Name: "0000000001"}:                true,
		{Name: "000000001"}:                 false,
		{Name: "ready"}:                     true,
		{Name: "ready", Owner: 1}:           false,
		{Name: hex, Owner: 1}:               true,
		{Name: hex}:                         false,
		{Name: "data"}:                      false,
		{Name: "zz0000000001", Plain: true}: false,
	} {
		if naming.Tells(c) != want {
			t.Errorf("%+v tells: %t", c, !want)
		}
	}
}

// TestPlain: ZooKeeper numbers what was created in a sequential mode. Where a mode contradicts the owner, the log
// didn't say how the znode was created.
func TestPlain(t *testing.T) {
	for _, test := range []struct {
		mode  zoo.CreateMode
		owner int64
		want  bool
	}{
		{zoo.Persistent, 0, true}, {zoo.Persistent, 1, false}, {zoo.Ephemeral, 1, true}, {zoo.Ephemeral, 0, false},
		{zoo.PersistentSequential, 0, false}, {zoo.EphemeralSequential, 1, false},
	} {
		if naming.Plain(test.mode, test.owner) != test.want {
			t.Errorf("%v of session %d: %t", test.mode, test.owner, !test.want)
		}
	}
}

// TestUses checks which uses exclude others.
func TestUses(t *testing.T) {
	got := ""
	for _, u := range []naming.Use{naming.Unknown, naming.Lock, naming.ReadWrite, naming.Election, naming.Semaphore,
		naming.Queue, naming.Members, naming.Barrier} {
		got += fmt.Sprintf("%q", u)
		if u.Line() {
			got += " line"
		}
		if u.Excludes() {
			got += " excludes"
		}
		if u.Shared() {
			got += " shared"
		}
		if u.AtOnce() {
			got += " at-once"
		}
		got += "\n"
	}
	want := strings.TrimLeft(`
""
"lock" line excludes
"read-write" line excludes shared
"election" line excludes
"permits" excludes shared at-once
"queue"
"members" shared at-once
"rendezvous" shared at-once
`, "\n")
	if got != want {
		t.Errorf("the uses are\n%s, not\n%s", got, want)
	}
}
