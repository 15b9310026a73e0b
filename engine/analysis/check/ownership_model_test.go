package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// TestOwnershipByGoingBack judges random logs of nodes also by searching the whole log for each client that enters.
func TestOwnershipByGoingBack(t *testing.T) {
	broken, outOfTime := 0, 0
	for seed := range uint64(800) {
		chance := rand.New(rand.NewPCG(seed, 11))
		s := event.System{Kind: event.RedisSystem, Servers: 1 + chance.IntN(3), Apart: chance.IntN(2) == 0}
		log := randomOwnership(chance, s.Servers, 15+chance.IntN(60))
		var want, got []string
		inside := map[event.Actor]holding{}
		for i, e := range log {
			if e.Kind != event.RecipePhase {
				continue
			}
			if !program.Phase(e.Text).Inside() {
				delete(inside, e.Actor)
				continue
			}
			delete(inside, e.Actor)
			mine := holding{path: e.Path, from: i}
			mine.lock = owns(log[:i], s, e.Actor, e.Path, true, e.At)
			if mine.lock || owns(log[:i], s, e.Actor, e.Path, false, e.At) {
				others := 0
				for a, o := range inside {
					switch {
					case stays(log, s, a, o, i):
						others++
					case owns(log[:i], s, a, o.path, o.lock, o.at(log)):
						outOfTime++
					}
				}
				if others > 0 {
					want = append(want, fmt.Sprint(e.Seq))
					broken++
				}
				inside[e.Actor] = mine
			}
		}
		c := check.New([]string{promise.TruthExclusion}, event.Header{Host: "sim", Systems: []event.System{s}})
		for _, e := range log {
			c.Append(e)
		}
		for _, v := range c.Report().Violations {
			got = append(got, fmt.Sprint(v.Seq))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, %+v: broken at %v, want %v", seed, s, got, want)
		}
	}
	if broken < 300 || outOfTime < 40 {
		t.Errorf("broken %d times, and %d times nobody was inside any more only because time had passed", broken, outOfTime)
	}
}

// holding records how a client came in.
type holding struct {
	path string
	lock bool
	from int // its place in the log
}

func (s holding) at(log []event.Event) time.Duration { return log[s.from].At }

// stays reports whether the client owned the path, according to the system, from when it came in to event i.
func stays(log []event.Event, s event.System, a event.Actor, in holding, i int) bool {
	for j := in.from; j < i; j++ {
		for at := log[j].At; at <= log[j+1].At; at += time.Millisecond {
			if !owns(log[:j+1], s, a, in.path, in.lock, at) {
				return false
			}
		}
	}
	return true
}

// owns reports whether a client owns a path at a time, by going through what happened at each node.
func owns(log []event.Event, s event.System, a event.Actor, path string, lock bool, now time.Duration) bool {
	primary, says := event.Node(1), 0
	for _, e := range log {
		if e.Kind == event.RolePlayed && e.Text == event.RolePrimary {
			primary = e.Actor
		}
	}
	for n := 1; n <= s.Servers; n++ {
		if says1 := ownsAt(log, event.Node(n), a, path, lock, now); says1 && (s.Apart || event.Node(n) == primary) {
			says++
		}
	}
	return s.Apart && says > s.Servers/2 || !s.Apart && says > 0
}

func ownsAt(log []event.Event, node, a event.Actor, path string, lock bool, now time.Duration) bool {
	locked, mine, robbed, data := false, false, false, false
	var ends, ahead time.Duration
	for _, e := range log {
		if e.Actor != node || e.Kind != event.ClockJumped && e.Path != path {
			continue
		}
		switch e.Kind {
		case event.ClockJumped:
			ahead += time.Duration(e.N)
		case event.LockTaken:
			locked = locked || e.Peer == a
			data = data || e.Peer == a && (mine || robbed)
		case event.LockFreed:
			locked = locked && e.Peer != a
		case event.EntrySet:
			data = data && (mine || e.Peer != a)
			if mine = e.Peer == a; mine {
				robbed, ends = false, time.Duration(e.N)
			}
		case event.EntryExpires:
			if mine {
				ends = time.Duration(e.N)
			}
		case event.EntryGone:
			robbed = robbed || mine && e.Peer != a && e.Peer != 0
			mine = false
		}
	}
	if lock {
		return locked
	}
	return (mine || robbed) && !data && (ends == 0 || now+ahead <= ends)
}

// randomOwnership returns a log of three clients, two paths and some nodes, with times in whole milliseconds.
func randomOwnership(chance *rand.Rand, nodes, n int) (log []event.Event) {
	at := time.Duration(0)
	for i := range n {
		at += time.Duration(chance.IntN(3)) * time.Millisecond
		who := event.Actor(1 + chance.IntN(3))
		path := []string{"/r/lock", "/r/other"}[chance.IntN(2)]
		e := event.Event{Actor: event.Node(1 + chance.IntN(nodes)), Peer: who, Path: path}
		switch chance.IntN(12) {
		case 0, 1, 2:
			e.Kind = event.EntrySet
			if chance.IntN(2) == 0 {
				e.N = int64(at + time.Duration(1+chance.IntN(12))*time.Millisecond)
			}
		case 3:
			e.Kind, e.N = event.EntryExpires, int64(at+time.Duration(1+chance.IntN(12))*time.Millisecond)
		case 4:
			e.Kind, e.Reason, e.Peer = event.EntryGone, event.ByOp, event.Actor(chance.IntN(4))
		case 5:
			e.Kind = event.LockTaken
		case 6:
			e.Kind = event.LockFreed
		case 7:
			e = event.Event{Kind: event.ClockJumped, Actor: e.Actor,
				N: int64(time.Duration(chance.IntN(9)-3) * time.Millisecond)}
		case 8:
			e = event.Event{Kind: event.RolePlayed, Actor: e.Actor, Text: event.RolePrimary}
		default:
			e = reports(who, program.Holding, path)
			if chance.IntN(4) == 0 {
				e = reports(who, program.Released, path)
			}
		}
		e.Seq, e.At = event.Seq(i+1), at
		log = append(log, e)
	}
	return log
}
