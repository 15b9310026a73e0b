package wire_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestPieces joins the pieces of all kinds of replies. They must equal the reply's frame, and be no longer than
// requested.
func TestPieces(t *testing.T) {
	names := []string{"a", strings.Repeat("b", 30), "", "c"}
	partial := bytes.Repeat([]byte("z"), 300)
	stat := zoo.Stat{Czxid: 1, Mzxid: 2, Ctime: 3, Mtime: 4, Version: 5, DataLength: 6, Pzxid: 7}
	replies := []wire.Response{
		{Op: wire.OpGetData, Data: bytes.Repeat([]byte("x"), 1000), Stat: stat},
		{Op: wire.OpGetData, Data: []byte{}, Stat: stat},
		{Op: wire.OpGetData, Stat: stat},
		{Op: wire.OpGetData, Code: zoo.ErrNoNode},
		{Op: wire.OpGetChildren, Children: names},
		{Op: wire.OpGetChildren, Children: []string{}},
		{Op: wire.OpGetEphemerals, Children: names},
		{Op: wire.OpGetChildren2, Children: names, Stat: stat},
		{Op: wire.OpGetACL, ACL: zoo.OpenACL(), Stat: stat},
		{Op: wire.OpSync, Path: "/" + strings.Repeat("p", 200)},
		{Op: wire.OpWhoAmI, Clients: []wire.ClientInfo{{Scheme: "ip", User: "127.0.0.1"}}},
		{Op: wire.OpMulti, Results: []wire.Result{{Op: wire.OpCreate, Path: "/a"}, {Op: wire.OpDelete}}},
		{Op: wire.OpMultiRead, Results: []wire.Result{}},
		{Op: wire.OpMultiRead, Code: zoo.ErrMarshalling, Results: []wire.Result{}},
		{Op: wire.OpMultiRead, Code: zoo.ErrMarshalling},
		{Op: wire.OpMultiRead, Code: zoo.ErrMarshalling, Results: []wire.Result{{Op: wire.OpGetData, Data: partial,
			Stat: stat}}},
		{Op: wire.OpMultiRead, Results: []wire.Result{
			{Op: wire.OpGetData, Data: bytes.Repeat([]byte("y"), 500), Stat: stat},
			{Op: wire.OpError, Code: zoo.ErrNoAuth},
			{Op: wire.OpGetChildren, Children: names},
			{Op: wire.OpGetChildren},
			{Op: wire.OpGetData, Stat: stat},
		}},
	}
	for i := range replies {
		r := &replies[i]
		r.Xid, r.Zxid = 9, 10
		want := wire.AppendFrame(nil, r)
		for _, most := range []int{1, 7, 64, 1 << 20} {
			p, got := wire.NewPieces(r), []byte(nil)
			for more := true; more; {
				var b []byte
				b, more = p.Append(nil, most)
				if longest := most + 4 + 30 + 100; len(b) > longest {
					t.Fatalf("a piece has %d bytes", len(b))
				}
				got = append(got, b...)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%v in pieces of %d: %q\nwant %q", r.Op, most, got, want)
			}
		}
	}
}
