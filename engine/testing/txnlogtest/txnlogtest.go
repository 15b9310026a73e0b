// Package txnlogtest writes transaction logs and snapshots for tests, in the formats of each release line of
// ZooKeeper.
package txnlogtest

import (
	"encoding/binary"
	"hash/adler32"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Version is a release line, described by what it writes.
type Version struct {
	Name string
	// New operations: create2, containers, TTLs, reconfig.
	New bool
	// Digests follow transactions and snapshots, and the end of a session lists its ephemeral znodes.
	Digests bool
	// Last puts the zxid of the last transaction at the end of a snapshot.
	Last bool
}

// Versions returns the oldest release of each format, in order.
func Versions() []Version {
	return []Version{{Name: "3.4"}, {Name: "3.5", New: true}, {Name: "3.6", New: true, Digests: true}, Latest()}
}

// Latest returns the newest format.
func Latest() Version { return Version{Name: "3.9", New: true, Digests: true, Last: true} }

// Log returns a log with these transactions as the newest servers write it, followed by zeros.
func Log(all ...wire.Txn) []byte { return Latest().Log(all...) }

// Log returns a log with these transactions, followed by zeros.
func (v Version) Log(all ...wire.Txn) []byte {
	b := binary.BigEndian.AppendUint64([]byte("ZKLG\x00\x00\x00\x02"), 0)
	for i := range all {
		b = AppendRecord(b, v.Txn(all[i]))
	}
	const beyond = 1 << 10
	return append(b, make([]byte, beyond)...)
}

// Txn encodes a transaction as logs contain it and observers receive it.
func (v Version) Txn(t wire.Txn) []byte {
	if !v.Digests {
		t.Paths = nil
		return t.Append(nil)
	}
	if t.Op == wire.OpCloseSession && t.Paths == nil {
		t.Paths = []string{}
	}
	return appendDigest(t.Append(nil))
}

// appendDigest appends a digest: a version and a sum.
func appendDigest(b []byte) []byte {
	sum := uint64(adler32.Checksum(b)) << 20
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 2), sum)
}

// AppendRecord appends the record of a transaction to a log.
func AppendRecord(b, body []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(adler32.Checksum(body)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	return append(append(b, body...), 'B')
}
