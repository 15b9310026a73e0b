package txnlogtest

import (
	"encoding/binary"
	"hash/adler32"

	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
)

// Tree is the content of a snapshot: sessions, and znodes in order, the root first.
type Tree struct {
	Sessions []Session
	Nodes    []txnlog.Node
	Until    int64 // the last transaction when the snapshot had been written, if it isn't that of its name
}

// Session is a session and its timeout.
type Session struct {
	ID        int64
	TimeoutMS int32
}

// anybody is the number of an empty ACL, which no table has.
const anybody = -1

// Snapshot returns a snapshot of a tree, up to the transaction zxid.
func (v Version) Snapshot(t Tree, zxid int64) []byte {
	const dbid = 1<<64 - 1
	b := binary.BigEndian.AppendUint64([]byte("ZKSN\x00\x00\x00\x02"), dbid)
	b = seal(t.Append(b))
	last := uint64(max(zxid, t.Until))
	if v.Digests {
		b = seal(appendDigest(binary.BigEndian.AppendUint64(b, last)))
	}
	if v.Last {
		b = seal(binary.BigEndian.AppendUint64(b, last))
	}
	return b
}

// seal appends the checksum of b and a path.
func seal(b []byte) []byte {
	return appendText(binary.BigEndian.AppendUint64(b, uint64(adler32.Checksum(b))), "/")
}

// Append appends the tree to b, as snapshots contain it and learners receive it.
func (t Tree) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(t.Sessions)))
	for _, s := range t.Sessions {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, uint64(s.ID)), uint32(s.TimeoutMS))
	}
	b = t.appendACLs(b)
	for i := range t.Nodes {
		b = appendNode(b, &t.Nodes[i], i)
	}
	return appendText(b, "/")
}

// appendACLs gives each znode's ACL the znode's number. An ACL without entries is left out of the table, like that
// of a znode created while the snapshot was written.
func (t Tree) appendACLs(b []byte) []byte {
	at, n := len(b), 0
	b = append(b, 0, 0, 0, 0)
	for i, node := range t.Nodes {
		if len(node.ACL) == 0 {
			continue
		}
		n++
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, uint64(i)), uint32(len(node.ACL)))
		for _, a := range node.ACL {
			b = appendText(appendText(binary.BigEndian.AppendUint32(b, uint32(a.Perms)), a.Scheme), a.ID)
		}
	}
	binary.BigEndian.PutUint32(b[at:], uint32(n))
	return b
}

func appendNode(b []byte, n *txnlog.Node, acl int) []byte {
	path := n.Path
	if path == "/" {
		path = ""
	}
	if n.ACL == nil {
		acl = anybody
	}
	b = appendText(appendText(b, path), string(n.Data))
	for _, v := range []int64{int64(acl), n.Stat.Czxid, n.Stat.Mzxid, n.Stat.Ctime, n.Stat.Mtime} {
		b = binary.BigEndian.AppendUint64(b, uint64(v))
	}
	for _, v := range []int32{n.Stat.Version, n.Made, n.Stat.Aversion} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	b = binary.BigEndian.AppendUint64(b, uint64(n.Stat.EphemeralOwner))
	return binary.BigEndian.AppendUint64(b, uint64(n.Stat.Pzxid))
}

func appendText(b []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(text))), text...)
}
