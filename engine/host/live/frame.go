package live

import (
	"encoding/binary"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// xidExpire is the xid of a closeSession that the client did not send.
const xidExpire = 0x7ffffff0

// setRelative makes a setWatches request ask for what changed after zxid. The library sends the zxid that
// it has seen by the time it sends, which a reply on the new connection may have moved on already: a
// change that happened in between would be missed.
func setRelative(payload []byte, zxid int64) {
	const head = 4 + 4 // xid, type
	binary.BigEndian.PutUint64(payload[head:], uint64(zxid))
}

// closeFrame is a request to close the session, under the number xidExpire.
func closeFrame() []byte {
	return wire.AppendFrame(nil, &wire.Request{Xid: xidExpire, Op: wire.OpCloseSession})
}

// framed is the frame of a payload, in memory of its own.
func framed(payload []byte) []byte {
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(payload)), uint32(len(payload)))
	return append(frame, payload...)
}
