package challenge

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
)

// shows bounds how long after a client got what it came for the damage may show.
const shows = 5 * time.Second

// Consequence returns the event at which people see what came of a break at event at: a second client that is inside
// harms nobody until it prints. It never comes before the last fault struck. False means that it may come after what
// the log has so far.
func Consequence(log Log, at event.Seq, last fault.Fault) (event.Seq, bool) {
	at = max(at, struck(log, last))
	if at < 1 || int(at) > log.Len() {
		return at, false
	}
	e := log.Event(int(at) - 1)
	if e.Kind != event.RecipePhase || !program.Phase(e.Text).Gets() {
		return at, true
	}
	for i := int(at); i < log.Len(); i++ {
		next := log.Event(i)
		switch {
		case next.Kind == event.RunEnded, next.At > e.At+shows:
			return at, true
		case next.Actor != e.Actor:
		case next.Kind == event.StoreWritten, next.Kind == event.StoreRefused:
			return next.Seq, true
		case next.Kind == event.RecipePhase, next.Kind == event.ClientCrashed, next.Kind == event.ClientExited:
			return at, true
		}
	}
	return at, false
}

// Relief returns the event at which people see that a promise was kept: what the first client does that gets what it
// came for after the last fault. False means that nobody did.
func Relief(log Log, last fault.Fault) (event.Seq, bool) {
	from := struck(log, last)
	if from < 1 {
		return 0, false
	}
	_, got := NextIn(log, from)
	if got == 0 {
		return 0, false
	}
	seq, _ := Consequence(log, got, last)
	return seq, true
}

// NextIn returns the first client that gets what it came for after the event at, and the event at which it does; 0 if
// none does in the log.
func NextIn(log Log, at event.Seq) (event.Actor, event.Seq) {
	for i := int(at); i < log.Len(); i++ {
		if e := log.Event(i); e.Kind == event.RecipePhase && program.Phase(e.Text).Gets() {
			return e.Actor, e.Seq
		}
	}
	return 0, 0
}

// struck returns the last event by which the fault struck, 0 if it didn't. It begins to look at the fault's own time,
// since it is asked for each frame, and a log may be long.
func struck(log Log, f fault.Fault) event.Seq {
	if f.Kind == 0 {
		return 0
	}
	text := f.String()
	from := sort.Search(log.Len(), func(i int) bool { return log.Event(i).At >= f.At })
	for i := from; i < log.Len(); i++ {
		e := log.Event(i)
		if e.Kind != event.FaultInjected || e.Text != text {
			continue
		}
		by := e.Seq
		for i++; i < log.Len() && log.Event(i).Cause == by && log.Event(i).At == e.At; i++ {
			e = log.Event(i)
		}
		return e.Seq
	}
	return 0
}
