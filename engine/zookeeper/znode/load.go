package znode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Load reads a tree that AppendTo wrote. It returns an error for damaged bytes and for any that no tree would write.
// It keeps no reference to src and uses a small multiple of its size.
func Load(src []byte) (*Tree, error) {
	body, err := checked(src)
	if err != nil {
		return nil, fmt.Errorf("load the tree: %w", err)
	}
	l := loader{rest: body, tree: empty()}
	l.tree.zxid = l.varint()
	for range l.count() {
		l.node()
	}
	l.listed = make([]bool, len(l.paths))
	for range l.count() {
		l.owner()
	}
	if l.finish(); l.err != nil {
		return nil, fmt.Errorf("load the tree: %w", l.err)
	}
	return l.tree, nil
}

// finish checks that nothing is missing and nothing is left over.
func (l *loader) finish() {
	if len(l.rest) > 0 {
		l.fail("a length of %d bytes is too large", len(l.rest))
	}
	for i, path := range l.paths {
		if l.tree.nodes[path].stat.EphemeralOwner != 0 && !l.listed[i] {
			l.fail("nobody owns the ephemeral %s", path)
		}
	}
	for _, path := range fixtures() {
		if l.tree.nodes[path] == nil {
			l.fail("there is no %s", path)
		}
	}
}

// checked verifies a snapshot's magic bytes and checksum and returns what lies between them.
func checked(src []byte) ([]byte, error) {
	if len(src) < len(snapshotMagic)+4 || string(src[:len(snapshotMagic)]) != snapshotMagic {
		return nil, errors.New("this is not a snapshot of this version")
	}
	end := len(src) - 4
	if crc32.ChecksumIEEE(src[:end]) != binary.BigEndian.Uint32(src[end:]) {
		return nil, errors.New("the checksum is wrong: the snapshot is damaged or cut short")
	}
	return src[len(snapshotMagic):end], nil
}

// loader parses a snapshot. After the first error, it reads only zero values.
type loader struct {
	rest   []byte
	tree   *Tree
	paths  []string // so far, sorted
	listed []bool   // by index in paths: an owner has listed it
	err    error
}

func (l *loader) node() {
	path := l.text()
	n := &node{mode: zoo.CreateMode(l.byte())}
	if size := l.count(); size > 0 {
		n.data = slices.Clone(l.bytes(size - 1))
		if n.data == nil {
			n.data = []byte{}
		}
	}
	for range l.count() {
		n.acl = append(n.acl, zoo.ACL{Perms: l.int32(), Scheme: l.text(), ID: l.text()})
	}
	var numbers [10]int64
	for i := range numbers {
		numbers[i] = l.varint()
	}
	n.setNumbers(numbers)
	if l.err == nil && n.numbers() != numbers {
		l.fail("a number of %s is out of range", path)
	}
	if l.err == nil {
		l.place(path, n)
	}
}

// place adds a znode to the tree if it fits there.
func (l *loader) place(path string, n *node) {
	switch {
	case CheckPath(path) != nil:
		l.fail("%q is not a path", path)
	case len(l.paths) > 0 && path <= l.paths[len(l.paths)-1]:
		l.fail("%s is out of order", path)
	case n.mode > zoo.PersistentSequentialTTL,
		n.mode.IsEphemeral() != (n.stat.EphemeralOwner != 0),
		n.mode.HasTTL() != (n.ttl != 0), n.ttl < 0, n.ttl > maxTTL:
		l.fail("%s has an impossible mode %d, owner %d or TTL of %d ms", path, n.mode, n.stat.EphemeralOwner, n.ttl)
	case path == "/":
		l.tree.add("", n)
		l.add(path, n)
	default:
		dir, name := cut(path)
		n.parent = l.tree.nodes[dir]
		if n.parent == nil || n.parent.stat.EphemeralOwner != 0 {
			l.fail("%s has no parent", path)
			return
		}
		n.parent.addKid(name)
		l.add(path, n)
	}
}

func (l *loader) add(path string, n *node) {
	l.tree.add(path, n)
	l.paths = append(l.paths, path)
}

// owner reads the list of what one session owns.
func (l *loader) owner() {
	session := l.varint()
	if session == 0 || l.tree.owned[session].len() > 0 {
		l.fail("session %d is listed twice", session)
	}
	for range l.count() {
		at := l.uvarint()
		if l.err != nil {
			return
		}
		if at >= uint64(len(l.paths)) {
			l.fail("session %d owns a znode that does not exist", session)
			return
		}
		path := l.paths[at]
		n := l.tree.nodes[path]
		if n.stat.EphemeralOwner != session || l.listed[at] {
			l.fail("session %d owns %s, which has another owner or is listed twice", session, path)
			return
		}
		l.tree.own(path, n)
		l.listed[at] = true
	}
}

func (l *loader) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
	l.rest = nil
}

func (l *loader) short() { l.fail("the snapshot ends too early") }

func (l *loader) byte() byte {
	if b := l.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (l *loader) bytes(n int) []byte {
	if n > len(l.rest) {
		l.short()
		return nil
	}
	b := l.rest[:n]
	l.rest = l.rest[n:]
	return b
}

func (l *loader) text() string { return string(l.bytes(l.count())) }

func (l *loader) uvarint() uint64 {
	v, n := binary.Uvarint(l.rest)
	if n <= 0 {
		l.short()
		return 0
	}
	l.rest = l.rest[n:]
	return v
}

func (l *loader) varint() int64 {
	v, n := binary.Varint(l.rest)
	if n <= 0 {
		l.short()
		return 0
	}
	l.rest = l.rest[n:]
	return v
}

func (l *loader) int32() int32 {
	v := l.varint()
	if v < math.MinInt32 || v > math.MaxInt32 {
		l.fail("%d is out of range", v)
	}
	return int32(v)
}

// count reads a number of items of at least one byte each, or a number of bytes plus one.
func (l *loader) count() int {
	v := l.uvarint()
	if v > uint64(len(l.rest))+1 {
		l.short()
		return 0
	}
	return int(v)
}
