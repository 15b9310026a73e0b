package view

import "time"

// clear drops what ended more than Keep ago, once enough has gathered to make it worthwhile. What it drops depends
// on the events alone, never on when somebody looked.
func (s *State) clear() {
	most := MaxOver + len(s.Clients)
	if s.Tree.gone > s.Tree.full {
		s.Tree.clear(s.At, most)
	}
	if s.Remotes.over > s.Remotes.full {
		s.Remotes.clear(s.At, most)
	}
	if len(s.Watches.List) > s.Watches.full {
		s.Watches.clear(s.Clients, s.At, most)
	}
	if len(s.Flights.List) > s.Flights.full {
		s.Flights.clear(s.At, most)
	}
}

// dropEnded drops what ended more than Keep before now. Of what ended since, it leaves the last items of the list, as
// many as most says.
func dropEnded[T any](list *[]T, now time.Duration, most int, ended func(*T) (time.Duration, bool)) {
	surplus := -most
	for i := range *list {
		if at, is := ended(&(*list)[i]); is && now-at <= Keep {
			surplus++
		}
	}
	kept := (*list)[:0]
	for i := range *list {
		x := &(*list)[i]
		at, is := ended(x)
		recent := now-at <= Keep
		if is && recent && surplus > 0 {
			surplus--
			recent = false
		}
		if !is || recent {
			kept = append(kept, *x)
		}
	}
	clear((*list)[len(kept):])
	*list = kept
}
