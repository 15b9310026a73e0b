package web

import (
	"encoding/binary"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// frameVersion is the first byte of a frame of events.
const frameVersion = 1

// maxFramePath is the longest path that is sent, in bytes; a cluster may hold longer ones. No event is
// longer than a frame, then.
const maxFramePath = 64 << 10

// appendFrame writes a branch's events from next on, as many as there are and one frame takes. It returns
// which event comes after them: next itself if there are none.
func appendFrame(dst []byte, branch int, log eventLog, next event.Seq) ([]byte, event.Seq) {
	dst = append(dst, frameVersion)
	dst = binary.AppendUvarint(dst, uint64(branch))
	for {
		batch := log.Read(next)
		if len(batch) == 0 {
			return dst, next
		}
		for _, e := range batch {
			before := len(dst)
			dst = event.AppendBinary(dst, shortened(e))
			if len(dst) > MaxFrame {
				return dst[:before], next
			}
			next = e.Seq + 1
		}
	}
}

func shortened(e event.Event) event.Event {
	if len(e.Path) > maxFramePath {
		e.Path = strings.ToValidUTF8(e.Path[:maxFramePath], "")
	}
	return e
}
