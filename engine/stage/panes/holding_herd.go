package panes

import (
	"sort"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// herds counts whom the changes of one group wake. It only accumulates, so it can answer for any moment.
type herds struct {
	told   []told
	recent map[event.Seq]map[event.Actor]bool // clients notified of each recent change
	order  []event.Seq                        // recent changes, in order
}

// told records that one more client was notified of a change.
type told struct {
	seq    event.Seq // the event that says so
	change event.Seq
	n      int32 // number notified of that change so far
	worst  int32 // index of the entry with the most so far
	least  bool  // there may be others whose watches no server reported
}

// maxRecent is the number of changes whose notified clients are kept: watches fire right after the change.
const maxRecent = 64

// wakes reports whether an event notifies a client of a change: its watch fires, or disappears with the change from the
// servers' reports.
func wakes(e *event.Event) bool {
	return e.Kind == event.WatchFired || e.Kind == event.WatchRemoved && e.Reason == event.ServerSays && e.Cause != 0
}

// fire takes an event that wakes.
func (h *herds) fire(e *event.Event) {
	who := h.recent[e.Cause]
	if who == nil {
		who = h.begin(e.Cause)
	}
	if who[e.Peer] {
		return // through another of its watches
	}
	who[e.Peer] = true
	t := told{seq: e.Seq, change: e.Cause, n: int32(len(who)), least: e.Kind == event.WatchRemoved}
	if n := len(h.told); n > 0 {
		t.worst = h.told[n-1].worst
	}
	h.told = append(h.told, t)
	if last := len(h.told) - 1; t.n > h.told[t.worst].n {
		h.told[last].worst = int32(last)
	}
}

func (h *herds) begin(change event.Seq) map[event.Actor]bool {
	if h.recent == nil {
		h.recent = map[event.Seq]map[event.Actor]bool{}
	}
	if len(h.order) == maxRecent {
		delete(h.recent, h.order[0])
		h.order = h.order[1:]
	}
	h.order = append(h.order, change)
	h.recent[change] = map[event.Actor]bool{}
	return h.recent[change]
}

// herd is the number of clients that one change has woken.
type herd struct {
	change event.Seq
	woken  int
	least  bool // possibly more
}

// at returns the last herd up to an event, and the worst; false if no client has been woken by then.
func (h *herds) at(seq event.Seq) (last, worst herd, ok bool) {
	i := sort.Search(len(h.told), func(i int) bool { return h.told[i].seq > seq })
	if i == 0 {
		return herd{}, herd{}, false
	}
	l := h.told[i-1]
	w := h.told[l.worst]
	return herd{l.change, int(l.n), l.least}, herd{w.change, int(w.n), w.least}, true
}

// concerns returns the path of the change that a watch event is about, or "".
func concerns(history *view.History, e *event.Event) string {
	if e.Cause == 0 {
		return ""
	}
	switch by := history.Event(int(e.Cause) - 1); by.Kind {
	case event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		return by.Path
	}
	return ""
}
