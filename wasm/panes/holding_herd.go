package panes

import (
	"sort"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// herds counts whom changes of one group wake. What it keeps only grows, so it can be asked of any moment.
type herds struct {
	told   []told
	recent map[event.Seq]map[event.Actor]bool // the clients told of each of the last changes
	order  []event.Seq                        // these changes
}

// told is that one more client was told of a change.
type told struct {
	seq    event.Seq // of the event that says so
	change event.Seq
	n      int32 // how many have been told of that change by now
	worst  int32 // which entry has the most by now
	least  bool  // there may have been others, of whom servers haven't said that they watch
}

// maxRecent is of how many changes it is kept who was told: watches fire right after what they fire for.
const maxRecent = 64

// wakes reports whether an event says that a client is told of a change: its watch fires, or has gone with the change,
// as far as servers have said who watches.
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
		return // by another of its watches
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

// herd is how many clients one change has woken.
type herd struct {
	change event.Seq
	woken  int
	least  bool // perhaps more
}

// at is the last herd up to the event seq, and the worst; false if nobody has been woken by then.
func (h *herds) at(seq event.Seq) (last, worst herd, ok bool) {
	i := sort.Search(len(h.told), func(i int) bool { return h.told[i].seq > seq })
	if i == 0 {
		return herd{}, herd{}, false
	}
	l := h.told[i-1]
	w := h.told[l.worst]
	return herd{l.change, int(l.n), l.least}, herd{w.change, int(w.n), w.least}, true
}

// concerns is what a watch event is about, if that is a change of a znode.
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
