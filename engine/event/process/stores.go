package process

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Stores holds the stores outside ZooKeeper and the greatest fencing number that each has seen. Its zero value is
// empty.
type Stores struct{ seen map[string]int64 }

// Take lets a store accept a write, or refuse it because of its fencing number. It returns the kind of event for that.
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
