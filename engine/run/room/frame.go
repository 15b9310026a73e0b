package room

import (
	"strings"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// maxPath is the longest path of an event that is kept or sent, in bytes. A cluster may have longer ones. With it,
// no event is longer than a frame.
const maxPath = 4 << 10

// frames is a pool of buffers for frames. It grows to the number of frames written at the same moment: an inactive
// viewer has none.
type frames struct{ free sync.Pool }

func newFrames() *frames {
	return &frames{sync.Pool{New: func() any { b := make([]byte, 0, protocol.MaxFrame); return &b }}}
}

func (f *frames) get() *[]byte  { return f.free.Get().(*[]byte) }
func (f *frames) put(b *[]byte) { f.free.Put(b) }

// shortened returns e with its strings cut to their limits, in memory of their own.
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
