package process

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
)

// Stores are what lies outside of ZooKeeper: each remembers the greatest fencing number that it has seen. The zero
// value has none.
type Stores struct{ seen map[string]int64 }

// Take has a store take a write, or refuse it for its fencing number, and returns the kind of event that says so.
func (s *Stores) Take(store string, fence int64) (event.Kind, error) {
	if fence > 0 && fence < s.seen[store] {
		return event.StoreRefused, program.ErrFenced
	}
	if s.seen == nil {
		s.seen = make(map[string]int64)
	}
	s.seen[store] = max(s.seen[store], fence)
	return event.StoreWritten, nil
}
