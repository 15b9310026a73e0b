package past_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// ours and theirs are session ids.
const ours, theirs = 0x101, 0x202

// before returns the tree of a snapshot: a lock held by one session and, from 3.5 on, a container and a znode with
// a TTL. No session owns these two, though their owner field is set.
func before(v txnlogtest.Version) txnlogtest.Tree {
	secret := []zoo.ACL{{Perms: zoo.PermAll, Scheme: "digest", ID: "ann:x"}}
	t := txnlogtest.Tree{Sessions: []txnlogtest.Session{{ID: ours, TimeoutMS: 4000}}, Nodes: []txnlog.Node{
		{Path: "/"}, {Path: "/lock", ACL: zoo.OpenACL()},
		{Path: "/lock/n-0000000000", ACL: secret, Stat: zoo.Stat{Czxid: 3, Mzxid: 3, EphemeralOwner: ours}},
	}}
	if v.New {
		t.Nodes = append(t.Nodes, txnlog.Node{Path: "/c", Stat: zoo.Stat{EphemeralOwner: math.MinInt64}},
			txnlog.Node{Path: "/t", Stat: zoo.Stat{EphemeralOwner: -1<<56 | 5000}})
	}
	return t
}

// after returns transactions in which the lock changes hands.
func after(v txnlogtest.Version) []wire.Txn {
	all := []wire.Txn{
		{Session: theirs, Op: wire.OpCreateSession, TimeoutMS: 6000},
		{Session: theirs, Cxid: 1, Op: wire.OpCreate, Path: "/lock/n-0000000001", ACL: zoo.OpenACL(), Ephemeral: true,
			Cversion: 2},
		{Session: theirs, Cxid: 2, Op: wire.OpMulti, Parts: []wire.Txn{{Op: wire.OpCheck, Path: "/lock"},
			{Op: wire.OpSetData, Path: "/lock", Data: []byte("x"), Version: 1}}},
		{Session: theirs, Cxid: 3, Op: wire.OpMulti, Parts: []wire.Txn{{Op: wire.OpError},
			{Op: wire.OpError, Code: zoo.ErrNoNode}}},
		{Session: ours, Op: wire.OpCloseSession, Paths: []string{"/lock/n-0000000000"}},
		{Session: theirs, Cxid: 4, Op: wire.OpSetACL, Path: "/lock", ACL: zoo.OpenACL(), Version: 1},
		{Session: theirs, Cxid: 5, Op: wire.OpCloseSession, Paths: []string{"/lock/n-0000000001"}},
	}
	if v.New {
		all = append(all, wire.Txn{Op: wire.OpDeleteContainer, Path: "/c"},
			wire.Txn{Session: 9, Cxid: 1, Op: wire.OpCreateTTL, Path: "/t/n", TTL: 5000},
			wire.Txn{Session: 9, Cxid: 2, Op: wire.OpCreate2, Path: "/d", Data: []byte("d")},
			wire.Txn{Session: 9, Cxid: 3, Op: wire.OpReconfig, Path: "/zookeeper/config", Data: []byte("server.1="), Version: 7})
	}
	for i := range all {
		all[i].Zxid, all[i].TimeMS = int64(5+i), int64(1000*i)
	}
	return all
}

// TestForms checks that the files of every release line of ZooKeeper yield the same.
func TestForms(t *testing.T) {
	const always = `5 session.created  0x202 none 0 ok
6 txn.applied /lock/n-0000000001 0x202 none 0 ok
6 znode.created /lock/n-0000000001 0x202 none 3 ok
7 txn.applied /lock 0x202 none 0 ok
7 znode.changed /lock 0x0 none 0 ok
8 txn.applied  0x202 none 0 no node
9 session.expired  0x101 none 0 ok
9 znode.deleted /lock/n-0000000000 0x0 session-expired 0 ok
10 txn.applied /lock 0x202 none 0 ok
11 session.closed  0x202 none 0 ok
11 znode.deleted /lock/n-0000000001 0x0 session-closed 0 ok
`
	const since35 = `12 txn.applied /c 0x0 none 0 ok
12 znode.deleted /c 0x0 timer 0 ok
13 txn.applied /t/n 0x9 none 0 ok
13 znode.created /t/n 0x0 none 5 ok
14 txn.applied /d 0x9 none 0 ok
14 znode.created /d 0x0 none 0 ok
15 txn.applied /zookeeper/config 0x9 none 0 ok
15 znode.changed /zookeeper/config 0x0 none 0 ok
`
	for _, v := range txnlogtest.Versions() {
		f, err := past.Find(folder(t, map[string][]byte{
			"snapshot.4": v.Snapshot(before(v), 4), "log.5": v.Log(after(v)...)}))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		err = f.Read(t.Context(), "/", func(x past.Trouble) { t.Errorf("%s: %v", v.Name, x) },
			func(_ *replay.State, _ *wire.Txn, facts []replay.Fact) error {
				for _, x := range facts {
					fmt.Fprintf(&got, "%d %s %s %#x %s %d %s\n", x.Zxid, x.Kind, x.Path, x.Session, x.Reason, x.Mode,
						zoo.Code(x.Code))
				}
				return nil
			})
		want := always
		if v.New {
			want += since35
		}
		if err != nil || got.String() != want {
			t.Errorf("%s: %v\n%s\nnot\n%s", v.Name, err, got.String(), want)
		}
	}
}
