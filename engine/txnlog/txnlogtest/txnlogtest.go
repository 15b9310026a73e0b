// Package txnlogtest writes transaction logs, for tests.
package txnlogtest

import (
	"encoding/binary"
	"hash/adler32"

	"github.com/zkviz/zkviz/engine/wire"
)

// Log is a log with these transactions, as a server since ZooKeeper 3.6 writes it, with zeros where it would go on.
func Log(all ...wire.Txn) []byte {
	b := binary.BigEndian.AppendUint64([]byte("ZKLG\x00\x00\x00\x02"), 0)
	for i := range all {
		const digest = 12
		b = AppendRecord(b, append(all[i].Append(nil), make([]byte, digest)...))
	}
	const beyond = 1 << 10
	return append(b, make([]byte, beyond)...)
}

// AppendRecord puts the bytes of a transaction at the end of a log.
func AppendRecord(b, body []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(adler32.Checksum(body)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	return append(append(b, body...), 'B')
}
