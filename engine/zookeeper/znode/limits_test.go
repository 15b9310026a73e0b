package znode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// TestTreeLimits reaches each limit of a tree. Existing znodes stay, and deleting some makes room.
func TestTreeLimits(t *testing.T) {
	at := func(path string) znode.Txn { return znode.Txn{Kind: znode.Create, Path: path} }
	of := func(session int64, path string) znode.Txn {
		return znode.Txn{Kind: znode.Create, Path: path, Mode: zoo.Ephemeral, Session: session}
	}
	acl := func(n int) []zoo.ACL {
		list := make([]zoo.ACL, n)
		for i := range list {
			list[i] = zoo.ACL{Perms: zoo.PermRead, Scheme: "ip", ID: fmt.Sprintf("10.0.0.%d", i)}
		}
		return list
	}
	for name, c := range map[string]struct {
		limits znode.Limits
		fits   []znode.Txn
		not    znode.Txn
		code   zoo.Code
		room   znode.Txn // if it has a path, makes room for not
	}{
		"znodes": {znode.Limits{Nodes: 6}, []znode.Txn{at("/a"), at("/b")}, at("/c"), zoo.ErrQuotaExceeded,
			znode.Txn{Kind: znode.Delete, Path: "/a", Version: -1}},
		"ephemerals of one session": {znode.Limits{Owned: 2}, []znode.Txn{of(1, "/a"), of(1, "/b"), of(2, "/c")}, of(1, "/d"),
			zoo.ErrQuotaExceeded,
			znode.Txn{Kind: znode.Delete, Path: "/a", Version: -1}},
		"bytes of data": {znode.Limits{Bytes: 200}, []znode.Txn{{Kind: znode.Create, Path: "/a", Data: make([]byte, 100)}},
			znode.Txn{Kind: znode.Create, Path: "/b", Data: make([]byte, 100)}, zoo.ErrQuotaExceeded,
			znode.Txn{Kind: znode.Set, Path: "/a", Version: -1}},
		"bytes set": {znode.Limits{Bytes: 200}, []znode.Txn{at("/a"), at("/b")},
			znode.Txn{Kind: znode.Set, Path: "/b", Data: make([]byte, 200), Version: -1}, zoo.ErrQuotaExceeded, znode.Txn{}},
		"bytes of a path": {znode.Limits{Bytes: 200}, nil, at("/" + strings.Repeat("n", 200)), zoo.ErrQuotaExceeded,
			znode.Txn{}},
		"bytes of ACLs": {znode.Limits{Bytes: 2000}, []znode.Txn{{Kind: znode.Create, Path: "/a", ACL: acl(30)}},
			znode.Txn{Kind: znode.Create, Path: "/b", ACL: acl(20)}, zoo.ErrQuotaExceeded,
			znode.Txn{Kind: znode.SetACL, Path: "/a", ACL: acl(1), Version: -1}},
		"bytes of a new ACL": {znode.Limits{Bytes: 2000}, []znode.Txn{at("/a")},
			znode.Txn{Kind: znode.SetACL, Path: "/a", ACL: acl(50), Version: -1}, zoo.ErrQuotaExceeded, znode.Txn{}},
		"entries": {znode.Limits{ACL: 3}, []znode.Txn{{Kind: znode.Create, Path: "/a", ACL: acl(3)}},
			znode.Txn{Kind: znode.Create, Path: "/b", ACL: acl(4)}, zoo.ErrInvalidACL, znode.Txn{}},
		"entries anew": {znode.Limits{ACL: 3}, []znode.Txn{at("/a")},
			znode.Txn{Kind: znode.SetACL, Path: "/a", ACL: acl(4), Version: -1}, zoo.ErrInvalidACL, znode.Txn{}},
		"depth": {znode.Limits{Depth: 2}, []znode.Txn{at("/a"), at("/a/b")}, at("/a/b/c"), zoo.ErrQuotaExceeded, znode.Txn{}},
	} {
		tree := znode.New()
		tree.Limits = c.limits
		for _, x := range c.fits {
			must(t, tree, x)
		}
		before := string(tree.AppendTo(nil)[20:])
		held, zxid := tree.Held(), tree.Zxid()
		if r := apply(t, tree, c.not); r.Code != c.code {
			t.Errorf("%s: %v, want %v", name, r.Code, c.code)
		}
		if tree.Zxid() != zxid+1 {
			t.Errorf("%s: what is refused takes a zxid", name)
		}
		if after := string(tree.AppendTo(nil)[20:]); len(after) != len(before) || tree.Held() != held {
			t.Errorf("%s: what is refused changed something", name)
		}
		if c.room.Path != "" {
			must(t, tree, c.room)
			must(t, tree, c.not)
		}
		again, err := znode.Load(tree.AppendTo(nil))
		if err != nil || again.Held() != tree.Held() {
			t.Errorf("%s: %v: a restored tree holds %d bytes, and it was %d", name, err, again.Held(), tree.Held())
		}
	}
}

// TestBeyondALimitAlready sets limits that the tree exceeds. A change that adds no bytes succeeds, one that adds a
// byte fails.
func TestBeyondALimitAlready(t *testing.T) {
	acl := []zoo.ACL{{Perms: zoo.PermAll, Scheme: "ip", ID: "10.0.0.1"}}
	for _, c := range []struct {
		x    znode.Txn
		code zoo.Code
	}{
		{znode.Txn{Kind: znode.Set, Data: []byte("same")}, zoo.OK}, {znode.Txn{Kind: znode.Set, Data: []byte("les")}, zoo.OK},
		{znode.Txn{Kind: znode.Set, Data: []byte("longer")}, zoo.ErrQuotaExceeded},
		{znode.Txn{Kind: znode.SetACL, ACL: acl}, zoo.OK},
		{znode.Txn{Kind: znode.SetACL}, zoo.OK},
		{znode.Txn{Kind: znode.SetACL, ACL: []zoo.ACL{{Perms: zoo.PermAll, Scheme: "ip", ID: "10.0.0.10"}}},
			zoo.ErrQuotaExceeded},
	} {
		tree := znode.New()
		must(t, tree, znode.Txn{Kind: znode.Create, Path: "/a", Data: []byte("1234"), ACL: acl})
		tree.Limits.Bytes = tree.Held() - 1
		if c.x.Path, c.x.Version = "/a", -1; apply(t, tree, c.x).Code != c.code {
			t.Errorf("%+v is not answered with %v", c.x, c.code)
		}
	}
}

// TestEntriesOfAuth checks that auth may become four times as many entries as a request may have, and no more.
func TestEntriesOfAuth(t *testing.T) {
	for shown, want := range map[int]zoo.Code{0: zoo.ErrInvalidACL, 1: zoo.OK, 8: zoo.OK, 9: zoo.ErrInvalidACL} {
		tree := znode.New()
		tree.Limits.ACL = 2
		var caller znode.Caller
		for i := range shown {
			caller.IDs = append(caller.IDs, zoo.ID{Scheme: "digest", ID: fmt.Sprintf("u%d:hash", i)})
		}
		x := znode.Txn{Kind: znode.Create, Path: "/a", Caller: caller, ACL: []zoo.ACL{{Perms: zoo.PermAll, Scheme: "auth"}}}
		if r, _ := tree.Apply(x, nil); r.Code != want {
			t.Errorf("with %d identities: %v, want %v", shown, r.Code, want)
		}
	}
}

// TestTTLAtItsBounds creates znodes with the shortest and the longest TTL. They expire exactly then, and survive a
// snapshot.
func TestTTLAtItsBounds(t *testing.T) {
	const longest = 1<<40 - 1
	for ttl, want := range map[int64]zoo.Code{-1: zoo.ErrBadArguments, 0: zoo.ErrBadArguments, 1: zoo.OK, longest: zoo.OK,
		longest + 1: zoo.ErrBadArguments} {
		tree := znode.New()
		x := znode.Txn{Kind: znode.CreateTTL, Path: "/a", Mode: zoo.PersistentTTL, TTL: ttl, TimeMS: 1000}
		if r := apply(t, tree, x); r.Code != want {
			t.Errorf("a TTL of %d: %v, want %v", ttl, r.Code, want)
		}
		if want != zoo.OK {
			continue
		}
		for _, tree := range []*znode.Tree{tree, load(t, tree.AppendTo(nil))} {
			if due := tree.Due(1000 + ttl); len(due) != 0 {
				t.Errorf("when its %d ms are over it goes at once", ttl)
			}
			due := tree.Due(1001 + ttl)
			if len(due) != 1 || !tree.IsDue(due[0], 1001+ttl) || tree.IsDue(due[0], 1000+ttl) {
				t.Errorf("a TTL of %d: due are %+v", ttl, due)
			}
		}
	}
	tree := znode.New()
	must(t, tree, znode.Txn{Kind: znode.CreateContainer, Path: "/c", Mode: zoo.Container})
	if len(tree.Due(1<<50)) != 0 || tree.IsDue(znode.Txn{Path: "/none"}, 1<<50) {
		t.Error("a container that never had a child is due, or what is not there")
	}
}

// TestLastByte uses all bytes that the limit leaves, and then one more.
func TestLastByte(t *testing.T) {
	acl := []zoo.ACL{{Perms: zoo.PermRead, Scheme: "ip", ID: "10.0.0.1"}}
	for _, c := range []struct {
		x     znode.Txn
		takes int64
	}{
		{znode.Txn{Kind: znode.Create, Path: "/b"}, 2},
		{znode.Txn{Kind: znode.Create, Path: "/é", Data: []byte("data")}, 7},
		{znode.Txn{Kind: znode.Create, Path: "/b", ACL: acl}, 2 + 40 + 10},
		{znode.Txn{Kind: znode.Set, Path: "/a", Data: []byte("12345"), Version: -1}, 1},
		{znode.Txn{Kind: znode.SetACL, Path: "/a", ACL: acl, Version: -1}, 40 + 10},
	} {
		for less, want := range map[int64]zoo.Code{0: zoo.OK, 1: zoo.ErrQuotaExceeded} {
			tree := znode.New()
			must(t, tree, znode.Txn{Kind: znode.Create, Path: "/a", Data: []byte("1234")})
			before := tree.Held()
			tree.Limits.Bytes = before + c.takes - less
			if r := apply(t, tree, c.x); r.Code != want || want == zoo.OK && tree.Held() != before+c.takes {
				t.Errorf("%+v with room for %d bytes: %v, it takes %d", c.x, c.takes-less, r.Code, tree.Held()-before)
			}
		}
	}
}
