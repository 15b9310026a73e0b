package story_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/story"
	"github.com/zkviz/zkviz/engine/testing/anylog"
	"github.com/zkviz/zkviz/lessons"
	_ "github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

var english = uistrings.English()

// simulated returns the log of a small run.
func simulated(tb testing.TB, s run.Scenario, faults ...string) *view.History {
	tb.Helper()
	for _, text := range faults {
		f, err := fault.Parse(text)
		if err != nil {
			tb.Fatal(err)
		}
		s.Faults = append(s.Faults, f)
	}
	s = s.WithDefaults()
	log := event.Log{Header: s.Header(event.Simulated)}
	if err := run.Sim(context.Background(), s, &log); err != nil {
		tb.Fatal(err)
	}
	for _, f := range s.Faults {
		if end := log.Events[len(log.Events)-1].At; f.At >= end {
			tb.Fatalf("%s comes after the run's end at %s", f, end)
		}
	}
	h := view.NewHistoryFor(log.Header)
	h.AppendAll(log.Events)
	return h
}

// chain, believers and ensemble are the small runs whose plans are golden.
func chain(tb testing.TB, seed uint64) *view.History {
	return simulated(tb, run.Scenario{Recipe: "predecessor-lock", Clients: 2, Rounds: 1, Hold: time.Second, Seed: seed})
}

func believers(tb testing.TB, seed uint64) *view.History {
	return simulated(tb, run.Scenario{Recipe: "predecessor-lock", Clients: 2, Rounds: 1, Hold: 6 * time.Second, Seed: seed,
		SessionTimeout: 4 * time.Second, Stagger: time.Second}, "pause client-1 at 4s for 8s")
}

func ensemble(tb testing.TB, seed uint64) *view.History {
	return simulated(tb, run.Scenario{Recipe: "predecessor-lock", Clients: 1, Rounds: 1, Hold: 4 * time.Second, Seed: seed,
		Servers: 3}, "partition server-1 | server-2 server-3 at 2s for 1500ms")
}

// plan plans a picture for a page.
func plan(h *view.History, down bool) *story.Plan {
	o := story.Options{Words: english, Down: down}
	o.Width, o.Height = story.Size(down)
	return story.Make(h, o)
}

// every calls f with the logs of all lessons, or of some in a short test, and with small runs of several seeds.
func every(t *testing.T, f func(name string, h *view.History)) {
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range book.Lessons {
		if !testing.Short() || i%8 == 0 {
			f(l.Slug, book.RunOf(l.Slug).History())
		}
	}
	for seed := range uint64(4) {
		f(fmt.Sprint("chain ", seed), chain(t, seed))
		f(fmt.Sprint("believers ", seed), believers(t, seed))
		f(fmt.Sprint("ensemble ", seed), ensemble(t, seed))
	}
}

// messagesOf counts a log's messages, without heartbeats between servers, by the events that sent them.
func messagesOf(h *view.History) map[event.Seq]bool {
	all := map[event.Seq]bool{}
	for i := range h.Len() {
		switch e := h.Event(i); e.Kind {
		case event.OpSent, event.MsgSent, event.WatchFired, event.PushSent:
			all[e.Seq] = true
		}
	}
	return all
}

// TestEveryMessageIsDrawnOnce checks that a message is drawn, or counted among those that aren't, and none twice.
func TestEveryMessageIsDrawnOnce(t *testing.T) {
	every(t, func(name string, h *view.History) {
		for _, down := range []bool{false, true} {
			p, sent, drawn := plan(h, down), messagesOf(h), map[event.Seq]bool{}
			for i := range p.Messages {
				m := &p.Messages[i]
				if drawn[m.Seq] || !sent[m.Seq] {
					t.Errorf("%s: the message of event %d is drawn twice, or was never sent", name, m.Seq)
				}
				drawn[m.Seq] = true
				if m.Got < m.Sent {
					t.Errorf("%s: the message of event %d is there at %s, before %s", name, m.Seq, m.Got, m.Sent)
				}
			}
			if got := len(drawn) + p.Heartbeats + p.Polls; p.Hidden == 0 && got != len(sent) {
				t.Errorf("%s: %d messages are drawn, %d are heartbeats and %d tries, of %d", name, len(drawn), p.Heartbeats,
					p.Polls, len(sent))
			}
		}
	})
}

// TestMessagesArriveWhenTheLogSays checks when messages arrive whose arrival the log has as an event.
func TestMessagesArriveWhenTheLogSays(t *testing.T) {
	every(t, func(name string, h *view.History) {
		arrivals := map[event.Seq]time.Duration{}
		for i := range h.Len() {
			switch e := h.Event(i); e.Kind {
			case event.MsgReceived, event.MsgDropped, event.WatchDelivered, event.PushDelivered:
				arrivals[e.Cause] = e.At
			}
		}
		p := plan(h, false)
		for i := range p.Messages {
			m := &p.Messages[i]
			if at, ok := arrivals[m.Seq]; ok && at != m.Got {
				t.Errorf("%s: the message of event %d is there at %s, and in the log at %s", name, m.Seq, m.Got, at)
			}
		}
	})
}

// TestNothingOverlapsOrLeavesThePicture checks every picture of a page: its words cover no others, and nothing lies
// outside.
func TestNothingOverlapsOrLeavesThePicture(t *testing.T) {
	every(t, func(name string, h *view.History) {
		for _, down := range []bool{false, true} {
			p := plan(h, down)
			texts := textsOf(p)
			for i, a := range texts {
				for _, b := range texts[:i] {
					if a.X < b.Right()-0.1 && b.X < a.Right()-0.1 && a.Y < b.Bottom()-0.1 && b.Y < a.Bottom()-0.1 {
						t.Errorf("%s, down %v: words at %v cover those at %v", name, down, a, b)
					}
				}
			}
			var f scene.Frame
			p.Draw(&f, display.Light(), nil)
			for i := range f.Ops {
				x, y, w, high := f.Ops[i].Bounds()
				if x < -0.5 || y < -0.5 || float64(x+w) > p.Width+0.5 || float64(y+high) > p.Height+0.5 || w != w {
					t.Errorf("%s, down %v: %+v lies outside", name, down, f.Ops[i])
				}
			}
		}
	})
}

// textsOf lists where words are.
func textsOf(p *story.Plan) (all []geom.Rect) {
	for i := range p.Lanes {
		all = append(all, p.Lanes[i].Name.Bounds())
	}
	for i := range p.Ticks {
		all = append(all, p.Ticks[i].Text.Bounds())
	}
	for i := range p.Pieces {
		if p.Pieces[i].Folded {
			all = append(all, p.Pieces[i].Says.Bounds())
		}
	}
	for i := range p.Labels {
		all = append(all, p.Labels[i].Bounds())
	}
	return all
}

// TestLanesAreStable checks the order of the lanes, in any shape and window.
func TestLanesAreStable(t *testing.T) {
	every(t, func(name string, h *view.History) {
		whole := plan(h, false)
		var order []event.Actor
		for _, l := range whole.Lanes {
			order = append(order, l.Actor)
		}
		end := h.Event(h.Len() - 1).At
		for i := range time.Duration(4) {
			o := story.Options{Words: english, Down: i%2 == 0, From: end * i / 4, To: end * (i + 1) / 4}
			o.Width, o.Height = story.Size(o.Down)
			last := -1
			for _, l := range story.Make(h, o).Lanes {
				n := slices.Index(order, l.Actor)
				if n <= last {
					t.Errorf("%s from %s: the lane of %v isn't where it is in the whole story", name, o.From, l.Actor)
				}
				last = n
			}
		}
	})
}

// TestAWindowAgreesWithTheWhole checks that a window has the messages of the whole story that are under way in it, at
// the same times, and that bars in it are parts of those in the whole.
func TestAWindowAgreesWithTheWhole(t *testing.T) {
	every(t, func(name string, h *view.History) {
		end := h.Event(h.Len() - 1).At
		o := story.Options{Words: english, Width: 4000, Height: 2000}
		whole := story.Make(h, o)
		o.From, o.To = end/3, end*2/3
		part := story.Make(h, o)
		times := map[event.Seq][2]time.Duration{}
		for i := range whole.Messages {
			m := &whole.Messages[i]
			times[m.Seq] = [2]time.Duration{m.Sent, m.Got}
		}
		for i := range part.Messages {
			m := &part.Messages[i]
			is, ok := times[m.Seq]
			if delete(times, m.Seq); ok && m.Got <= o.To && is != [2]time.Duration{m.Sent, m.Got} {
				t.Errorf("%s: the message of event %d goes from %s to %s, and in the whole story from %s to %s", name, m.Seq,
					m.Sent, m.Got, is[0], is[1])
			}
		}
		for seq, is := range times {
			if is[0] < o.To && is[1] > o.From && part.Polls == 0 && whole.Hidden+part.Hidden == 0 {
				t.Errorf("%s: the message of event %d, under way from %s to %s, isn't in the window", name, seq, is[0], is[1])
			}
		}
		for i := range part.Bars {
			b := &part.Bars[i]
			if !slices.ContainsFunc(whole.Bars, func(w story.Bar) bool {
				return w.Kind == b.Kind && w.Actor == b.Actor && w.From <= b.From && w.To >= b.To
			}) {
				t.Errorf("%s: from %s to %s %v %v, which isn't so in the whole story", name, b.From, b.To, b.Actor, b.Kind)
			}
		}
	})
}

// TestBeliefBesideTruth checks that each client believes for exactly as long as it is inside, or only thinks so.
func TestBeliefBesideTruth(t *testing.T) {
	thought := false
	every(t, func(name string, h *view.History) {
		sum := map[event.Actor]map[story.BarKind]time.Duration{}
		p := plan(h, false)
		for i := range p.Bars {
			b := &p.Bars[i]
			if sum[b.Actor] == nil {
				sum[b.Actor] = map[story.BarKind]time.Duration{}
			}
			sum[b.Actor][b.Kind] += b.To - b.From
		}
		for a, of := range sum {
			thought = thought || of[story.Thinks] > 0
			if of[story.Believes] != of[story.Inside]+of[story.Thinks] {
				t.Errorf("%s: %v believes for %s, is inside for %s and only thinks so for %s", name, a, of[story.Believes],
					of[story.Inside], of[story.Thinks])
			}
		}
	})
	if !thought {
		t.Error("nobody ever only thinks that it is inside")
	}
}

// TestCauseIsTheLogs checks that what is lit is the log's chain of causes, and that the way through the picture goes
// forwards in time.
func TestCauseIsTheLogs(t *testing.T) {
	every(t, func(name string, h *view.History) {
		for _, down := range []bool{false, true} {
			p := plan(h, down)
			for seq := event.Seq(1); int(seq) <= h.Len(); seq += 7 {
				c := p.Cause(h, seq)
				var want []event.Seq
				for e := range view.Chain(h, seq) {
					want = append(want, e.Seq)
				}
				slices.Reverse(want)
				if !slices.Equal(c.Chain, want) {
					t.Errorf("%s, event %d: %v is lit, want %v", name, seq, c.Chain, want)
				}
				last := math.Inf(-1)
				for _, at := range c.Path {
					along := at.X
					if down {
						along = at.Y
					}
					if along < last {
						t.Errorf("%s, event %d: the way goes back in time: %v", name, seq, c.Path)
						break
					}
					last = along
				}
			}
		}
	})
}

// TestWhatIsNotTheCauseIsPale checks that a selected event changes how strongly the rest is drawn, and that its own
// message stays as it is.
func TestWhatIsNotTheCauseIsPale(t *testing.T) {
	h := chain(t, 1)
	p := plan(h, false)
	m := p.Messages[len(p.Messages)/2]
	strength := func(c *story.Cause, of story.Message) int {
		var f scene.Frame
		p.Draw(&f, display.Light(), c)
		for i := range f.Ops {
			if o := &f.Ops[i]; o.Kind == display.Line && o.X == float32(of.X0) && o.Y == float32(of.Y0) &&
				o.X3 == float32(of.X1) && o.Y3 == float32(of.Y1) {
				_, _, _, a := o.Stroke.RGBA()
				return int(a)
			}
		}
		t.Fatalf("the message of event %d isn't drawn", of.Seq)
		return 0
	}
	c, other := p.Cause(h, m.Seq), p.Messages[len(p.Messages)-1]
	if got, want := strength(c, m), strength(nil, m); got != want {
		t.Errorf("what is selected has the strength %d, not %d", got, want)
	}
	if got, usual := strength(c, other), strength(nil, other); got*2 >= usual {
		t.Errorf("what didn't lead to it has the strength %d, of %d", got, usual)
	}
}

// TestHostileNamesAreText checks that names and data can't become markup, or hide what is beside them.
func TestHostileNamesAreText(t *testing.T) {
	const evil = "</svg><script>x</script>\u202egnp.\x00"
	h := view.NewHistoryFor(event.Header{})
	for _, e := range []event.Event{
		{Kind: event.ClientStarted, Actor: 1, Text: evil},
		{Kind: event.RecipePhase, Actor: 1, Text: "holding", Path: evil, At: time.Second},
		{Kind: event.StoreWritten, Actor: 1, Path: evil, Text: evil, At: 2 * time.Second},
		{Kind: event.RecipePhase, Actor: 1, Text: evil, At: 3 * time.Second},
		{Kind: event.OpSent, Actor: 1, Peer: event.Node(1), Op: event.Command, Path: evil, Text: evil, At: 4 * time.Second},
	} {
		h.Append(e)
	}
	var f scene.Frame
	plan(h, false).Draw(&f, display.Light(), nil)
	var out strings.Builder
	if err := scene.WriteSVG(&out, &f, evil); err != nil {
		t.Fatal(err)
	}
	if svg := out.String(); strings.Contains(svg, "<script") || strings.ContainsAny(svg, "\u202e\x00") {
		t.Errorf("what strangers wrote is in the picture as it is: %s", svg)
	}
}

// TestAnyLogHasAStory plans and paints random logs.
func TestAnyLogHasAStory(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		header := event.Header{Clients: rng.IntN(5)}
		for range rng.IntN(3) {
			header.Systems = append(header.Systems, event.System{Servers: rng.IntN(6),
				Kind: anylog.Pick(rng, event.ZooKeeperSystem, event.RedisSystem, event.PostgresSystem, event.EtcdSystem, "else")})
		}
		h := view.NewHistoryFor(header)
		h.AppendAll(anylog.Log(rng, rng.IntN(120), false))
		end := time.Duration(0)
		if h.Len() > 0 {
			end = h.Event(h.Len() - 1).At
		}
		o := story.Options{Words: english, Down: rng.IntN(2) == 0, From: time.Duration(rng.Int64N(int64(end) + 2))}
		o.Width, o.Height = story.Size(o.Down)
		p := story.Make(h, o)
		var f scene.Frame
		p.Draw(&f, display.Dark(), p.Cause(h, event.Seq(1+rng.IntN(h.Len()+1))))
		for i := range f.Ops {
			if x, y, w, high := f.Ops[i].Bounds(); x != x || y != y || w != w || high != high {
				t.Fatalf("seed %d: %+v has no place", seed, f.Ops[i])
			}
		}
	}
}
