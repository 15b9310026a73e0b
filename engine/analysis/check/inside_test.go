package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// TestWhoIsInside judges random logs by the rules about who may be inside or at work together, and by going through
// the whole log for each event: who broke a rule, when, and with whom.
func TestWhoIsInside(t *testing.T) {
	rules := []string{
		promise.TruthExclusion, promise.BeliefExclusion, promise.Capacity2, "capacity-1", promise.ReadersWriters,
		promise.OneWorker,
	}
	count := map[string]int{}
	for seed := range uint64(150) {
		events := randomStays(rand.New(rand.NewPCG(seed, 4)), 20+2*int(seed))
		var want []string
		for i, e := range events {
			if e.Kind != event.RecipePhase {
				continue
			}
			stays, dead := staysAfter(events[:i])
			for _, rule := range rules {
				for _, clients := range breaks(rule, stays, dead, e) {
					want = append(want, fmt.Sprint(e.Seq, rule, clients))
					count[rule]++
				}
			}
		}
		c := check.New(rules, event.Header{Host: "sim"})
		for _, e := range events {
			c.Append(e)
		}
		var got []string
		for _, v := range c.Report().Violations {
			got = append(got, fmt.Sprint(v.Seq, v.Rule, v.Clients))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\ngot  %v\nwant %v", seed, got, want)
		}
	}
	for _, rule := range rules {
		if count[rule] < 50 {
			t.Errorf("%s is broken only %d times", rule, count[rule])
		}
	}
}

// randomStays returns a log of five clients that come and go as they like.
func randomStays(r *rand.Rand, n int) []event.Event {
	var l log
	phases := []program.Phase{
		program.Holding, program.Holding, program.Leading, program.Reading, program.Reading, program.Writing,
		program.Released, program.Lost, program.Waiting,
		program.Began, program.Began,
		program.Began, program.Done, program.GaveUp,
	}
	for range n {
		a := event.Actor(r.IntN(5) + 1)
		path := fmt.Sprintf("/l/n-%d", r.IntN(3))
		switch r.IntN(14) {
		case 0:
			l.add(event.Event{Kind: event.SessionExpired + event.Kind(r.IntN(2)), Peer: a})
		case 1:
			l.add(event.Event{Kind: event.SessionCreated, Peer: a})
		case 2:
			l.add(event.Event{Kind: event.OpSent, Actor: a, Op: event.Get - event.Op(r.IntN(3)), Path: path})
		case 3:
			l.add(event.Event{Kind: event.ZnodeDeleted, Peer: event.Actor(r.IntN(6)), Path: path, Reason: event.ByOp})
		case 4:
			if r.IntN(8) == 0 {
				l.add(event.Event{Kind: event.ClientExited + event.Kind(r.IntN(2)), Actor: a})
			}
		default:
			e := event.Event{Kind: event.RecipePhase, Actor: a, Text: string(phases[r.IntN(len(phases))]), Path: path}
			if p := program.Phase(e.Text); r.IntN(6) == 0 && (p == program.Done || p == program.Released || p == program.Lost) {
				e.Path = ""
			}
			l.add(e)
		}
	}
	return l.events
}

// stay is a client's time inside, or at work on the task that is its path.
type stay struct {
	who    event.Actor
	path   string
	phase  program.Phase
	really bool // according to the server
}

// staysAfter returns those that believe they are inside, or at work, in the order of their reports.
func staysAfter(events []event.Event) (stays []stay, dead map[event.Actor]bool) {
	dead = map[event.Actor]bool{}
	drop := func(gone func(stay) bool) { stays = slices.DeleteFunc(stays, gone) }
	leaves := func(gone func(stay) bool) {
		for i := range stays {
			stays[i].really = stays[i].really && !gone(stays[i])
		}
	}
	atWork := func(s stay) bool { return s.phase == program.Began }
	for _, e := range events {
		switch e.Kind {
		case event.RecipePhase:
			p := program.Phase(e.Text)
			ends := p.Inside() || p == program.Released || p == program.Lost
			drop(func(s stay) bool { return ends && s.who == e.Actor && !atWork(s) })
			stops := p == program.Began || p == program.Done || p == program.Released || p == program.Lost || p == program.GaveUp
			drop(func(s stay) bool { return stops && s.who == e.Actor && atWork(s) && (e.Path == "" || s.path == e.Path) })
			if p.Inside() || p == program.Began && !dead[e.Actor] {
				stays = append(stays, stay{e.Actor, e.Path, p, !dead[e.Actor]})
			}
		case event.OpSent:
			drop(func(s stay) bool { return e.Op == event.Delete && s.who == e.Actor && s.path == e.Path && !atWork(s) })
		case event.ClientExited, event.ClientCrashed:
			drop(func(s stay) bool { return s.who == e.Actor })
		case event.SessionExpired, event.SessionClosed:
			dead[e.Peer] = true
			drop(func(s stay) bool { return s.who == e.Peer && atWork(s) })
			leaves(func(s stay) bool { return s.who == e.Peer })
		case event.SessionCreated:
			dead[e.Peer] = false
		case event.ZnodeDeleted:
			leaves(func(s stay) bool {
				return s.path == e.Path && (e.Peer == event.ZooKeeper || s.who == e.Peer) && !atWork(s)
			})
		}
	}
	return stays, dead
}

// breaks returns the lists of clients for which the report of a phase breaks the rule.
func breaks(rule string, stays []stay, dead map[event.Actor]bool, e event.Event) (lists [][]event.Actor) {
	now := program.Phase(e.Text)
	var company []event.Actor
	meets := func(with func(stay) bool) {
		for _, s := range stays {
			if s.who != e.Actor && with(s) {
				company = append(company, s.who)
			}
		}
	}
	shares := func(p program.Phase) bool { return p == program.Reading || p == program.Writing }
	holds := func(p program.Phase) bool { return p == program.Holding || p == program.Leading }
	together := func(most int) [][]event.Actor {
		if len(company) < most {
			return nil
		}
		return [][]event.Actor{append([]event.Actor{e.Actor}, company...)}
	}
	one := func() (pairs [][]event.Actor) {
		for _, other := range company {
			pairs = append(pairs, []event.Actor{e.Actor, other})
		}
		return pairs
	}
	switch {
	case rule == promise.BeliefExclusion && holds(now):
		meets(func(s stay) bool { return holds(s.phase) })
		return together(1)
	case dead[e.Actor]:
	case rule == promise.OneWorker && now == program.Began:
		meets(func(s stay) bool { return s.phase == program.Began && s.path == e.Path })
		return one()
	case rule == promise.ReadersWriters && shares(now):
		meets(func(s stay) bool {
			return s.really && (s.phase == program.Writing || now == program.Writing && shares(s.phase))
		})
		return one()
	case holds(now):
		meets(func(s stay) bool { return holds(s.phase) && s.really })
		switch rule {
		case promise.TruthExclusion, "capacity-1":
			return together(1)
		case promise.Capacity2:
			return together(2)
		}
	}
	return nil
}
