package event

import (
	"context"
	"errors"
)

// EndOf returns the event that closes a log after err.
func EndOf(err error) Event {
	e := Event{Kind: RunEnded, Reason: EndFailed}
	switch {
	case errors.Is(err, ErrLogFull):
		e.Reason = EndEvents
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Reason = EndCancelled
	default:
		e.Text = Preview([]byte(err.Error()))
	}
	return e
}
