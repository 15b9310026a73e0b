package process

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Slowness is how much longer a message takes while its client is delayed.
const Slowness = 10

// Exited is the end of a process, with the error that it returned or nil.
func Exited(err error) event.Event {
	text := ""
	if err != nil {
		text = event.Preview([]byte(err.Error()))
	}
	return event.Event{Kind: event.ClientExited, Text: text, Code: int32(zoo.CodeOf(err))}
}

// Phase is what a client reports that it believes.
func Phase(p program.Phase, about program.Subject) event.Event {
	return event.Event{Kind: event.RecipePhase, Text: string(p), Path: about.Path, N: about.Fence,
		Code: int32(about.Times)}
}

// Note is what a client says.
func Note(text string) event.Event {
	return event.Event{Kind: event.RecipeNote, Text: event.Preview([]byte(text))}
}

// Refused is that a client's try was refused, and that it tries again in d.
func Refused(d time.Duration) event.Event { return event.Event{Kind: event.TryFailed, N: int64(d)} }
