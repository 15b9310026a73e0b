package live

import (
	"encoding/binary"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// xidExpire is the xid of a closeSession request that the client didn't send.
const xidExpire = 0x7ffffff0

// setRelative sets the zxid in a setWatches request. The library puts in the latest zxid it has seen, and a reply on
// the new connection may have moved that on already. Changes in between would be missed.
func setRelative(payload []byte, zxid int64) {
	const head = 4 + 4 // xid, type
	binary.BigEndian.PutUint64(payload[head:], uint64(zxid))
}

// closeFrame returns a request to close the session, with xid xidExpire.
func closeFrame() []byte {
	return wire.AppendFrame(nil, &wire.Request{Xid: xidExpire, Op: wire.OpCloseSession})
}

// framed returns the payload as a frame in memory of its own.
func framed(payload []byte) []byte {
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(payload)), uint32(len(payload)))
	return append(frame, payload...)
}
