package view

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// filmIndex finds events of a Film that would else have to be looked for all through it. It follows the Film when
// something is asked of it, so who asks for nothing pays nothing. A fork makes its own.
type filmIndex struct {
	upTo     int // events of the Film that it knows
	sessions map[int64]event.Seq
	reports  map[event.Actor][]event.Seq
}

func (f *Film) indexed() *filmIndex {
	x := &f.index
	if x.sessions == nil {
		x.sessions, x.reports = make(map[int64]event.Seq), make(map[event.Actor][]event.Seq)
	}
	for ; x.upTo < f.len; x.upTo++ {
		switch e := &f.chunks[x.upTo/chunkLen][x.upTo%chunkLen]; e.Kind {
		case event.SessionCreated, event.ConnOpened:
			if _, known := x.sessions[e.Session]; !known && e.N > 0 {
				x.sessions[e.Session] = e.Seq
			}
		case event.RecipePhase:
			x.reports[e.Actor] = append(x.reports[e.Actor], e.Seq)
		}
	}
	return x
}

// Timeout is what was negotiated for a session, as far as was said before the event seq; 0 if nothing was.
func (f *Film) Timeout(session int64, seq event.Seq) time.Duration {
	if at, ok := f.indexed().sessions[session]; ok && at < seq {
		e, _ := f.Lookup(at)
		return time.Duration(e.N)
	}
	return 0
}

// LastReport is the last RecipePhase of a client at or before the event seq, 0 if there is none.
func (f *Film) LastReport(who event.Actor, seq event.Seq) event.Seq {
	all := f.indexed().reports[who]
	if i := sort.Search(len(all), func(i int) bool { return all[i] > seq }); i > 0 {
		return all[i-1]
	}
	return 0
}
