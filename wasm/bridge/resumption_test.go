package bridge

import (
	"fmt"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

const second = time.Second

// again returns a lesson of 50 events, one each tenth of a second, with two steps that end at the same place.
func again(t *testing.T, host event.Host) *player.Player {
	t.Helper()
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: event.Header{Host: host}, Lesson: true})
	putBranch(t, p, player.Branch{Parent: -1, From: 1, Events: 50, Ended: true})
	p.PutSteps([]player.Step{{Anchor: "a", Seq: 10, At: second}, {Anchor: "b", Seq: 20, At: 2 * second},
		{Anchor: "c", Seq: 20, At: 2 * second}})
	return p
}

// putBranch announces a branch and appends all of its events.
func putBranch(t *testing.T, p *player.Player, b player.Branch) {
	t.Helper()
	if err := p.PutBranch(b, nil); err != nil {
		t.Fatal(err)
	}
	var log []event.Event
	for seq := b.From; seq <= b.Events; seq++ {
		log = append(log, event.Event{Seq: seq, At: time.Duration(seq) * second / 10, Actor: 1, Kind: event.RecipeNote})
	}
	if err := p.Append(b.ID, log); err != nil {
		t.Fatal(err)
	}
}

// TestResumptionToTheSamePlace checks that a reopened run is shown on the same branch at the same event or time, once
// the faults that lead there have been repeated.
func TestResumptionToTheSamePlace(t *testing.T) {
	for name, goThere := range map[string]func(*player.Player){
		"an event":           func(p *player.Player) { p.Do("goto-event", "33") },
		"between two events": func(p *player.Player) { p.Do("seek", "1750") },
		"the start":          func(p *player.Player) { p.Do("start", "") },
	} {
		before, after := again(t, "sim"), again(t, "sim")
		other := player.Branch{ID: 1, From: 11, At: second, Fault: "expire client-2 at 1s", Events: 60, Ended: true}
		putBranch(t, before, other)
		branch := player.Branch{ID: 2, From: 21, At: 2 * second, Fault: "crash client-1 at 2s", Events: 60, Ended: true}
		putBranch(t, before, branch)
		before.Do("branch", "2")
		goThere(before)
		before.Select("client-1")
		c := ResumptionOf(before)
		want := []protocol.Request{{Do: protocol.Inject, Fault: branch.Fault}}
		if got := c.Faults(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: it asks for %+v, want %+v", name, got, want)
		}
		if c.Go(after) {
			t.Errorf("%s: it went back before its branch was there", name)
		}
		branch.ID = 1
		putBranch(t, after, branch)
		if !c.Go(after) {
			t.Fatalf("%s: there is no way back: %+v", name, c)
		}
		got := fmt.Sprint(after.Head.At(), after.Head.Seq(), after.Selected())
		if want := fmt.Sprint(before.Head.At(), before.Head.Seq(), before.Selected()); got != want {
			t.Errorf("%s: at %s, want %s", name, got, want)
		}
	}
}

// TestResumptionToWhatALinkNames checks that a link to a moment of a lesson names the faults that lead to its branch
// and no scenario, and that it opens at the same event once the last branch exists.
func TestResumptionToWhatALinkNames(t *testing.T) {
	branches := []player.Branch{{Parent: -1},
		{ID: 1, From: 11, At: second, Fault: "expire client-3 at 1s", Events: 60, Ended: true},
		{ID: 2, Parent: 0, From: 21, At: 2 * second, Fault: "crash client-1 at 2s", Events: 60, Ended: true},
		{ID: 3, Parent: 2, From: 31, At: 3 * second, Fault: "cut client-2 at 3s for 5s", Events: 70, Ended: true}}
	q, err := url.ParseQuery(Link("", branches, 3,
		link.Moment{Place: link.Place{Set: true, At: 6500 * time.Millisecond, Seq: 65}}))
	if err != nil || q.Has("") {
		t.Fatalf("the link is %v, %v", q, err)
	}
	m, err := link.Take(q)
	if err != nil {
		t.Fatal(err)
	}
	c := ResumptionTo(q["fault"], m)
	want := []protocol.Request{
		{Do: protocol.Inject, Branch: 0, Fault: "crash client-1 at 2s"},
		{Do: protocol.Inject, Branch: 1, Fault: "cut client-2 at 3s for 5s"},
	}
	if got := c.Faults(); !reflect.DeepEqual(got, want) {
		t.Errorf("it asks for %+v, want %+v", got, want)
	}
	p := again(t, event.Simulated)
	putBranch(t, p, player.Branch{ID: 1, From: 21, At: 2 * second, Events: 60, Ended: true})
	if c.Go(p) {
		t.Error("it went to a branch that is not there")
	}
	putBranch(t, p, player.Branch{ID: 2, Parent: 1, From: 31, At: 3 * second, Events: 70, Ended: true})
	if !c.Go(p) || p.Log.Branch() != 2 || p.Head.Seq() != 65 {
		t.Errorf("it is on branch %d at event %d", p.Log.Branch(), p.Head.Seq())
	}
	many := make([]string, 1000)
	if n := len(ResumptionTo(many, link.Moment{}).Faults()); n > protocol.RequestBurst {
		t.Errorf("a link with 1000 faults makes %d requests", n)
	}
}
