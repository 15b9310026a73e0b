package capture

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/zoo"
)

// history is the latest changes of znodes, and of their children, in the order in which they were heard of.
type history struct {
	lists map[place][]change
	order []place // of all of them, the oldest first
}

// place is a znode, or the children of one.
type place struct {
	path     string
	children bool
}

// change is a fact about a znode that may fire watches.
type change struct {
	zxid int64
	typ  zoo.EventType
	seq  event.Seq
}

// keepChanges is how many changes are remembered. A watch event that comes later than so many is taken for the work of
// a stranger.
const keepChanges = 1 << 15

// of returns the changes of a place.
func (h *history) of(p place) []change { return h.lists[p] }

// add remembers a change. If they are too many, the oldest is forgotten.
func (h *history) add(p place, c change) {
	h.lists[p] = append(h.lists[p], c)
	h.order = append(h.order, p)
	if len(h.order) <= keepChanges {
		return
	}
	oldest := h.order[0]
	h.order = h.order[1:]
	if h.lists[oldest] = h.lists[oldest][1:]; len(h.lists[oldest]) == 0 {
		delete(h.lists, oldest)
	}
}

// GoneSince reports whether the log has a znode go after the zxid, and not come again. Answers of servers that lag
// behind may show it to be there, as of that zxid.
func (w *Cluster) GoneSince(path string, zxid int64) bool {
	latest, _ := w.tree.latest(process.Key{Kind: event.DataWatch, Path: path})
	return latest.typ == zoo.NodeDeleted && latest.zxid > zxid
}
