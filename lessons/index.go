package lessons

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
)

// index is a log as measures ask for it: by kind, by phase and by znode. It is built once for a log.
type index struct {
	events []event.Event
	kinds  map[event.Kind][]int
	said   map[program.Phase][]int // the reports of a phase
	made   map[string]int          // by path: the first time that such a znode was created
	told   map[event.Seq][]int     // by what made watches fire: the WatchDelivered that came of it
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

// about is the client that an event is about, or ZooKeeper: what ZooKeeper did, or a node of another system, is about
// the client it did it for.
func about(e event.Event) event.Actor {
	if e.Actor == event.ZooKeeper || e.Actor.Kind() == event.ANode {
		return e.Peer
	}
	return e.Actor
}

// nowhere is the place of what is not in a log.
const nowhere = -1

// at is the event at a place, the zero event nowhere.
func (x *index) at(i int) event.Event {
	if i == nowhere {
		return event.Event{}
	}
	return x.events[i]
}

// maker is the client that first created a znode of that path, or ZooKeeper.
func (x *index) maker(path string) event.Actor { return x.creation(path).Peer }

// creation is the first creation of a znode of that path, the zero event if there is none.
func (x *index) creation(path string) event.Event {
	i, ok := x.made[path]
	if !ok {
		return event.Event{}
	}
	return x.events[i]
}

// places are places in a log, in order, that are narrowed down to those that a measure is about.
type places struct {
	x  *index
	in []int
}

// of are the events of these kinds.
func (x *index) of(kinds ...event.Kind) places {
	var in []int
	for _, k := range kinds {
		in = append(in, x.kinds[k]...)
	}
	slices.Sort(in)
	return places{x, in}
}

// reports are the reports of a phase.
func (x *index) reports(p program.Phase) places { return places{x, x.said[p]} }

// gotIn are the reports of clients that they have got what they came for.
func (x *index) gotIn() places {
	return x.of(event.RecipePhase).where(func(e event.Event) bool { return program.Phase(e.Text).Gets() })
}

// where are those that ok accepts.
func (p places) where(ok func(e event.Event) bool) places {
	var in []int
	for _, i := range p.in {
		if ok(p.x.events[i]) {
			in = append(in, i)
		}
	}
	return places{p.x, in}
}

// by are those that are about a client.
func (p places) by(client int) places {
	return p.where(func(e event.Event) bool { return int(about(e)) == client })
}

// op are those of an operation.
func (p places) op(op event.Op) places {
	return p.where(func(e event.Event) bool { return e.Op == op })
}

// named are those whose path ends in name.
func (p places) named(name string) places {
	return p.where(func(e event.Event) bool { return strings.HasSuffix(e.Path, name) })
}

// byClients are those that no host did, such as the set-up before anyone starts.
func (p places) byClients() places {
	return p.where(func(e event.Event) bool { return about(e) != event.ZooKeeper })
}

// after are those from a place on. Nothing comes after nowhere.
func (p places) after(i int) places {
	if i == nowhere {
		return places{x: p.x}
	}
	from, _ := slices.BinarySearch(p.in, i)
	return places{p.x, p.in[from:]}
}

// before are those before a place. Nothing comes before nowhere.
func (p places) before(i int) places {
	to, _ := slices.BinarySearch(p.in, i)
	return places{p.x, p.in[:to]}
}

func (p places) count() int { return len(p.in) }

// nth is the n-th place, from 1, or nowhere.
func (p places) nth(n int) int {
	if n < 1 || n > len(p.in) {
		return nowhere
	}
	return p.in[n-1]
}

func (p places) first() int { return p.nth(1) }

func (p places) last() int { return p.nth(len(p.in)) }

// events are the events at the places.
func (p places) events() []event.Event {
	out := make([]event.Event, len(p.in))
	for i, place := range p.in {
		out[i] = p.x.events[place]
	}
	return out
}

// repeated is how many of the things that the events are about come more than once.
func repeated[K comparable](p places, thing func(e event.Event) K) (n int) {
	times := map[K]int{}
	for _, e := range p.events() {
		if times[thing(e)]++; times[thing(e)] == 2 {
			n++
		}
	}
	return n
}
