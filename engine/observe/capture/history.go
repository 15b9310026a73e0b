package capture

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// history holds the latest changes of znodes and of their children, in the order in which they became known.
type history struct {
	lists map[place][]change
	order []place // of all changes, oldest first
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

// maxChanges is the number of changes to keep. A watch event that comes after more changes than that is attributed to
// a stranger.
const maxChanges = 1 << 15

// of returns the changes of a place.
func (h *history) of(p place) []change { return h.lists[p] }

// add adds a change. If there are too many, it removes the oldest.
func (h *history) add(p place, c change) {
	h.lists[p] = append(h.lists[p], c)
	h.order = append(h.order, p)
	if len(h.order) <= maxChanges {
		return
	}
	oldest := h.order[0]
	h.order = h.order[1:]
	if h.lists[oldest] = h.lists[oldest][1:]; len(h.lists[oldest]) == 0 {
		delete(h.lists, oldest)
	}
}

// GoneSince reports whether, in the log, the znode was deleted after the zxid and not created again. A lagging server
// may still show it as of that zxid.
func (w *Cluster) GoneSince(path string, zxid int64) bool {
	latest, _ := w.tree.latest(zkclient.Key{Kind: event.DataWatch, Path: path})
	return latest.typ == zoo.NodeDeleted && latest.zxid > zxid
}
