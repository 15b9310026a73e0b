package view

import (
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// historyIndex finds events of a History that would otherwise need a search through all of it.
type historyIndex struct {
	sessions map[int64]event.Seq
	reports  [][]event.Seq // by client
}

// add indexes the next event.
func (x *historyIndex) add(e *event.Event) {
	switch e.Kind {
	case event.SessionCreated, event.SessionSeen, event.ConnOpened:
		if _, known := x.sessions[e.Session]; !known && e.N > 0 {
			if x.sessions == nil {
				x.sessions = make(map[int64]event.Seq)
			}
			x.sessions[e.Session] = e.Seq
		}
	case event.RecipePhase:
		x.report(e.Actor, e.Seq)
	}
}

// fork returns the index of the first n events.
func (x *historyIndex) fork(n event.Seq) (f historyIndex) {
	for session, seq := range x.sessions {
		if seq <= n {
			if f.sessions == nil {
				f.sessions = make(map[int64]event.Seq)
			}
			f.sessions[session] = seq
		}
	}
	for _, all := range x.reports {
		f.reports = append(f.reports, slices.Clip(all[:upTo(all, n)]))
	}
	return f
}

// upTo returns how many of the events, which are in order, come at or before seq.
func upTo(all []event.Seq, seq event.Seq) int {
	return sort.Search(len(all), func(i int) bool { return all[i] > seq })
}

func (x *historyIndex) report(who event.Actor, seq event.Seq) {
	if who < 1 || who > event.MaxActor {
		return // no host writes such an actor
	}
	for len(x.reports) <= int(who) {
		x.reports = append(x.reports, nil)
	}
	x.reports[who] = append(x.reports[who], seq)
}

// Timeout returns a session's negotiated timeout, as far as the log tells it before the event seq; 0 if it doesn't.
func (h *History) Timeout(session int64, seq event.Seq) time.Duration {
	if at, ok := h.index.sessions[session]; ok && at < seq {
		e, _ := h.Lookup(at)
		return time.Duration(e.N)
	}
	return 0
}

// LastReport returns the last RecipePhase of a client at or before the event seq, 0 if there is none.
func (h *History) LastReport(who event.Actor, seq event.Seq) event.Seq {
	reports := h.index.reports
	if who < 0 || int(who) >= len(reports) {
		return 0
	}
	all := reports[who]
	if i := upTo(all, seq); i > 0 {
		return all[i-1]
	}
	return 0
}
