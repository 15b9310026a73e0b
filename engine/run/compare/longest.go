package compare

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// longest is a Sink that measures the longest wait of a client, by its own reports: from its report of waiting to
// its next report, or to the end of the run.
type longest struct {
	since map[event.Actor]time.Duration // the waiting clients
	wait  time.Duration
}

// Append adds the next event.
func (l *longest) Append(e event.Event) {
	switch e.Kind {
	case event.RecipePhase:
		waits := program.Phase(e.Text) == program.Waiting
		since, waited := l.since[e.Actor]
		switch {
		case waits && !waited:
			l.since[e.Actor] = e.At
		case !waits && waited:
			l.wait = max(l.wait, e.At-since)
			delete(l.since, e.Actor)
		}
	case event.ClientExited, event.ClientCrashed:
		delete(l.since, e.Actor)
	case event.RunEnded:
		for _, since := range l.since {
			l.wait = max(l.wait, e.At-since)
		}
	}
}
