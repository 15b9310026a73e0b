package lessons

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// index answers the measures' questions to a log: by kind, by phase and by znode. It is built once for each log.
type index struct {
	events []event.Event
	kinds  map[event.Kind][]int
	said   map[program.Phase][]int // by phase, the reports
	made   map[string]int          // by path, the first time that such a znode was created
	told   map[event.Seq][]int     // by what made watches fire, the resulting WatchDelivered
}

func indexOf(events []event.Event) *index {
	x := &index{
		events: events, kinds: map[event.Kind][]int{}, said: map[program.Phase][]int{},
		made: map[string]int{}, told: map[event.Seq][]int{},
	}
	for i, e := range events {
		x.kinds[e.Kind] = append(x.kinds[e.Kind], i)
		switch e.Kind {
		case event.RecipePhase:
			x.said[program.Phase(e.Text)] = append(x.said[program.Phase(e.Text)], i)
		case event.ZnodeCreated:
			if _, old := x.made[e.Path]; !old {
				x.made[e.Path] = i
			}
		case event.WatchDelivered:
			if e.Cause > 0 {
				why := events[e.Cause-1].Cause
				x.told[why] = append(x.told[why], i)
			}
		}
	}
	return x
}

// about returns the client that an event is about, or ZooKeeper: what ZooKeeper or a node does is about the client
// for which it does it.
func about(e event.Event) event.Actor {
	if e.Actor == event.ZooKeeper || e.Actor.Kind() == event.ANode {
		return e.Peer
	}
	return e.Actor
}

// nowhere is the place of what is not in a log.
const nowhere = -1

// at returns the event at a place, the zero event for nowhere.
func (x *index) at(i int) event.Event {
	if i == nowhere {
		return event.Event{}
	}
	return x.events[i]
}

// maker returns the client that first created a znode of that path, or ZooKeeper.
func (x *index) maker(path string) event.Actor { return x.creation(path).Peer }

// creation returns the first creation of a znode of that path, the zero event if there is none.
func (x *index) creation(path string) event.Event {
	i, ok := x.made[path]
	if !ok {
		return event.Event{}
	}
	return x.events[i]
}

// places are places in a log, in order, which a measure narrows down.
type places struct {
	x  *index
	in []int
}

// of returns the events of these kinds.
func (x *index) of(kinds ...event.Kind) places {
	var in []int
	for _, k := range kinds {
		in = append(in, x.kinds[k]...)
	}
	slices.Sort(in)
	return places{x, in}
}

// reports returns the reports of a phase.
func (x *index) reports(p program.Phase) places { return places{x, x.said[p]} }

// gotIn returns the clients' reports that they got what they came for.
func (x *index) gotIn() places {
	return x.of(event.RecipePhase).where(func(e event.Event) bool { return program.Phase(e.Text).Gets() })
}

// where keeps those that ok accepts.
func (p places) where(ok func(e event.Event) bool) places {
	var in []int
	for _, i := range p.in {
		if ok(p.x.events[i]) {
			in = append(in, i)
		}
	}
	return places{p.x, in}
}

// by keeps those about a client.
func (p places) by(client int) places {
	return p.where(func(e event.Event) bool { return int(about(e)) == client })
}

// op keeps those of an operation.
func (p places) op(op event.Op) places {
	return p.where(func(e event.Event) bool { return e.Op == op })
}

// named keeps those whose path ends in name.
func (p places) named(name string) places {
	return p.where(func(e event.Event) bool { return strings.HasSuffix(e.Path, name) })
}

// byClients leaves out those by the host, such as the set-up before anyone starts.
func (p places) byClients() places {
	return p.where(func(e event.Event) bool { return about(e) != event.ZooKeeper })
}

// after keeps those from a place on. Nothing comes after nowhere.
func (p places) after(i int) places {
	if i == nowhere {
		return places{x: p.x}
	}
	from, _ := slices.BinarySearch(p.in, i)
	return places{p.x, p.in[from:]}
}

// before keeps those before a place. Nothing comes before nowhere.
func (p places) before(i int) places {
	to, _ := slices.BinarySearch(p.in, i)
	return places{p.x, p.in[:to]}
}

func (p places) count() int { return len(p.in) }

// nth returns the n-th place, from 1, or nowhere.
func (p places) nth(n int) int {
	if n < 1 || n > len(p.in) {
		return nowhere
	}
	return p.in[n-1]
}

func (p places) first() int { return p.nth(1) }

func (p places) last() int { return p.nth(len(p.in)) }

// events returns the events at the places.
func (p places) events() []event.Event {
	out := make([]event.Event, len(p.in))
	for i, place := range p.in {
		out[i] = p.x.events[place]
	}
	return out
}

// repeated counts the things that more than one of the events is about.
func repeated[K comparable](p places, thing func(e event.Event) K) (n int) {
	times := map[K]int{}
	for _, e := range p.events() {
		if times[thing(e)]++; times[thing(e)] == 2 {
			n++
		}
	}
	return n
}
