package inquiry

import (
	"context"
	"time"
)

// Turn lets one caller at a time ask the servers, who then asks for all.
type Turn chan struct{}

// NewTurn returns a Turn that nobody has.
func NewTurn() Turn { return make(Turn, 1) }

// Take waits for the turn until ctx ends.
func (t Turn) Take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Give ends the turn.
func (t Turn) Give() { <-t }

// Wait waits for the turn until asking is due, and returns true with the turn taken. It returns false as soon as
// enough says that the last answers will do. due returns when asking is next due. The error is ctx's.
func (t Turn) Wait(ctx context.Context, due func() time.Time, enough func() bool) (bool, error) {
	for {
		if err := t.Take(ctx); err != nil {
			return false, err
		}
		wait := time.Until(due())
		if wait <= 0 {
			return true, nil
		}
		t.Give() // so that the servers can be asked about other things meanwhile
		if enough() {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}
