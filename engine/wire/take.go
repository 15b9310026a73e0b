package wire

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/zoo"
)

// taker takes values from the front of a payload. Once one cannot be read, bad is set and all that follow are
// zero.
type taker struct {
	b      []byte
	bad    bool
	asSent bool // text stays as it came: that of a server has been through Text already
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

// raw is a buffer's bytes within the payload, nil for null.
func (t *taker) raw() []byte {
	n := t.int()
	if t.bad || n == -1 {
		return nil
	}
	return t.take(int(n))
}

// buffer is a buffer of its own, nil for null. It takes the place of old, if there is enough.
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

// text is a string, "" for null. It is old if that is equal, which saves making another.
func (t *taker) text(old string) string { return t.again(t.raw(), old) }

// given is text that must not be null.
func (t *taker) given(old string) string {
	b := t.raw()
	if b == nil {
		t.bad = true
	}
	return t.again(b, old)
}

// again is old if that is what b stands for. Text that is not UTF-8 never is: half a surrogate pair stands for
// something else in what a client sends than in what was made of it.
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

// count is the length of a list whose items have min bytes at least; -1 is null and all else below 0 none.
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

// texts is a list of strings in old's place. Null is bad, in the list too.
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

// reuse is an empty slice with room for n items. What is much larger than that is let go.
func reuse[T any](old []T, n int) []T {
	if old == nil && n <= 0 {
		return nil
	}
	if cap(old) > 1024 && cap(old) > 4*n {
		old = nil
	}
	return slices.Grow(old[:0], max(n, 0))
}

// acl is a list of its own, nil for null. An id that is null is bad where ZooKeeper would read it.
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
			a.ID = zoo.NullID // the others never look at it, and kazoo sends null for an empty one
		}
		list = append(list, a)
	}
	return list
}

// known is b as a string, without making one for the words that nearly every list consists of.
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
