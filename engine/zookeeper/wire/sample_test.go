package wire_test

import (
	"math"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

var (
	acls = []zoo.ACL{{Perms: zoo.PermAll, Scheme: "world", ID: "anyone"},
		{Perms: zoo.PermRead, Scheme: "digest", ID: "a:b="}}
	stat = zoo.Stat{Czxid: 1, Mzxid: 2, Ctime: 3, Mtime: 4, Version: 5, Cversion: -6, Aversion: 7,
		EphemeralOwner: math.MinInt64, DataLength: 9, NumChildren: 10, Pzxid: 11}
)

// requests returns a request for every operation that a client may send.
func requests() []wire.Request {
	return []wire.Request{
		{Xid: 1, Op: wire.OpCreate, Path: "/a", Data: []byte("x"), ACL: acls, Flags: 3},
		{Xid: 2, Op: wire.OpCreate2, Path: "/é", Data: []byte{}, ACL: []zoo.ACL{}},
		{Xid: 3, Op: wire.OpCreateContainer, Path: "/a", ACL: acls, Flags: 4},
		{Xid: 4, Op: wire.OpCreateTTL, Path: "/a", Flags: 5, TTL: math.MaxInt64},
		{Xid: -5, Op: wire.OpDelete, Path: "/a", Version: -1},
		{Op: wire.OpExists, Path: "/a", Watch: true},
		{Op: wire.OpGetData, Path: ""},
		{Op: wire.OpSetData, Path: "/a", Data: []byte("y"), Version: math.MinInt32},
		{Op: wire.OpGetACL, Path: "/a"},
		{Op: wire.OpSetACL, Path: "/a", ACL: acls, Version: 2},
		{Op: wire.OpGetChildren, Path: "/a", Watch: true},
		{Op: wire.OpGetChildren2, Path: "/a"},
		{Op: wire.OpSync, Path: "no path"},
		{Xid: wire.XidPing, Op: wire.OpPing},
		{Op: wire.OpCheck, Path: "/a", Version: 4},
		{Op: wire.OpCheckWatches, Path: "/a", Type: wire.WatcherData},
		{Op: wire.OpRemoveWatches, Path: "/a", Type: wire.WatcherAny},
		{Op: wire.OpAddWatch, Path: "/a", Mode: wire.WatchPersistentRecursive},
		{Op: wire.OpSetWatches, RelativeZxid: 7, DataWatches: []string{"/a", "/b"}, ChildWatches: []string{"/c"}},
		{Op: wire.OpSetWatches2, RelativeZxid: 7, ExistWatches: []string{"/a"}, PersistentWatches: []string{"/p"},
			RecursiveWatches: []string{"/r"}},
		{Xid: wire.XidAuth, Op: wire.OpAuth, Scheme: "digest", Auth: []byte("a:b")},
		{Op: wire.OpSASL, Auth: []byte{}},
		{Op: wire.OpGetEphemerals, Path: "/"},
		{Op: wire.OpAllChildrenNumber, Path: "/"},
		{Op: wire.OpWhoAmI},
		{Op: wire.OpReconfig},
		{Op: wire.OpDeleteContainer},
		{Op: wire.OpCloseSession},
		{Op: wire.OpMulti},
		{Op: wire.OpMulti, Ops: []wire.Request{
			{Op: wire.OpCreate, Path: "/a", Data: []byte("x"), ACL: acls},
			{Op: wire.OpCreateTTL, Path: "/t", ACL: acls, Flags: 5, TTL: 1},
			{Op: wire.OpSetData, Path: "/a", Version: -1},
			{Op: wire.OpCheck, Path: "/a", Version: 1},
			{Op: wire.OpDelete, Path: "/a", Version: -1},
		}},
		{Op: wire.OpMultiRead, Ops: []wire.Request{
			{Op: wire.OpGetData, Path: "/a"},
			{Op: wire.OpGetChildren, Path: "/a", Watch: true},
		}},
	}
}

// responses returns a response with every kind of body.
func responses() []wire.Response {
	return []wire.Response{
		{Xid: 1, Zxid: 2, Op: wire.OpCreate, Path: "/a"},
		{Xid: 1, Zxid: -1, Op: wire.OpCreate, Code: zoo.ErrNodeExists},
		{Op: wire.OpCreate2, Path: "/a", Stat: stat},
		{Op: wire.OpCreateContainer, Path: "/a", Stat: stat},
		{Op: wire.OpCreateTTL, Path: "/a", Stat: stat},
		{Op: wire.OpDelete},
		{Op: wire.OpExists, Stat: stat},
		{Op: wire.OpGetData, Data: []byte("x"), Stat: stat},
		{Op: wire.OpGetData, Data: []byte{}, Stat: stat},
		{Op: wire.OpGetData, Stat: stat},
		{Op: wire.OpSetData, Stat: stat},
		{Op: wire.OpSetACL, Stat: stat},
		{Op: wire.OpGetACL, ACL: acls, Stat: stat},
		{Op: wire.OpGetChildren, Children: []string{"a", "b"}},
		{Op: wire.OpGetChildren2, Children: []string{"a", "b"}, Stat: stat},
		{Op: wire.OpGetEphemerals, Children: []string{"/a"}},
		{Op: wire.OpAllChildrenNumber, Number: 5},
		{Op: wire.OpSync, Path: "/a"},
		{Xid: wire.XidPing, Op: wire.OpPing, Zxid: 4},
		{Op: wire.OpAddWatch},
		{Op: wire.OpRemoveWatches},
		{Op: wire.OpSASL},
		{Op: wire.OpWhoAmI, Clients: []wire.ClientInfo{{Scheme: "ip", User: "127.0.0.1"}}},
		{Op: wire.OpMulti, Results: []wire.Result{
			{Op: wire.OpCreate, Path: "/a"}, {Op: wire.OpCreate2, Path: "/c", Stat: stat},
			{Op: wire.OpSetData, Stat: stat}, {Op: wire.OpDelete}, {Op: wire.OpCheck},
		}},
		{Op: wire.OpMulti, Results: []wire.Result{
			{Op: wire.OpError}, {Op: wire.OpError, Code: zoo.ErrBadVersion},
			{Op: wire.OpError, Code: zoo.ErrRuntimeInconsistency},
		}},
		{Op: wire.OpMultiRead, Results: []wire.Result{
			{Op: wire.OpGetData, Data: []byte("x"), Stat: stat}, {Op: wire.OpGetChildren, Children: []string{"b"}},
			{Op: wire.OpError, Code: zoo.ErrNoNode},
		}},
		{Op: wire.OpMultiRead, Code: zoo.ErrMarshalling},
	}
}
