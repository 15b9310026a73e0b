package room

import (
	"strings"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/protocol"
)

// maxPath is the longest path of an event that is kept or sent, in bytes; a cluster may hold longer ones. No event is
// longer than a frame, then.
const maxPath = 4 << 10

// frames are buffers for a frame each. There are as many as frames are being written at the same moment: a viewer
// that is sent nothing has none.
type frames struct{ free sync.Pool }

func newFrames() *frames {
	return &frames{sync.Pool{New: func() any { b := make([]byte, 0, protocol.MaxFrame); return &b }}}
}

// maxFixed is more than what an event takes in a frame besides its strings, in bytes.
const maxFixed = 128

func (f *frames) get() *[]byte  { return f.free.Get().(*[]byte) }
func (f *frames) put(b *[]byte) { f.free.Put(b) }

// appendFrame writes a branch's events from next on, as many as there are and one frame takes. It returns
// which event comes after them: next itself if there are none.
func appendFrame(dst []byte, branch int, log eventLog, next event.Seq) ([]byte, event.Seq) {
	dst = protocol.AppendFrame(dst, branch)
	if f, ok := log.(finished); ok {
		return f.own.AppendTo(dst, next, protocol.MaxFrame)
	}
	for {
		batch := log.Read(next)
		if len(batch) == 0 {
			return dst, next
		}
		for _, e := range batch {
			e = shortened(e)
			if len(dst)+maxFixed+len(e.Path)+len(e.Text) > protocol.MaxFrame {
				return dst, next
			}
			dst = event.AppendBinary(dst, e)
			next = e.Seq + 1
		}
	}
}

// shortened is e with strings that are not too long, and that keep no longer ones in memory.
func shortened(e event.Event) event.Event {
	e.Path, e.Text = cut(e.Path, maxPath), cut(e.Text, event.MaxText)
	return e
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.Clone(strings.ToValidUTF8(s[:most], ""))
}
