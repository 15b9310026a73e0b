package wire_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// txns returns every kind of transaction that a log may hold.
func txns() []wire.Txn {
	return []wire.Txn{
		{Session: math.MinInt64, Cxid: -3, Zxid: 0x100000001, TimeMS: 1, Op: wire.OpCreateSession, TimeoutMS: 4000},
		{Session: 7, Cxid: 1, Zxid: 2, TimeMS: 3, Op: wire.OpCreate, Path: "/a", Data: []byte("x"), ACL: acls,
			Ephemeral: true, Cversion: 1},
		{Op: wire.OpCreate2, Path: "/é", Data: []byte{}, ACL: []zoo.ACL{}},
		{Op: wire.OpCreate, Path: "/n"},
		{Op: wire.OpCreateContainer, Path: "/c", ACL: acls, Cversion: 2},
		{Op: wire.OpCreateTTL, Path: "/t", ACL: acls, Cversion: 3, TTL: math.MaxInt64},
		{Op: wire.OpDelete, Path: "/a"},
		{Op: wire.OpDeleteContainer, Path: "/c"},
		{Op: wire.OpSetData, Path: "/a", Data: []byte("y"), Version: 1},
		{Op: wire.OpReconfig, Path: "/zookeeper/config", Data: []byte("server.1="), Version: -1},
		{Op: wire.OpSetACL, Path: "/a", ACL: acls, Version: 2},
		{Op: wire.OpCloseSession},
		{Op: wire.OpCloseSession, Paths: []string{}},
		{Op: wire.OpCloseSession, Paths: []string{"/a", "/b"}},
		{Op: wire.OpError, Code: zoo.ErrNoNode},
		{Op: wire.OpMulti},
		{Op: wire.OpMulti, Parts: []wire.Txn{
			{Op: wire.OpCheck, Path: "/a", Version: 1},
			{Op: wire.OpCreate, Path: "/a/1", Data: []byte("x"), ACL: acls, Cversion: 1},
			{Op: wire.OpDelete, Path: "/b"},
			{Op: wire.OpError, Code: zoo.ErrBadVersion},
		}},
	}
}

// TestTxn checks that transactions survive encoding and decoding, also with a digest, and into a used record.
func TestTxn(t *testing.T) {
	digest := []byte{0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8}
	for _, behind := range [][]byte{nil, digest} {
		var used wire.Txn
		for _, want := range txns() {
			b := append(want.Append(nil), behind...)
			var got wire.Txn
			if err := wire.DecodeTxn(b, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v is read as %+v, %v", want, got, err)
			}
			if err := wire.DecodeTxn(b, &used); err != nil || !bytes.Equal(used.Append(nil), want.Append(nil)) {
				t.Errorf("%+v is read into a used record as %+v, %v", want, used, err)
			}
		}
	}
}

// TestTxnCut checks that a truncated transaction is an error, unless an old ZooKeeper may have written it.
func TestTxnCut(t *testing.T) {
	for _, txn := range txns() {
		b := txn.Append(nil)
		for n := range len(b) {
			var got wire.Txn
			err := wire.DecodeTxn(b[:n], &got)
			old := txn.Op == wire.OpCloseSession && n >= 32 && got.Paths == nil ||
				n >= len(b)-4 && got.Cversion == -1 && got.Path == txn.Path
			if !errors.Is(err, wire.ErrTxn) && !old {
				t.Errorf("%d of %d bytes of %+v are read as %+v, %v", n, len(b), txn, got, err)
			}
		}
	}
}

// TestTxnBefore34 checks that a create from an old log has no child version of the parent.
func TestTxnBefore34(t *testing.T) {
	old := wire.Txn{Session: 1, Cxid: 2, Zxid: 3, TimeMS: 4, Op: wire.OpCreate, Path: "/a", ACL: acls, Ephemeral: true}
	b := old.Append(nil)
	var got wire.Txn
	if err := wire.DecodeTxn(b[:len(b)-4], &got); err != nil {
		t.Fatal(err)
	}
	if old.Cversion = -1; !reflect.DeepEqual(got, old) {
		t.Errorf("%+v is read as %+v", old, got)
	}
}

// FuzzTxn decodes anything. A decoded transaction must survive encoding and decoding.
func FuzzTxn(f *testing.F) {
	for _, txn := range txns() {
		f.Add(txn.Append(nil))
	}
	const perByte = 3 * int(unsafe.Sizeof(wire.Txn{})) / 8 // the worst case is a multi of unknown parts
	var used wire.Txn
	f.Fuzz(func(t *testing.T, b []byte) {
		var first, again wire.Txn
		if wire.DecodeTxn(b, &first) != nil {
			return
		}
		if size := cap(first.Parts) * int(unsafe.Sizeof(first)); size > perByte*len(b)+4096 {
			t.Fatalf("%d bytes take %d", len(b), size)
		}
		written := first.Append(nil)
		if err := wire.DecodeTxn(written, &again); err != nil || !bytes.Equal(again.Append(nil), written) {
			t.Fatalf("first\n%+v, then\n%+v, %v", first, again, err)
		}
		if err := wire.DecodeTxn(written, &used); err != nil || !bytes.Equal(used.Append(nil), written) {
			t.Fatalf("first\n%+v, then into a used record\n%+v, %v", first, used, err)
		}
	})
}
