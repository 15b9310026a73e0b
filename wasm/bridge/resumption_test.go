package bridge

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/link"
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
		if id, fault := c.Way(after.Log.Branches()); id != 0 || fault != branch.Fault {
			t.Errorf("%s: it asks for %q in branch %d", name, fault, id)
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
	p := again(t, event.Simulated)
	for _, next := range []player.Branch{
		{ID: 1, From: 21, At: 2 * second, Fault: "crash client-1 at 2s", Events: 60, Ended: true},
		{ID: 2, Parent: 1, From: 31, At: 3 * second, Fault: "cut client-2 at 3s for 5s", Events: 70, Ended: true},
	} {
		if id, fault := c.Way(p.Log.Branches()); id != next.Parent || fault != next.Fault {
			t.Errorf("it asks for %q in branch %d, want %q in %d", fault, id, next.Fault, next.Parent)
		}
		if c.Go(p) {
			t.Error("it went to a branch that is not there")
		}
		putBranch(t, p, next)
	}
	if !c.Go(p) || p.Log.Branch() != 2 || p.Head.Seq() != 65 {
		t.Errorf("it is on branch %d at event %d", p.Log.Branch(), p.Head.Seq())
	}
	p = again(t, event.Simulated)
	byHand := ResumptionTo([]string{"crash  client-1 at 2000ms"}, link.Moment{})
	putBranch(t, p, player.Branch{ID: 1, From: 21, At: 2 * second, Fault: "crash client-1 at 2s", Events: 60, Ended: true})
	if !byHand.Go(p) || p.Log.Branch() != 1 {
		t.Errorf("a fault that was written by hand leads to branch %d", p.Log.Branch())
	}
	if n := len(ResumptionTo(make([]string, 1000), link.Moment{}).faults); n > link.MaxFaults {
		t.Errorf("a link with 1000 faults makes %d requests", n)
	}
}

// TestLed checks where somebody else's page leads: to which branch, and by which fault if that isn't there; and that
// the player is then where that page says.
func TestLed(t *testing.T) {
	const crash, cut, stop = "crash client-1 at 2s", "cut client-2 at 3s for 5s", "pause client-3 at 1s for 15s"
	branches := []player.Branch{
		{ID: 1, From: 21, At: 2 * second, Fault: crash, Events: 60, Ended: true},
		{ID: 2, From: 31, At: 3 * second, Fault: cut, Events: 60, Ended: true},
		{ID: 3, Parent: 1, From: 31, At: 3 * second, Fault: cut, Events: 70, Ended: true},
	}
	for _, c := range []struct {
		faults []string
		where  string // the rest of the position
		branch int
		asks   string // in that branch
		want   string // time, event, what is selected, step, playing
	}{
		{nil, "at=1.75s&event=17&selected=client-2", 0, "", "1.75s 17 client-2 a false"},
		{nil, "at=2s&event=20&step=b", 0, "", "2s 20  b false"},
		{nil, "at=2s&event=20&step=c", 0, "", "2s 20  c false"},
		{nil, "at=0s", 0, "", "0s 0   false"},
		{nil, "at=1.5s&step=b&playing=&tells=", 0, "", "1.5s 15  b true"},
		{nil, "at=1.5s&step=a&playing=", 0, "", "1.5s 15  a true"},
		{[]string{crash}, "at=5.5s&event=55", 1, "", "5.5s 55  c false"},
		{[]string{cut}, "at=5.5s&event=55", 2, "", "5.5s 55  c false"},
		{[]string{crash, cut}, "at=6.5s&event=65&selected=%2Flocks", 3, "", "6.5s 65 /locks c false"},
		{[]string{cut, crash}, "at=5s", 2, crash, ""},
		{[]string{crash, cut, stop}, "at=5s", 3, stop, ""},
		{[]string{stop, cut}, "at=5s", 0, stop, ""},
		{nil, "at=soon&selected=client-1", 0, "", "0s 0 client-1  false"}, // it makes no sense
		{nil, "at=-5s", 0, "", "0s 0   false"},
		{nil, "", 0, "", "0s 0   false"},
	} {
		p := again(t, event.Simulated)
		for _, b := range branches {
			putBranch(t, p, b)
		}
		p.Do("branch", "2")
		p.Do("goto-event", "33")
		to := Led(url.Values{"fault": c.faults}.Encode() + "&" + c.where)
		branch, asks := to.Way(p.Log.Branches())
		if branch != c.branch || asks != c.asks || to.Go(p) != (c.asks == "") {
			t.Errorf("%v: it asks for %q in branch %d", c.faults, asks, branch)
		}
		got := fmt.Sprint(p.Head.At(), " ", p.Head.Seq(), " ", p.Selected(), " ", p.Step().Anchor, " ", p.Head.Playing())
		if c.asks != "" {
			c.branch, c.want = 2, "3.3s 33  c false" // it waits
		}
		if got != c.want || p.Log.Branch() != c.branch {
			t.Errorf("%v at %s: it is at %s on branch %d, want %s on %d", c.faults, c.where, got, p.Log.Branch(), c.want,
				c.branch)
		}
	}
}
