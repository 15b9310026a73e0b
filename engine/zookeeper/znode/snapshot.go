package znode

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// snapshotMagic starts a snapshot. It ends with the format's version.
const snapshotMagic = "zktree\x00\x01"

// perNode is the approximate size of a znode in a snapshot without its path and data, in bytes.
const perNode = 64

// AppendTo appends the whole state to dst. Equal states give equal bytes. The znodes come in the order of their paths,
// so that parents precede children. Then come the znodes of each session, by index in that order, and a checksum of
// everything. It takes a second or two for a million znodes.
func (t *Tree) AppendTo(dst []byte) []byte {
	start := len(dst)
	dst = slices.Grow(dst, int(t.bytes)+perNode*len(t.nodes)) // in one step, since clients are waiting
	dst = append(dst, snapshotMagic...)
	dst = binary.AppendVarint(dst, t.zxid)
	paths := make([]string, 0, len(t.nodes)-1)
	for path := range t.nodes {
		if path != "" {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	dst = binary.AppendUvarint(dst, uint64(len(paths)))
	for _, path := range paths {
		dst = t.nodes[path].appendTo(appendString(dst, path))
	}
	dst = t.appendOwned(dst, paths)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}

func (n *node) appendTo(dst []byte) []byte {
	dst = append(dst, byte(n.mode))
	if n.data == nil {
		dst = binary.AppendUvarint(dst, 0)
	} else {
		dst = binary.AppendUvarint(dst, uint64(len(n.data))+1)
		dst = append(dst, n.data...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(n.acl)))
	for _, entry := range n.acl {
		dst = binary.AppendVarint(dst, int64(entry.Perms))
		dst = appendString(appendString(dst, entry.Scheme), entry.ID)
	}
	for _, number := range n.numbers() {
		dst = binary.AppendVarint(dst, number)
	}
	return dst
}

// numbers returns all numbers of a znode. setNumbers is its inverse.
func (n *node) numbers() [10]int64 {
	s := &n.stat
	return [...]int64{s.Czxid, s.Mzxid, s.Pzxid, s.Ctime, s.Mtime, s.EphemeralOwner, n.ttl,
		int64(s.Version), int64(s.Aversion), int64(n.creates)}
}

func (n *node) setNumbers(v [10]int64) {
	n.stat = zoo.Stat{Czxid: v[0], Mzxid: v[1], Pzxid: v[2], Ctime: v[3], Mtime: v[4], EphemeralOwner: v[5],
		Version: int32(v[7]), Aversion: int32(v[8])}
	n.ttl, n.creates = v[6], int32(v[9])
}

func (t *Tree) appendOwned(dst []byte, paths []string) []byte {
	owners := t.Owners()
	dst = binary.AppendUvarint(dst, uint64(len(owners)))
	for _, session := range owners {
		dst = binary.AppendVarint(dst, session)
		mine := t.owned[session]
		dst = binary.AppendUvarint(dst, uint64(mine.len()))
		for path := range mine.all() {
			at, _ := slices.BinarySearch(paths, path)
			dst = binary.AppendUvarint(dst, uint64(at))
		}
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
