package player_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// where returns everything that a reader sees of a player's place.
func where(p *player.Player) string {
	return fmt.Sprint(p.Head.At(), " event ", p.Head.Seq(), " step ", p.Step().Anchor, " playing ", p.Head.Playing())
}

// TestFollow checks that one player stands where another one does, or plays the same from there, wherever it was.
func TestFollow(t *testing.T) {
	for _, does := range [][][2]string{
		{{"start", ""}}, {{"seek", "1750"}}, {{"goto-event", "33"}}, {{"end", ""}}, {{"next-release", ""}},
		{{"goto-step", "b"}}, {{"goto-step", "c"}}, {{"goto-step", "loop"}}, {{"goto-step", "loop"}, {"play-pause", ""}},
		{{"goto-step", "loop"}, {"event-back", ""}}, {{"tell-step", "a"}}, {{"tell-step", "b"}},
		{{"goto-step", "a"}, {"step", ""}}, {{"tell-step", "b"}, {"play-pause", ""}},
		{{"tell-step", "loop"}}, {{"start", ""}, {"play-pause", ""}}, {{"goto-step", "a"}, {"play-pause", ""}},
	} {
		for _, was := range [][2]string{
			{"start", ""}, {"goto-step", "b"}, {"tell-step", "b"}, {"end", ""}, {"play-pause", ""},
		} {
			one, two := looped(t), looped(t)
			for _, do := range does {
				one.Do(do[0], do[1])
			}
			two.Do(was[0], was[1])
			two.Follow(one.Place())
			if got, want := where(two), where(one); got != want {
				t.Errorf("after %v, from %v: %s, want %s", does, was, got, want)
			}
			version := two.Version()
			if two.Follow(one.Place()); two.Version() != version {
				t.Errorf("after %v, from %v: it moves again though it is there", does, was)
			}
			for range 150 {
				one.Tick(20 * ms)
				two.Tick(20 * ms)
			}
			rested := one.Step().Anchor == "loop" && one.Head.Playing() // how long it had doesn't count
			if got, want := where(two), where(one); got != want && !rested {
				t.Errorf("3 s after %v, from %v: %s, want %s", does, was, got, want)
			}
		}
	}
}

// TestFollowLate checks that a player that hears of the other one late plays with it from then on, and that it only
// jumps when it's off by more than can be seen.
func TestFollowLate(t *testing.T) {
	const near = 300 * ms
	alone := player.Run{Header: event.Header{Host: "sim"}} // no lesson
	for _, late := range []time.Duration{100 * ms, 299 * ms, 301 * ms, 2 * second} {
		one, two := quietRun(t, alone), quietRun(t, alone)
		for _, p := range []*player.Player{one, two} {
			p.Do("seek", "1000")
			if !p.Head.Playing() {
				p.Do("play-pause", "")
			}
		}
		for left := late; left > 0; left -= 20 * ms {
			one.Tick(min(left, 20*ms))
		}
		version := two.Version()
		two.Follow(one.Place())
		if jumped := two.Version() != version; jumped != (late > near) {
			t.Errorf("%s late: it jumps: %v", late, jumped)
		}
		if off := one.Head.At() - two.Head.At(); off < 0 || off >= near || !two.Head.Playing() {
			t.Errorf("%s late: it is off by %s", late, off)
		}
	}
}

// TestFollowStill checks that with reduced motion a step that is played elsewhere stands at its end.
func TestFollowStill(t *testing.T) {
	for _, step := range []string{"b", "loop"} {
		one, two := looped(t), looped(t)
		two.Do("motion", "reduced")
		two.Do("start", "")
		one.Do("tell-step", step)
		end := looped(t)
		end.Do("motion", "reduced")
		end.Do("goto-step", step)
		two.Follow(one.Place())
		version := two.Version()
		for range 3 {
			one.Tick(20 * ms)
			if two.Follow(one.Place()); where(two) != where(end) || two.Version() != version {
				t.Errorf("%s: %s, want %s", step, where(two), where(end))
			}
		}
	}
}

// TestFollowAtOnce checks that a player stands at the same one of several events at once, and before all those at the
// start.
func TestFollowAtOnce(t *testing.T) {
	open := func() *player.Player {
		p := player.New()
		p.Open(player.Run{ID: "r", Header: event.Header{Host: "sim"}})
		must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 6, Ended: true}, nil))
		for i, at := range []time.Duration{0, 0, second, second, second, 2 * second} {
			e := event.Event{Seq: event.Seq(i + 1), At: at, Actor: 1, Kind: event.RecipeNote, Text: "x"}
			must(t, p.Append(0, []event.Event{e}))
		}
		return p
	}
	one, two := open(), open()
	for _, do := range [][2]string{
		{"start", ""}, {"goto-event", "1"}, {"goto-event", "2"}, {"goto-event", "4"}, {"goto-event", "3"},
		{"seek", "1000"}, {"goto-event", "4"}, {"start", ""},
	} {
		one.Do(do[0], do[1])
		if two.Follow(one.Place()); where(two) != where(one) {
			t.Errorf("after %v: %s, want %s", do, where(two), where(one))
		}
	}
}

// TestFollowBeforeTheEvents checks that a player goes to a place once its events have arrived.
func TestFollowBeforeTheEvents(t *testing.T) {
	one := lesson(t)
	for _, do := range [][2]string{{"goto-event", "33"}, {"goto-step", "c"}, {"tell-step", "d"}} {
		one.Do(do[0], do[1])
		one.Tick(ms)
		two := player.New()
		two.Open(player.Run{ID: "r1", Header: event.Header{Host: "sim"}, Lesson: true})
		two.Follow(one.Place()) // before there is anything
		must(t, two.PutBranch(player.Branch{Parent: -1, From: 1, Events: 50, Ended: true}, nil))
		two.PutSteps(steps)
		must(t, two.Append(0, notes(1, 12)))
		two.Follow(one.Place())
		must(t, two.Append(0, notes(13, 38)))
		two.Follow(one.Place())
		if got, want := where(two), where(one); got != want {
			t.Errorf("%v: %s, want %s", do, got, want)
		}
	}
}

// TestFollowAnything checks that a player is where another one is, whatever a reader does there, and stays near it.
func TestFollowAnything(t *testing.T) {
	all := [][2]string{{"step", ""}, {"step-back", ""}, {"play-pause", ""}, {"seek", "2100"}, {"event", ""},
		{"event-back", ""}, {"goto-step", "a"}, {"goto-step", "loop"}, {"tell-step", "b"}, {"start", ""},
		{"end", ""}, {"goto-event", "12"}}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		one, two := looped(t), looped(t)
		var done [][2]string
		for range 12 {
			do := all[r.IntN(len(all))]
			done = append(done, do)
			one.Do(do[0], do[1])
			for range r.IntN(100) {
				one.Tick(20 * ms)
			}
			two.Follow(one.Place())
			off := one.Head.At() - two.Head.At()
			if one.Head.Playing() != two.Head.Playing() || off.Abs() >= 300*ms || one.Step().Anchor != two.Step().Anchor ||
				!one.Head.Playing() && where(one) != where(two) {
				t.Fatalf("seed %d: after %v: %s, want %s", seed, done, where(two), where(one))
			}
			for range r.IntN(20) {
				one.Tick(20 * ms)
				two.Tick(20 * ms)
			}
		}
	}
}
