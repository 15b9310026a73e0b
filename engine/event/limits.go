package event

import (
	"fmt"
	"time"
)

// What a decoder accepts. Hosts stay well below.
const (
	MaxRules   = 100 // rules that judge a log
	MaxSystems = 100
	MaxPath    = 1 << 20 // bytes, as much as ZooKeeper's own limit on a request
	// MaxTime is the latest time of an event in a trace file, a hundred years. Sums with it still fit a time.Duration.
	MaxTime = 100 * 365 * 24 * time.Hour
)

// Valid returns an error if e can't be a record of a log. It protects every reader of logs from events that no host
// writes.
func (e Event) Valid() error {
	switch {
	case !e.Kind.Valid():
		return fmt.Errorf("event %d: unknown kind %d", e.Seq, uint8(e.Kind))
	case e.Op >= ops:
		return fmt.Errorf("event %d: unknown operation %d", e.Seq, uint8(e.Op))
	case e.Watch >= watches:
		return fmt.Errorf("event %d: unknown watch table %d", e.Seq, uint8(e.Watch))
	case e.Seq == 0:
		return fmt.Errorf("event %d: sequence numbers start at 1", e.Seq)
	case e.Cause >= e.Seq:
		return fmt.Errorf("event %d: its cause, event %d, must come before it", e.Seq, e.Cause)
	case e.At < 0:
		return fmt.Errorf("event %d: it is %v before the start of the run", e.Seq, -e.At)
	case e.Reason >= reasons:
		return fmt.Errorf("event %d: unknown reason %d", e.Seq, uint8(e.Reason))
	case !e.Actor.known() || !e.Peer.known():
		return fmt.Errorf("event %d: client numbers must be between 1 and %d", e.Seq, MaxActor)
	case len(e.Path) > MaxPath:
		return fmt.Errorf("event %d: its path has %d bytes, more than %d", e.Seq, len(e.Path), MaxPath)
	case len(e.Text) > MaxText:
		return fmt.Errorf("event %d: its text has %d bytes, more than %d", e.Seq, len(e.Text), MaxText)
	}
	return nil
}
