package web

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/hub"
)

// branch is one history. Its events before from are its parent's.
type branch struct {
	id, parent int
	at         time.Duration
	fault      string
	header     event.Header
	log        eventLog
	changed    int // version of the last change of its row
}

// eventLog is a log as its readers see it. *hub.Log is one that grows.
type eventLog interface {
	Read(from event.Seq) []event.Event
	Status() hub.Status
}

// finished is an eventLog that is complete.
type finished struct {
	first event.Seq
	own   []event.Event
}

// Read returns everything from a sequence number on.
func (f finished) Read(from event.Seq) []event.Event {
	i := int(max(from, f.first) - f.first)
	if i >= len(f.own) {
		return nil
	}
	return f.own[i:]
}

// Status is final.
func (f finished) Status() hub.Status {
	return hub.Status{First: f.first, Next: f.first + event.Seq(len(f.own)), Ended: true}
}

func (b branch) row() branchRow {
	st := b.log.Status()
	return branchRow{
		ID: b.id, Parent: b.parent, AtMS: ms(b.at), Fault: b.fault,
		From: st.First, Events: st.Next - 1, Ended: st.Ended,
	}
}

// events calls yield with a branch's events from the first on, its parents' included, until it says no.
func (r *room) events(id int, yield func(event.Event) bool) {
	r.mu.Lock()
	branches := slices.Clone(r.branches)
	r.mu.Unlock()
	if id < 0 || id >= len(branches) {
		return
	}
	end := branches[id].log.Status().Next
	for seq := event.Seq(1); seq < end; {
		b := branches[id]
		for b.parent >= 0 && seq < b.log.Status().First {
			b = branches[b.parent]
		}
		batch := b.log.Read(seq)
		if len(batch) == 0 {
			return
		}
		limit := nextOwn(branches, id, b.id, end)
		for _, e := range batch {
			if e.Seq >= limit {
				break
			}
			if !yield(e) {
				return
			}
			seq = e.Seq + 1
		}
	}
}

// nextOwn is where, on the way from branch id up to its ancestor, the ancestor's events stop to count.
func nextOwn(branches []branch, id, ancestor int, end event.Seq) event.Seq {
	for id != ancestor {
		end = min(end, branches[id].log.Status().First)
		id = branches[id].parent
	}
	return end
}
