package znode_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// javaMap is the hash table of a connection's IDs in ZooKeeper, bin by bin, after java.util.concurrent's
// ConcurrentHashMap.
type javaMap struct {
	bins  [][]zoo.ID
	count int
}

func javaHashCode(s string) (h uint32) {
	for _, unit := range utf16.Encode([]rune(s)) {
		h = 31*h + uint32(unit)
	}
	return h
}

func spot16(id zoo.ID) uint32 {
	h := 37*(37*17+javaHashCode(id.Scheme)) + javaHashCode(id.ID)
	return h ^ h>>16
}

func (m *javaMap) put(id zoo.ID) {
	bin := &m.bins[int(spot16(id))%len(m.bins)]
	if slices.Contains(*bin, id) {
		return
	}
	*bin = append(*bin, id)
	if m.count++; m.count >= len(m.bins)*3/4 {
		m.transfer()
	}
}

// transfer doubles the table. The last entries of a bin that go to the same new bin keep their order. The ones before
// them are put in front, one by one.
func (m *javaMap) transfer() {
	n := len(m.bins)
	bins := make([][]zoo.ID, 2*n)
	for i, bin := range m.bins {
		to := func(id zoo.ID) *[]zoo.ID { return &bins[i+int(spot16(id))&n] }
		last := 0
		for j := range bin {
			if to(bin[j]) != to(bin[last]) {
				last = j
			}
		}
		if len(bin) > 0 {
			*to(bin[last]) = slices.Clone(bin[last:])
		}
		for _, id := range bin[:last] {
			*to(id) = append([]zoo.ID{id}, *to(id)...)
		}
	}
	m.bins = bins
}

// TestOrderOfIDsAsInJava adds up to a hundred IDs, and compares their order with Java's table.
func TestOrderOfIDsAsInJava(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		m, ids := javaMap{bins: make([][]zoo.ID, 16)}, []zoo.ID(nil)
		for range r.IntN(100) {
			name := fmt.Sprint([]string{"u", "é", "好", "\U0001f600"}[r.IntN(4)], r.IntN(60),
				[]string{"", "\U0001f600"}[r.IntN(2)])
			id := zoo.ID{Scheme: []string{"ip", "digest", "super"}[r.IntN(3)], ID: name}
			m.put(id)
			ids = znode.AddID(ids, zoo.ID{Scheme: id.Scheme, ID: wire.Text([]byte(id.ID))})
		}
		var want []zoo.ID
		for _, bin := range m.bins {
			for _, id := range bin {
				want = append(want, zoo.ID{Scheme: id.Scheme, ID: wire.Text([]byte(id.ID))})
			}
		}
		if !slices.Equal(ids, want) {
			t.Fatalf("seed %d:\ngot  %q\nwant %q", seed, ids, want)
		}
	}
}

// TestNets checks which networks ZooKeeper accepts in an ACL, and which addresses are in them.
func TestNets(t *testing.T) {
	const refused = "refused"
	for _, c := range []struct{ net, addr, want string }{
		{"10.0.0.1", "10.0.0.1", "in"}, {"10.0.0.1", "10.0.0.2", "out"}, {"10.0.0.1/32", "10.0.0.1", "in"},
		{"10.0.0.1/32", "10.0.0.0", "out"},
		{"10.0.0.0/8", "10.255.255.255", "in"}, {"10.0.0.0/8", "11.0.0.0", "out"}, {"10.0.0.0/9", "10.127.255.255", "in"},
		{"10.0.0.0/9", "10.128.0.0", "out"}, {"0.0.0.0/0", "255.255.255.255", "in"}, {"255.255.255.255/1", "128.0.0.0", "in"},
		{"255.255.255.255/1", "127.0.0.0", "out"}, {"10.0.0.0/31", "10.0.0.1", "in"}, {"10.0.0.0/31", "10.0.0.2", "out"},
		{"10.0.0.0/33", "", refused}, {"10.0.0.0/-1", "", refused}, {"10.0.0.0/", "", refused}, {"10.0.0.0/x", "", refused},
		{"10.0.0.256", "", refused}, {"10.0.0.255", "10.0.0.255", "in"}, {"10.0.0.-1", "", refused}, {"10.0.0", "", refused},
		{"10.0.0.0.0", "", refused}, {"10.0.0.", "", refused}, {"", "", refused}, {"::1", "", refused},
		{"010.0.0.+1", "10.0.0.1", "in"}, {"10.0.0.1", "0:0:0:0:0:0:0:1", "out"}, {"10.0.0.1/33", "", refused},
		{"x.0.0.1/8", "", refused},
		{"١٠.٠.٠.٩", "10.0.0.9", "in"}, {"10.0.0.0/٣٢", "10.0.0.0", "in"}, {"10.0.0.\U0001d7ce", "", refused},
		{"10.0.0.٠x", "", refused},
	} {
		tree := znode.New()
		acl := []zoo.ACL{{Perms: zoo.PermAll, Scheme: "ip", ID: c.net}}
		r, _ := tree.Apply(znode.Txn{Kind: znode.Create, Path: "/a", ACL: acl, Caller: trusted}, nil)
		got := refused
		if r.Code == zoo.OK {
			got = "in"
			if _, _, code := tree.Get("/a", znode.Caller{IDs: []zoo.ID{{Scheme: "ip", ID: c.addr}}}); code != zoo.OK {
				got = "out"
			}
		} else if r.Code != zoo.ErrInvalidACL {
			t.Errorf("%s: %v", c.net, r.Code)
		}
		if got != c.want {
			t.Errorf("%s is %s of %s, not %s", c.addr, got, c.net, c.want)
		}
	}
}

// TestPathsByCharacter checks for each character whether a path may contain it.
func TestPathsByCharacter(t *testing.T) {
	for r := rune(0); r <= 0x10ffff; r++ {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		bad := r < 0x20 || r > 0x7e && r < 0xa0 || r > 0xd7ff && r < 0xf900 || r > 0xffef
		if err := znode.CheckPath("/a" + string(r) + "b"); (err != nil) != bad {
			t.Fatalf("%U: %v", r, err)
		}
	}
	for path, good := range map[string]bool{
		"/": true, "/a": true, "/a/b": true, "/.a": true, "/a.": true, "/...": true, "/a b": true,
		"": false, "a": false, "a/b": false, "//": false, "/a/": false, "//a": false, "/a//b": false, "/.": false,
		"/a/..": false, "/./a": false,
		"/a\xff": false,
	} {
		err := znode.CheckPath(path)
		if (err == nil) != good {
			t.Errorf("%q: %v", path, err)
		}
		if want := "path " + path + ": bad arguments"; !good && (err == nil || err.Error() != want) {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// TestMisfits writes to paths that can't have a parent. The error must say that, not that the parent is missing.
func TestMisfits(t *testing.T) {
	for _, path := range []string{"", "no", "\x00", "\x00/a", "/\x00", "/none/\x00"} {
		for _, kind := range []znode.Kind{znode.Create, znode.Delete, znode.DeleteContainer} {
			if r := apply(t, znode.New(), znode.Txn{Kind: kind, Path: path}); r.Code != zoo.ErrBadArguments {
				t.Errorf("kind %d of %q: %v", kind, path, r.Code)
			}
		}
	}
}

// TestUsageAtItsBounds checks quota counts of the maximum length, and one byte longer.
func TestUsageAtItsBounds(t *testing.T) {
	const stats = "/zookeeper/quota/a/zookeeper_stats"
	for _, c := range []struct{ was, want string }{
		{"count=1,bytes=1" + strings.Repeat(",", 1<<10-15), "count=1,bytes=3"},
		{"count=1,bytes=1" + strings.Repeat(",", 1<<10-14), "count=1,bytes=1" + strings.Repeat(",", 1<<10-14)},
		{"count=5,bytes=9=;more=3;also=-2", "count=5,bytes=11=;also=-2;more=3"},
		{"count=5;bytes=x", "count=5;bytes=x"},
		{"", "count=-1,bytes=1"},
	} {
		tree := znode.New()
		for _, path := range []string{"/a", "/zookeeper/quota/a", "/zookeeper/quota/a/zookeeper_limits", stats} {
			must(t, tree, znode.Txn{Kind: znode.Create, Path: path})
		}
		must(t, tree, znode.Txn{Kind: znode.Set, Path: stats, Data: []byte(c.was), Version: -1})
		must(t, tree, znode.Txn{Kind: znode.Set, Path: "/a", Data: []byte("xy"), Version: -1})
		if data, _ := tree.Data(stats); string(data) != c.want {
			t.Errorf("%.30q became %.60q, not %.60q", c.was, data, c.want)
		}
	}
}

func TestModeOf(t *testing.T) {
	for flags := int32(-2); flags < 300; flags++ {
		if got := znode.ModeOf(flags); int32(got) != flags && flags >= 0 && flags <= 6 || (flags < 0 || flags > 6) &&
			got <= 6 {
			t.Errorf("flags %d are mode %d", flags, got)
		}
	}
}

// TestMaskedDigests checks what a caller that may not change an ACL sees of its digests, including what ZooKeeper
// forgets to hide.
func TestMaskedDigests(t *testing.T) {
	for id, want := range map[string]string{
		"u:hash": "u:x", "u:ha\nsh": "u:x\nsh", "u:\nhash": "u:x\nhash", "u:\u2028": "u:x\u2028", ":hash": ":x",
		"u:hash:": "u:x",
	} {
		tree := znode.New()
		acl := []zoo.ACL{{Perms: zoo.PermAll, Scheme: "digest", ID: id}, {Perms: zoo.PermRead, Scheme: "world", ID: "anyone"}}
		must(t, tree, znode.Txn{Kind: znode.Create, Path: "/a", ACL: acl})
		if got, _, code := tree.GetACL("/a", znode.Caller{}); code != zoo.OK || len(got) != 2 || got[0].ID != want {
			t.Errorf("%q is shown as %q, %v", id, got, code)
		}
		if got, _, _ := tree.GetACL("/a", trusted); got[0].ID != id {
			t.Errorf("the host sees %q", got)
		}
	}
}

// TestShortestSnapshots checks snapshots without anything between the magic bytes and the checksum.
func TestShortestSnapshots(t *testing.T) {
	magic := znode.New().AppendTo(nil)[:8]
	empty := binary.BigEndian.AppendUint32(bytes.Clone(magic), crc32.ChecksumIEEE(magic))
	for _, c := range []struct {
		src  []byte
		want string
	}{
		{empty, "the snapshot ends too early"}, {empty[:11], "this is not a snapshot of this version"},
		{nil, "this is not a snapshot of this version"},
		{append(bytes.Clone(magic), 0, 0, 0, 0), "the checksum is wrong"},
	} {
		if _, err := znode.Load(c.src); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d bytes: %v, want %s", len(c.src), err, c.want)
		}
	}
}
