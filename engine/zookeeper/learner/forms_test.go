package learner_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestForms checks that leaders of every release line yield the same.
func TestForms(t *testing.T) {
	const epoch = 3 << 32
	tree := txnlogtest.Tree{Sessions: []txnlogtest.Session{{ID: 7, TimeoutMS: 4000}},
		Nodes: []txnlog.Node{{Path: "/"}, {Path: "/a"}}}
	create := func(n int64, path string) wire.Txn {
		return wire.Txn{Session: 7, Cxid: 1, Zxid: epoch | n, Op: wire.OpCreate, Path: path, Ephemeral: true}
	}
	closed := wire.Txn{Session: 7, Zxid: epoch | 3, Op: wire.OpCloseSession, Paths: []string{"/a/b", "/a/c"}}
	for _, v := range txnlogtest.Versions() {
		addr := leader(t, func(_ *testing.T, s *side) {
			s.heard()
			s.says(17, epoch, []byte{0, 1, 0, 0})
			s.heard()
			s.says(15, epoch, nil)
			_, _ = s.conn.Write(append(tree.Append(nil), "\x00\x00\x00\x0aBenWasHere"...))
			s.says(2, epoch|1, v.Txn(create(1, "/a/b")))
			s.says(4, epoch|1, nil)
			var config []byte // of the ensemble, from 3.5 on
			if v.New {
				config = []byte("server.1=a:2888:3888:participant;2181\nversion=0")
			}
			s.says(10, epoch, config)
			s.heard()
			s.says(12, -1, nil)
			s.heard()
			s.says(8, epoch|2, v.Txn(create(2, "/a/c")))
			s.says(8, epoch|3, v.Txn(closed))
		})
		told, err := learn(t.Context(), addr, 0)
		const want = "begin {Epoch:3 Kept:false Zxid:12884901888}; session 7 of 4000 ms; znode /; znode /a; " +
			"0x300000001 /a/b; synced; 0x300000002 /a/c; 0x300000003 "
		if got := strings.Join(told, "; "); got != want || !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v, it learns\n%s\nnot\n%s", v.Name, err, got, want)
		}
	}
}

// TestOthers checks the error for leaders that speak another protocol version.
func TestOthers(t *testing.T) {
	for want, script := range map[string]func(*testing.T, *side){
		"its servers speak version 0x20000 of the protocol, newer than 0x10000": func(_ *testing.T, s *side) {
			s.heard()
			s.says(17, 3<<32, []byte{0, 2, 0, 0})
			s.heard()
		},
		"it is older than ZooKeeper 3.4": func(_ *testing.T, s *side) {
			s.heard()
			s.says(13, 3<<32, nil)
			s.heard()
		},
	} {
		if told, err := learn(t.Context(), leader(t, script), 0); err == nil || !strings.Contains(err.Error(), want) ||
			len(told) > 0 {
			t.Errorf("%v, %q; want %s", err, told, want)
		}
	}
}
