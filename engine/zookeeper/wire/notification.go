package wire

import (
	"encoding/binary"

	"github.com/zkviz/zkviz/engine/event/zoo"
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

// IsNotification reports whether a server's frame is a Notification, and not a Response. It can't tell apart the
// answer to a request that the client numbered XidNotification.
func IsNotification(frame []byte) bool {
	return len(frame) >= 4 && int32(binary.BigEndian.Uint32(frame)) == XidNotification
}

// DecodeNotification decodes a notification's payload. It can only fail with ErrFrame.
func DecodeNotification(frame []byte, into *Notification) error {
	t := taker{b: frame, asSent: true}
	t.int()
	into.Zxid = t.long()
	t.int()
	into.Type, into.State, into.Path = t.int(), t.int(), t.text(into.Path)
	return t.frameError()
}
