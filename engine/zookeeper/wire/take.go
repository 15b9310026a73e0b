package wire

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// taker reads values from the front of a payload. After the first unreadable one, bad is set and all values are zero.
type taker struct {
	b      []byte
	bad    bool
	asSent bool // text is unconverted, since a server's text has been through Text already
}

func (t *taker) take(n int) []byte {
	if n < 0 || n > len(t.b) {
		t.b, t.bad = nil, true
		return nil
	}
	head := t.b[:n]
	t.b = t.b[n:]
	return head
}

func (t *taker) int() int32 {
	if b := t.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (t *taker) long() int64 {
	if b := t.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (t *taker) bool() bool {
	b := t.take(1)
	return b != nil && b[0] != 0
}

// raw returns a buffer's bytes within the payload, or nil for null.
func (t *taker) raw() []byte {
	n := t.int()
	if t.bad || n == -1 {
		return nil
	}
	return t.take(int(n))
}

// buffer returns a copy of a buffer, or nil for null. It reuses old if that is large enough.
func (t *taker) buffer(old []byte) []byte {
	b := t.raw()
	if b == nil {
		return nil
	}
	if old == nil {
		old = []byte{}
	}
	return append(old[:0], b...)
}

// text reads a string, "" for null. It returns old if that is equal, to avoid an allocation.
func (t *taker) text(old string) string { return t.again(t.raw(), old) }

// given reads text that must not be null.
func (t *taker) given(old string) string {
	b := t.raw()
	if b == nil {
		t.bad = true
	}
	return t.again(b, old)
}

// again returns old if b stands for it. Text that is not UTF-8 is always converted again: half a surrogate pair from a
// client means something else than the same bytes after conversion.
func (t *taker) again(b []byte, old string) string {
	if old == string(b) && utf8.Valid(b) {
		return old
	}
	return t.string(b)
}

func (t *taker) string(b []byte) string {
	if t.asSent {
		return string(b)
	}
	return Text(b)
}

// count reads the length of a list whose items take at least min bytes. It returns -1 for null; any other negative
// length means an empty list.
func (t *taker) count(min int) int {
	n := int(t.int())
	if n > len(t.b)/min {
		t.b, t.bad = nil, true
	}
	if t.bad {
		return 0
	}
	return n
}

// texts reads a list of strings and reuses old. A null list or item is bad.
func (t *taker) texts(old []string) []string {
	n := t.count(4)
	if n == -1 {
		t.bad = true
	}
	list := reuse(old, n)
	for i := 0; i < n && !t.bad; i++ {
		list = append(list, t.given(""))
	}
	return list
}

// reuse returns an empty slice with room for n items. It drops a slice that is much larger than that.
func reuse[T any](old []T, n int) []T {
	if old == nil && n <= 0 {
		return nil
	}
	if cap(old) > 1024 && cap(old) > 4*n {
		old = nil
	}
	return slices.Grow(old[:0], max(n, 0))
}

// acl reads a new list, or nil for null. A null ID becomes zoo.NullID where ZooKeeper would read it.
func (t *taker) acl() []zoo.ACL {
	n := t.count(12)
	if n == -1 || t.bad {
		return nil
	}
	list := make([]zoo.ACL, 0, max(n, 0))
	for i := 0; i < n && !t.bad; i++ {
		a := zoo.ACL{Perms: t.int(), Scheme: t.known(t.raw())}
		id := t.raw()
		a.ID = t.known(id)
		if id == nil && (a.Scheme == "world" || a.Scheme == "digest" || a.Scheme == "ip") {
			a.ID = zoo.NullID // other schemes never read it, and kazoo sends null for an empty ID
		}
		list = append(list, a)
	}
	return list
}

// known returns b as a string, without an allocation for the words that most ACLs consist of.
func (t *taker) known(b []byte) string {
	switch string(b) {
	case "world":
		return "world"
	case "anyone":
		return "anyone"
	case "auth":
		return "auth"
	case "digest":
		return "digest"
	case "ip":
		return "ip"
	}
	return t.string(b)
}

func (t *taker) stat(s *zoo.Stat) {
	*s = zoo.Stat{
		Czxid: t.long(), Mzxid: t.long(), Ctime: t.long(), Mtime: t.long(),
		Version: t.int(), Cversion: t.int(), Aversion: t.int(),
		EphemeralOwner: t.long(), DataLength: t.int(), NumChildren: t.int(), Pzxid: t.long(),
	}
}
