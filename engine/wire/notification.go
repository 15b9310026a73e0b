package wire

import (
	"encoding/binary"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Append implements Record.
func (n *Notification) Append(dst []byte) []byte {
	dst = putInt(dst, XidNotification)
	dst = putLong(dst, n.Zxid)
	dst = putInt(dst, int32(zoo.OK))
	dst = putInt(dst, n.Type)
	dst = putInt(dst, n.State)
	return putString(dst, n.Path)
}

// IsNotification reports whether a server's frame is a Notification rather than a Response. An answer to a request
// with XidNotification of the client's own would be mistaken for one.
func IsNotification(frame []byte) bool {
	return len(frame) >= 4 && int32(binary.BigEndian.Uint32(frame)) == XidNotification
}

// DecodeNotification reads a notification's payload. The only error is ErrFrame.
func DecodeNotification(frame []byte, into *Notification) error {
	t := taker{b: frame, asSent: true}
	t.int()
	into.Zxid = t.long()
	t.int()
	into.Type, into.State, into.Path = t.int(), t.int(), t.text(into.Path)
	return t.frameError()
}
