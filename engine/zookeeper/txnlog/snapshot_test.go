package txnlog_test

import (
	"bytes"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
)

// TestACLs checks that anybody may do anything to a znode without an ACL, and nobody to one whose ACL is missing
// from the snapshot.
func TestACLs(t *testing.T) {
	perms := map[string][]zoo.ACL{}
	b := txnlogtest.Latest().Snapshot(txnlogtest.Tree{Nodes: []txnlog.Node{
		{Path: "/"}, {Path: "/open", ACL: zoo.OpenACL()}, {Path: "/unknown", ACL: []zoo.ACL{}},
	}}, 1)
	if err := txnlog.ReadSnapshot(bytes.NewReader(b), txnlog.Tree{
		Session: func(int64, int32) error { return nil },
		Node:    func(n *txnlog.Node) error { perms[n.Path] = n.ACL; return nil },
	}); err != nil {
		t.Fatal(err)
	}
	if unknown := perms["/unknown"]; len(perms["/"]) != 0 || perms["/open"][0].Perms != zoo.PermAll ||
		len(unknown) != 1 || unknown[0].Perms != 0 {
		t.Errorf("the ACLs are %+v", perms)
	}
}
