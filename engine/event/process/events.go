// Package process is the part of a program's run that all hosts share: what its process waits for and whether the
// others have to wait for it, its reports as events, the stores that check fencing numbers, and the recipe's line
// that a call comes from.
//
// It has no connection, clock or goroutine, and isn't safe for concurrent use.
package process

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Slowness is the factor by which messages take longer while their client is delayed.
const Slowness = 10

// Exited returns the event for a process's end, with the error that it returned or nil.
func Exited(err error) event.Event {
	text := ""
	if err != nil {
		text = event.Preview([]byte(err.Error()))
	}
	return event.Event{Kind: event.ClientExited, Text: text, Code: int32(zoo.CodeOf(err))}
}

// Phase returns the event for a client's report of what it believes.
func Phase(p program.Phase, about program.Subject) event.Event {
	return event.Event{Kind: event.RecipePhase, Text: string(p), Path: about.Path, N: about.Fence,
		Code: int32(about.Times)}
}

// Note returns the event for a client's note.
func Note(text string) event.Event {
	return event.Event{Kind: event.RecipeNote, Text: event.Preview([]byte(text))}
}

// Refused returns the event for a refused attempt, which the client repeats in d.
func Refused(d time.Duration) event.Event { return event.Event{Kind: event.TryFailed, N: int64(d)} }
