package sessions

import (
	"iter"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Recall reads the events so far of a log that goes on, as far as servers' reports are about them: what they said need
// not be said again. It comes before everything else.
func (rep *Reporter) Recall(log iter.Seq[event.Event]) {
	sessions := map[event.Actor]int64{}
	for e := range log {
		rep.Append(e)
		rep.recall(e, sessions)
	}
	for _, s := range rep.known {
		s.place, s.silent = s.shown.place, s.shown.silent
	}
}

// recall takes what an earlier Reporter has said. sessions are those of the log's clients.
func (rep *Reporter) recall(e event.Event, sessions map[event.Actor]int64) {
	switch e.Kind {
	case event.SessionCreated, event.SessionSeen:
		sessions[e.Peer] = e.Session
	case event.SessionLocated:
		if s := rep.known[e.Session]; s != nil {
			s.timeout = time.Duration(e.N)
		}
	case event.RecipeNote:
		if e.Reason == event.LeftUnasked || e.Reason == event.LeftWords {
			rep.trouble[e.Text] = true
		}
	case event.WatchSet:
		if rep.armed[e.Path] == nil {
			rep.armed[e.Path] = map[int64]event.Watch{}
		}
		rep.armed[e.Path][sessions[e.Peer]] = e.Watch
	case event.WatchRemoved:
		gone := Watch{sessions[e.Peer], e.Path}
		if e.Cause == 0 {
			delete(rep.armed[gone.Path], gone.Session)
		}
		rep.consumed = slices.DeleteFunc(rep.consumed, func(c consumedWatch) bool { return c.watch == gone })
	}
}
