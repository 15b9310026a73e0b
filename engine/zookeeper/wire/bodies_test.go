package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// body returns the frame of a request with the given bytes as its body.
func body(op wire.Op, rest string) []byte {
	return append((&wire.Request{Xid: 7, Op: op}).Append(nil)[:8], rest...)
}

const (
	null = "\xff\xff\xff\xff"
	zero = "\x00\x00\x00\x00"
	one  = "\x00\x00\x00\x01"
	many = zero + zero + zero + zero + zero + zero // more than any body needs
)

// TestNullPaths checks for each operation whether its path may be null, which is then read as empty.
func TestNullPaths(t *testing.T) {
	const never = "create create2 createContainer createTTL delete check exists getData getChildren getChildren2 getACL " +
		"getAllChildrenNumber checkWatches"
	const fine = "setData setACL sync getEphemerals removeWatches addWatch"
	seen := 0
	for op := wire.Op(-20); op < 200; op++ {
		var want error
		switch name := op.String(); {
		case slices.Contains(strings.Fields(never), name):
			want = wire.ErrMarshalling
		case !slices.Contains(strings.Fields(fine), name):
			continue
		}
		seen++
		r := wire.Request{Path: "/before"}
		if err := wire.DecodeRequest(body(op, null+many), &r); !errors.Is(err, want) || r.Path != "" || r.Op != op ||
			r.Xid != 7 {
			t.Errorf("%v of null: %q, %v, want %v", op, r.Path, err, want)
		}
		r = wire.Request{Path: "/before"}
		if err := wire.DecodeRequest(body(op, zero+many), &r); err != nil || r.Path != "" {
			t.Errorf("%v of nothing: %q, %v", op, r.Path, err)
		}
	}
	if want := len(strings.Fields(never + " " + fine)); seen != want {
		t.Errorf("%d of %d operations were tried", seen, want)
	}
}

// TestLists checks lists that are empty, null, or exactly as long as the frame.
func TestLists(t *testing.T) {
	acl := func(list string) ([]zoo.ACL, error) {
		var r wire.Request
		err := wire.DecodeRequest(body(wire.OpSetACL, zero+list), &r)
		return r.ACL, err
	}
	const entry, version = one + zero + zero, zero
	for _, c := range []struct {
		name, list string
		want       []zoo.ACL
		err        error
	}{
		{"null", null + version, nil, nil},
		{"none", zero + version, []zoo.ACL{}, nil},
		{"fewer than none", "\xff\xff\xff\xfe" + version, []zoo.ACL{}, nil},
		{"one", one + entry + version, []zoo.ACL{{Perms: 1}}, nil},
		{"two where one is", "\x00\x00\x00\x02" + entry + version, nil, wire.ErrMarshalling},
		{"a scheme of null", one + one + null + zero + version, []zoo.ACL{{Perms: 1}}, nil},
		{"an ID of null", one + one + zero + null + version, []zoo.ACL{{Perms: 1}}, nil},
		{"world with null", one + one + "\x00\x00\x00\x05world" + null + version,
			[]zoo.ACL{{Perms: 1, Scheme: "world", ID: zoo.NullID}}, nil},
		{"digest with null", one + one + "\x00\x00\x00\x06digest" + null + version,
			[]zoo.ACL{{Perms: 1, Scheme: "digest", ID: zoo.NullID}}, nil},
		{"ip with null", one + one + "\x00\x00\x00\x02ip" + null + version,
			[]zoo.ACL{{Perms: 1, Scheme: "ip", ID: zoo.NullID}}, nil},
		{"auth with null", one + one + "\x00\x00\x00\x04auth" + null + version, []zoo.ACL{{Perms: 1, Scheme: "auth"}}, nil},
		{"ip with nothing", one + one + "\x00\x00\x00\x02ip" + zero + version, []zoo.ACL{{Perms: 1, Scheme: "ip"}}, nil},
	} {
		if got, err := acl(c.list); !errors.Is(err, c.err) || err == nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %#v, %v", c.name, got, err)
		}
	}
	for n := range 4 {
		names := strings.Repeat(zero, n)
		for more, want := range map[int]error{0: nil, 1: wire.ErrFrame} {
			var r wire.Response
			frame := append(make([]byte, 16), fmt.Sprintf("\x00\x00\x00%c%s", n+more, names)...)
			if err := wire.DecodeResponse(frame, wire.OpGetChildren, &r); !errors.Is(err, want) {
				t.Errorf("%d names, of which %d are there: %v", n+more, n, err)
			}
			frame = append(make([]byte, 16), fmt.Sprintf("\x00\x00\x00%c%s", n+more, names+names)...)
			if err := wire.DecodeResponse(frame, wire.OpWhoAmI, &r); !errors.Is(err, want) || err == nil && len(r.Clients) != n {
				t.Errorf("%d identities, of which %d are there: %d, %v", n+more, n, len(r.Clients), err)
			}
		}
	}
	for list, want := range map[string]error{null: wire.ErrFrame, "\xff\xff\xff\xfe": nil, one + null: wire.ErrFrame} {
		var r wire.Response
		if err := wire.DecodeResponse(append(make([]byte, 16), list...), wire.OpGetChildren, &r); !errors.Is(err, want) ||
			len(r.Children) > 1 {
			t.Errorf("% x names: %q, %v", list, r.Children, err)
		}
	}
}

// TestKnownWords checks the words of ACLs, and near misses.
func TestKnownWords(t *testing.T) {
	for _, word := range []string{"", "world", "anyone", "auth", "digest", "ip", "ips", "worl", "sasl", "x509",
		"user:hash="} {
		want := wire.Request{Op: wire.OpSetACL, Path: "/", ACL: []zoo.ACL{{Perms: 3, Scheme: word, ID: word}}}
		var got wire.Request
		if err := wire.DecodeRequest(want.Append(nil), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", word, got.ACL, err)
		}
	}
}

// TestData checks data that is null, empty, or of a negative length below null's.
func TestData(t *testing.T) {
	for _, c := range []struct {
		data string
		want []byte
		err  error
	}{
		{null, nil, nil}, {zero, []byte{}, nil}, {one + "x", []byte("x"), nil},
		{"\xff\xff\xff\xfe", nil, wire.ErrMarshalling},
		{"\x7f\xff\xff\xff", nil, wire.ErrMarshalling}, {"\x80\x00\x00\x00", nil, wire.ErrMarshalling},
	} {
		var r wire.Request
		err := wire.DecodeRequest(body(wire.OpSetData, zero+c.data+zero), &r)
		if !errors.Is(err, c.err) || err == nil && !reflect.DeepEqual(r.Data, c.want) {
			t.Errorf("% x: %#v, %v", c.data, r.Data, err)
		}
	}
	for data, want := range map[string]error{null: wire.ErrFrame, zero: nil} {
		if err := wire.DecodeRequest(body(wire.OpSASL, data), &wire.Request{}); !errors.Is(err, want) {
			t.Errorf("a token of % x: %v", data, err)
		}
	}
	if err := wire.DecodeRequest(body(wire.OpCreateSession, many), &wire.Request{}); !errors.Is(err, wire.ErrMarshalling) {
		t.Errorf("a server's own operation: %v", err)
	}
}

// TestPartsOfMultis tries all pairs of operations in a multi and in a multiRead. A multi has writes. A multiRead has
// reads, or only writes, which the server refuses.
func TestPartsOfMultis(t *testing.T) {
	writes := strings.Fields("create create2 createContainer createTTL delete setData check")
	reads := strings.Fields("getData getChildren")
	all := func(ops []wire.Request, kind []string) bool {
		return !slices.ContainsFunc(ops, func(r wire.Request) bool { return !slices.Contains(kind, r.Op.String()) })
	}
	for a := wire.Op(-12); a < 110; a++ {
		for b := wire.Op(-12); b < 110; b++ {
			for _, op := range []wire.Op{wire.OpMulti, wire.OpMultiRead} {
				want := wire.Request{Op: op, Ops: []wire.Request{{Op: a, Path: "/a"}, {Op: b, Path: "/b"}}}
				fine := all(want.Ops, writes) || op == wire.OpMultiRead && all(want.Ops, reads)
				var got wire.Request
				err := wire.DecodeRequest(want.Append(nil), &got)
				if fine != (err == nil) || fine && !bytes.Equal(got.Append(nil), want.Append(nil)) {
					t.Fatalf("%v of %v and %v: %+v, %v", op, a, b, got, err)
				}
			}
		}
	}
}

// TestUsedListsAreLetGo checks that a long list's memory is reused unless it is much too long.
func TestUsedListsAreLetGo(t *testing.T) {
	var r wire.Request
	read := func(n int) int {
		sent := wire.Request{Op: wire.OpSetWatches, DataWatches: make([]string, n)}
		if err := wire.DecodeRequest(sent.Append(nil), &r); err != nil || len(r.DataWatches) != n {
			t.Fatalf("%d watches, %v, not %d", len(r.DataWatches), err, n)
		}
		return cap(r.DataWatches)
	}
	short := read(1000)
	if c := read(1); short > 1024 || c != short {
		t.Errorf("a list of %d is let go for one of %d", short, c)
	}
	long := read(2048)
	if c := read(long / 4); c != long {
		t.Errorf("a list of %d is let go for one of %d, a fourth", long, c)
	}
	if c := read(long/4 - 1); c >= long {
		t.Errorf("a list of %d is kept for less than a fourth", c)
	}
}

// TestPathsAreUsedAgain checks that equal paths share memory, but paths that merely look equal don't.
func TestPathsAreUsedAgain(t *testing.T) {
	var r wire.Request
	read := func(path string) string {
		if err := wire.DecodeRequest((&wire.Request{Op: wire.OpGetData, Path: path}).Append(nil), &r); err != nil {
			t.Fatal(err)
		}
		return r.Path
	}
	first := read("/locks/a")
	if again := read("/locks/a"); unsafe.StringData(again) != unsafe.StringData(first) {
		t.Error("the same path is in memory twice")
	}
	if other := read("/locks/b"); other != "/locks/b" {
		t.Errorf("another path is read as %q", other)
	}
	pair := read("/\U0001f600")
	if halves := read(pair); halves != "/\uFFFD\uFFFD" {
		t.Errorf("halves of a pair are read as %q", halves)
	}
}

// TestNothingAliasesTheFrame overwrites frames after decoding them.
func TestNothingAliasesTheFrame(t *testing.T) {
	for _, want := range requests() {
		frame := want.Append(nil)
		var got wire.Request
		if err := wire.DecodeRequest(frame, &got); err != nil {
			t.Fatal(err)
		}
		before := got.Append(nil)
		clear(frame)
		if !bytes.Equal(got.Append(nil), before) {
			t.Errorf("%v changes with its frame", want.Op)
		}
	}
	for _, want := range responses() {
		frame := want.Append(nil)
		got := wire.Response{Data: []byte("was"), Path: "/was", Children: []string{"was"}}
		if err := wire.DecodeResponse(frame, want.Op, &got); err != nil {
			t.Fatal(err)
		}
		before := got.Append(nil)
		clear(frame)
		if !bytes.Equal(got.Append(nil), before) {
			t.Errorf("the answer to %v changes with its frame", want.Op)
		}
	}
}

// anyRequest fills all fields, including those that the operation doesn't have.
func anyRequest(r *rand.Rand, op wire.Op) wire.Request {
	texts := []string{"", "/a", "/é\n", "world", "auth", strings.Repeat("/long", 50)}
	text := func() string { return texts[r.IntN(len(texts))] }
	list := func() []string {
		all := make([]string, r.IntN(4))
		for i := range all {
			all[i] = text()
		}
		return all
	}
	acl := [][]zoo.ACL{nil, {}, {{Perms: int32(r.Uint32()), Scheme: text(), ID: text()}},
		{{Scheme: "ip", ID: zoo.NullID}, {ID: text()}}}
	data := func() []byte { return [][]byte{nil, {}, []byte(text())}[r.IntN(3)] }
	return wire.Request{
		Xid: int32(r.Uint32()), Op: op, Path: text(), Data: data(), ACL: acl[r.IntN(len(acl))], Flags: int32(r.Uint32()),
		TTL:     int64(r.Uint64()),
		Version: int32(r.Uint32()), Watch: r.IntN(2) == 0, Mode: int32(r.Uint32()), Type: int32(r.Uint32()),
		AuthType: int32(r.Uint32()),
		Scheme:   text(), Auth: []byte(text()), RelativeZxid: int64(r.Uint64()),
		DataWatches: list(), ExistWatches: list(), ChildWatches: list(), PersistentWatches: list(), RecursiveWatches: list(),
	}
}

// TestAnyRequestComesBack encodes random requests of all operations and decodes them, also into a used one.
func TestAnyRequestComesBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var used wire.Request
	for range 300 {
		for _, sample := range requests() {
			sent := anyRequest(r, sample.Op)
			for _, part := range sample.Ops {
				sent.Ops = append(sent.Ops, anyRequest(r, part.Op))
			}
			frame := sent.Append(nil)
			if err := wire.DecodeRequest(frame, &used); err != nil || !bytes.Equal(used.Append(nil), frame) {
				t.Fatalf("%+v\nis read as\n%+v, %v", sent, used, err)
			}
		}
	}
}

// TestPiecesAreFull checks that pieces of data have the maximum length, including what dst had before.
func TestPiecesAreFull(t *testing.T) {
	r := &wire.Response{Op: wire.OpGetData, Data: bytes.Repeat([]byte("x"), 1000),
		Stat: zoo.Stat{Czxid: 1, DataLength: 1000}}
	const before, most = "before", 100
	p, got := wire.NewPieces(r), []byte(nil)
	for i := 0; ; i++ {
		b, more := p.Append([]byte(before), most)
		got = append(got, strings.TrimPrefix(string(b), before)...)
		if !more {
			break
		}
		if i < 10 && len(b) != most {
			t.Errorf("piece %d has %d bytes, not %d", i, len(b), most)
		}
	}
	if want := wire.AppendFrame(nil, r); !bytes.Equal(got, want) {
		t.Errorf("the pieces are\n%x, not\n%x", got, want)
	}
	if b, more := p.Append(nil, most); len(b) != 0 || more {
		t.Errorf("after the last there is %x, %t", b, more)
	}
}

// TestShortHandshakes truncates handshakes and notifications at every position.
func TestShortHandshakes(t *testing.T) {
	hello := (&wire.ConnectRequest{TimeoutMS: 1, Password: []byte("sixteen bytes ok"), HasReadOnly: true,
		ReadOnly: true}).Append(nil)
	welcome := (&wire.ConnectResponse{TimeoutMS: 1, Password: []byte("sixteen bytes ok"), HasReadOnly: true,
		ReadOnly: true}).Append(nil)
	note := (&wire.Notification{Type: 1, State: 3, Path: "/a"}).Append(nil)
	for n := range hello {
		var r wire.ConnectRequest
		err := wire.DecodeConnectRequest(hello[:n], &r)
		if old := n == len(hello)-1; old != (err == nil) || r.HasReadOnly || r.ReadOnly {
			t.Errorf("a request of %d of %d bytes: %+v, %v", n, len(hello), r, err)
		}
	}
	for n := range welcome {
		var r wire.ConnectResponse
		err := wire.DecodeConnectResponse(welcome[:n], &r)
		if old := n == len(welcome)-1; old != (err == nil) || r.HasReadOnly || r.ReadOnly {
			t.Errorf("a response of %d of %d bytes: %+v, %v", n, len(welcome), r, err)
		}
	}
	for n := range note {
		if err := wire.DecodeNotification(note[:n], &wire.Notification{}); !errors.Is(err, wire.ErrFrame) {
			t.Errorf("a notification of %d of %d bytes: %v", n, len(note), err)
		}
		if wire.IsNotification(note[:n]) != (n >= 4) {
			t.Errorf("%d bytes are a notification: %t", n, n < 4)
		}
	}
	if answer := (&wire.Response{Xid: 1, Op: wire.OpPing}).Append(nil); wire.IsNotification(answer) {
		t.Error("an answer is taken for a notification")
	}
}

func TestOperationNames(t *testing.T) {
	names := map[wire.Op]string{
		0: "notification", 1: "create", 2: "delete", 3: "exists", 4: "getData", 5: "setData", 6: "getACL", 7: "setACL",
		8: "getChildren",
		9: "sync", 11: "ping", 12: "getChildren2", 13: "check", 14: "multi", 15: "create2", 16: "reconfig",
		17: "checkWatches",
		18: "removeWatches", 19: "createContainer", 20: "deleteContainer", 21: "createTTL", 22: "multiRead", 100: "auth",
		101: "setWatches",
		102: "sasl", 103: "getEphemerals", 104: "getAllChildrenNumber", 105: "setWatches2", 106: "addWatch", 107: "whoAmI",
		-10: "createSession", -11: "closeSession", -1: "error",
	}
	for op := wire.Op(-20); op < 200; op++ {
		want := names[op]
		if want == "" {
			want = fmt.Sprint(int32(op))
		}
		if got := op.String(); got != want {
			t.Errorf("operation %d is %s, not %s", int32(op), got, want)
		}
	}
}
