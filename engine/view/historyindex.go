package view

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// historyIndex finds events of a History that would else have to be looked for all through it. It follows the History
// when something is asked of it, so those that ask for nothing pay nothing. A fork makes its own.
type historyIndex struct {
	upTo     int // events of the History that it knows
	sessions map[int64]event.Seq
	reports  [][]event.Seq // by client
}

func (h *History) indexed() *historyIndex {
	x := &h.index
	if x.sessions == nil {
		x.sessions = make(map[int64]event.Seq)
	}
	for ; x.upTo < h.len; x.upTo++ {
		switch e := &h.chunks[x.upTo/chunkLen][x.upTo%chunkLen]; e.Kind {
		case event.SessionCreated, event.ConnOpened:
			if _, known := x.sessions[e.Session]; !known && e.N > 0 {
				x.sessions[e.Session] = e.Seq
			}
		case event.RecipePhase:
			x.report(e.Actor, e.Seq)
		}
	}
	return x
}

func (x *historyIndex) report(who event.Actor, seq event.Seq) {
	if who < 1 || who > event.MaxActor {
		return // no host writes that
	}
	for len(x.reports) <= int(who) {
		x.reports = append(x.reports, nil)
	}
	x.reports[who] = append(x.reports[who], seq)
}

// Timeout is what was negotiated for a session, as far as was said before the event seq; 0 if nothing was.
func (h *History) Timeout(session int64, seq event.Seq) time.Duration {
	if at, ok := h.indexed().sessions[session]; ok && at < seq {
		e, _ := h.Lookup(at)
		return time.Duration(e.N)
	}
	return 0
}

// LastReport is the last RecipePhase of a client at or before the event seq, 0 if there is none.
func (h *History) LastReport(who event.Actor, seq event.Seq) event.Seq {
	reports := h.indexed().reports
	if who < 0 || int(who) >= len(reports) {
		return 0
	}
	all := reports[who]
	if i := sort.Search(len(all), func(i int) bool { return all[i] > seq }); i > 0 {
		return all[i-1]
	}
	return 0
}
