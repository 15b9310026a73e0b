package view

import (
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// clear drops what ended more than Keep ago, once enough has gathered to make it worthwhile. What it drops depends
// on the events alone, never on when somebody looked.
func (s *State) clear() {
	if s.gone > s.fullGone {
		s.clearNodes()
		s.fullGone = s.gone + len(s.Nodes)/4
	}
	if s.far.over > s.far.full {
		s.clearFar()
	}
	if len(s.Watches) > s.fullWatches {
		s.clearWatches()
		s.fullWatches = len(s.Watches) + len(s.Watches)/4 + 8
	}
	if len(s.Flights) > s.fullFlights {
		s.clearFlights()
		s.fullFlights = len(s.Flights) + len(s.Flights)/4 + 8
	}
}

func (s *State) clearNodes() {
	s.Order()
	after := s.At - Keep
	if most := MaxOver + len(s.Clients); s.gone > most {
		var times []time.Duration
		for i := range s.Nodes {
			if s.Nodes[i].Gone {
				times = append(times, s.Nodes[i].GoneAt)
			}
		}
		sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
		after = max(after, times[len(times)-most])
	}
	s.Nodes = slices.DeleteFunc(s.Nodes, func(n Node) bool { return n.Gone && n.GoneAt < after })
	s.gone = 0
	for i := range s.Nodes {
		if s.Nodes[i].Gone {
			s.gone++
		}
	}
}

// clearWatches keeps every watch whose event is still to be delivered, however old. It relinks the clients' lists:
// standing watches in the order in which they were set, fired ones in the order in which they fired.
func (s *State) clearWatches() {
	stale := func(w *Watch) bool { return w.Over && !w.pending && s.At-w.OverAt > Keep }
	surplus := -MaxOver - len(s.Clients)
	for i := range s.Watches {
		if w := &s.Watches[i]; w.Over && !w.pending && !stale(w) {
			surplus++
		}
	}
	for i := range s.Watches {
		if c := s.Client(s.Watches[i].Client); c != nil {
			c.armed, c.fired = 0, 0
		}
	}
	s.index = nil
	var fired []int32
	kept := s.Watches[:0]
	for _, w := range s.Watches {
		drop := stale(&w)
		if !drop && w.Over && !w.pending && surplus > 0 {
			drop = true
			surplus--
		}
		if drop {
			continue
		}
		kept = append(kept, w)
		now := int32(len(kept))
		switch c := s.Client(w.Client); {
		case !w.Over:
			s.link(&c.armed, now)
		case w.pending:
			fired = append(fired, now)
		}
	}
	clear(s.Watches[len(kept):])
	s.Watches = kept
	s.relinkFired(fired)
}

// relinkFired puts fired watches into their clients' lists.
func (s *State) relinkFired(fired []int32) {
	sort.Slice(fired, func(i, j int) bool { return s.Watches[fired[i]-1].notice < s.Watches[fired[j]-1].notice })
	for _, i := range fired {
		s.link(&s.Client(s.Watches[i-1].Client).fired, i)
	}
}

// clearFlights also drops a message that must have arrived long ago, at a process that is paused or gone.
func (s *State) clearFlights() {
	over := func(f *Flight) (time.Duration, bool) {
		if !f.Over && f.Takes > 0 && f.To.Kind() != event.AServer {
			return f.Sent + f.Takes, s.At > f.Sent+f.Takes
		}
		return f.OverAt, f.Over
	}
	surplus := -MaxOver - len(s.Clients)
	for i := range s.Flights {
		if at, is := over(&s.Flights[i]); is && s.At-at <= Keep {
			surplus++
		}
	}
	s.Flights = slices.DeleteFunc(s.Flights, func(f Flight) bool {
		at, is := over(&f)
		if !is {
			return false
		}
		if s.At-at <= Keep && surplus <= 0 {
			return false
		}
		if s.At-at <= Keep {
			surplus--
		}
		return true
	})
}
