package room

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// branch is one history. Its events before from belong to its parent.
type branch struct {
	id, parent int
	at         time.Duration
	fault      string
	header     event.Header
	log        *hub.Log
	verdict    verdict
	changed    int    // version of the last change of its row
	key        logKey // identifies what it was computed from
}

func (b branch) row() protocol.Row {
	st := b.log.Status()
	return protocol.Row{
		ID: b.id, Parent: b.parent, At: b.at, Fault: b.fault,
		From: st.First, Events: st.Next - 1, Ended: st.Ended,
	}
}

// events calls yield with a branch's events from seq on, including its parents', until yield returns false.
// It returns false if the room was dropped before the end: it holds on to no log while yield runs.
func (r *room) events(id int, seq event.Seq, yield func(event.Event) bool) bool {
	var batch []event.Event
	for {
		var more bool
		if batch, more = r.some(batch[:0], id, seq); len(batch) == 0 {
			return !more
		}
		for _, e := range batch {
			if !yield(e) {
				return true
			}
			seq = e.Seq + 1
		}
	}
}

// maxBatch is how many events are copied at once.
const maxBatch = 256

// some appends events of a branch from seq on to batch. It reports false at the branch's end, and true if the room is
// gone, so that an empty batch with true means missing events.
func (r *room) some(batch []event.Event, id int, seq event.Seq) ([]event.Event, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id < 0 || id >= len(r.branches) {
		return batch, r.gone
	}
	end := r.branches[id].log.Status().Next
	if seq >= end {
		return batch, false
	}
	b := r.branches[id]
	for b.parent >= 0 && seq < b.log.Status().First {
		b = r.branches[b.parent]
	}
	limit := nextOwn(r.branches, id, b.id, end)
	for _, e := range b.log.Read(seq) {
		if e.Seq >= limit || len(batch) == maxBatch {
			break
		}
		batch = append(batch, e)
	}
	return batch, true
}

// nextOwn returns the first event of ancestor that branch id doesn't share.
func nextOwn(branches []branch, id, ancestor int, end event.Seq) event.Seq {
	for id != ancestor {
		end = min(end, branches[id].log.Status().First)
		id = branches[id].parent
	}
	return end
}
