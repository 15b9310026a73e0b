package scene_test

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestLostMessageKeepsItsWord checks that a lost reply stays readable, and that a lost ping has no word.
func TestLostMessageKeepsItsWord(t *testing.T) {
	for op, want := range map[event.Op]bool{event.Set: true, event.Ping: false} {
		s := queued("predecessor-lock", 3)
		s.Flights.List = append(s.Flights.List, view.Flight{Seq: s.Seq, To: 2, Op: op, Reply: true, Dropped: true, Over: true,
			Sent: now - 500*time.Millisecond, OverAt: now - 100*time.Millisecond, Takes: 400 * time.Millisecond})
		if said := drawn(s); slices.Contains(said, "ok") != want {
			t.Errorf("of a lost reply to %s the picture says %q", op, said)
		}
	}
}

// TestLostMessageEndsWhenRepeated checks that a lost message is gone once its client has asked for the same again and
// been answered.
func TestLostMessageEndsWhenRepeated(t *testing.T) {
	const ms = time.Millisecond
	lost := view.Flight{To: 2, Op: event.Set, Reply: true, Dropped: true, Over: true, Sent: now - 500*ms,
		OverAt: now - 400*ms, Takes: 400 * ms}
	answer := view.Flight{To: 2, Op: event.Set, Reply: true, Over: true, Sent: now - 200*ms, OverAt: now - 100*ms,
		Takes: 100 * ms}
	under, other, elsewhere := answer, answer, answer
	under.Over, under.Takes, other.To, elsewhere.Op = false, 400*ms, 3, event.Get
	for name, c := range map[string]struct {
		then view.Flight
		want bool
	}{
		"answered": {answer, false}, "not yet answered": {under, true}, "another is answered": {other, true},
		"something else is answered": {elsewhere, true},
	} {
		s := queued("predecessor-lock", 3)
		lost.Seq, c.then.Seq = s.Seq-1, s.Seq
		s.Flights.List = []view.Flight{lost, c.then}
		got := slices.ContainsFunc(marksOf(s, [2]float64{1024, 576}), func(m mark.Mark) bool { return m.Kind == mark.Lost })
		if got != c.want {
			t.Errorf("%s: the lost message is shown: %t", name, got)
		}
	}
}

// TestLostMessageStaysWhereItWasHeld checks that a reply that was held up is lost where it stood.
func TestLostMessageStaysWhereItWasHeld(t *testing.T) {
	const ms = time.Millisecond
	at := func(sent, held time.Duration) (x, y float32) {
		s := queued("predecessor-lock", 3)
		s.Flights.List = []view.Flight{{Seq: s.Seq, To: 2, Op: event.Set, Reply: true, Dropped: true, Over: true,
			Sent: now - sent, Held: now - held, HeldFor: 5 * time.Second, OverAt: now - 100*ms, Takes: 400 * ms}}
		var f scene.Frame
		f.Draw(s, now, scene.Options{Words: english, Width: 1000, Height: 600, Theme: display.Light()})
		i := slices.IndexFunc(f.Ops, func(o display.Op) bool { return o.Kind == display.Text && o.Text == "ok" })
		return f.Ops[i].X, f.Ops[i].Y
	}
	x, y := at(1100*ms, 900*ms)
	if left, top := at(300*ms, 100*ms); x != left || y != top {
		t.Errorf("after 800 ms the reply is at %.1f, %.1f, and at once at %.1f, %.1f", x, y, left, top)
	}
}

// TestRefusedReconnectIsNoOk checks that ZooKeeper's answer to a client whose session is over says so.
func TestRefusedReconnectIsNoOk(t *testing.T) {
	s := queued("predecessor-lock", 3)
	s.Flights.List = []view.Flight{{Seq: s.Seq, To: 2, Op: event.Connect, Reply: true, Code: int32(zoo.ErrSessionExpired),
		Sent: now - 100*time.Millisecond, Takes: 400 * time.Millisecond}}
	if said := drawn(s); !slices.Contains(said, "expired") || slices.Contains(said, "ok") {
		t.Errorf("of a refused reconnect the picture says %q", said)
	}
}

// TestRefusalKeepsItsCross checks that a refusal whose word doesn't fit is still told from an ok.
func TestRefusalKeepsItsCross(t *testing.T) {
	for code, want := range map[zoo.Code]bool{zoo.OK: false, zoo.ErrNoNode: true} {
		s := queued("predecessor-lock", 8)
		s.Flights.List = []view.Flight{{Seq: s.Seq, To: 2, Op: event.Delete, Reply: true, Code: int32(code),
			Sent: now - 200*time.Millisecond, Takes: 400 * time.Millisecond}}
		var f scene.Frame
		f.Draw(s, now, scene.Options{Words: english, Width: 390, Height: 338, Theme: display.Light(), Still: true})
		crossed := slices.ContainsFunc(f.Ops, func(o display.Op) bool {
			return o.Kind == display.Line && o.Stroke == display.Light().Signal
		})
		if crossed != want || slices.Contains(drawnAt(s, 390), "no node") {
			t.Errorf("code %d: the reply has a cross: %t", code, crossed)
		}
	}
}

// TestReplyWaitsForPausedClient checks that a reply lies in front of a paused client until the client reads it.
func TestReplyWaitsForPausedClient(t *testing.T) {
	for _, c := range []struct {
		paused bool
		since  time.Duration
		lies   bool
	}{{true, now - 10*time.Second, true}, {true, now - time.Second, false}, {false, 0, false}} {
		for _, still := range []bool{true, false} {
			s := queued("predecessor-lock", 3)
			s.Clients[1].Paused, s.Clients[1].PausedAt = c.paused, c.since
			s.Flights.List = []view.Flight{{Seq: s.Seq, To: 2, Op: event.Set, Reply: true, Sent: now - 9*time.Second,
				Takes: 400 * time.Millisecond}}
			var layout scene.Layout
			o := scene.Options{Words: english, Width: 1024, Height: 576, Still: still}
			if got := slices.ContainsFunc(layout.Plan(s, now, o).Marks(), func(m mark.Mark) bool {
				return m.Kind == mark.Reply
			}); got != c.lies {
				t.Errorf("paused %v since %s, still %v: the reply is there: %v", c.paused, c.since, still, got)
			}
		}
	}
}

// TestLinesEndBesideTheirZnode checks where lines to a znode of a tree end: they keep clear of its eye.
func TestLinesEndBesideTheirZnode(t *testing.T) {
	eyes := func(clients ...event.Actor) (at []float64) {
		s := tree(6)
		s.Watches.List = nil
		for _, c := range clients {
			s.Watches.List = append(s.Watches.List, view.Watch{Client: c, Path: s.Root, Kind: event.DataWatch})
		}
		var layout scene.Layout
		for _, m := range layout.Plan(s, now, scene.Options{Words: english, Width: 1024, Height: 576}).Marks() {
			if m.Kind == mark.Watch {
				at = append(at, m.X)
			}
		}
		return at
	}
	first, last := eyes(1), eyes(6)
	if len(first) != 1 || !slices.Equal(first, last) {
		t.Errorf("the only eye is at %v if it is A's, and at %v if it is F's", first, last)
	}
	if both := eyes(2, 3); len(both) != 2 || math.Abs(both[0]-first[0]) > 0.01 || both[1] <= both[0] {
		t.Errorf("two eyes are at %v", both)
	}
}

// TestEyesKeepToTheirRow checks that of several eyes beside a row none lies on the row above or below.
func TestEyesKeepToTheirRow(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for _, size := range [][2]float64{{1400, 788}, {1024, 576}, {700, 560}, {390, 338}} {
			s := tree(6)
			s.Watches.List = nil
			for c := range n {
				s.Watches.List = append(s.Watches.List,
					view.Watch{Client: event.Actor(c + 1), Path: "/app/locks", Kind: event.DataWatch})
			}
			var layout scene.Layout
			var row, eyes []mark.Mark
			for _, m := range layout.Plan(s, now, scene.Options{Words: english, Width: size[0], Height: size[1]}).Marks() {
				switch {
				case m.Kind == mark.Watch:
					eyes = append(eyes, m)
				case m.Kind == mark.Node:
					row = append(row, m)
				}
			}
			slices.SortFunc(row, func(a, b mark.Mark) int { return cmp.Compare(a.Y, b.Y) })
			at := slices.IndexFunc(row, func(m mark.Mark) bool { return m.Subject == "/app/locks" })
			between := func(a, b mark.Mark) float64 { return (a.Y + a.H/2 + b.Y + b.H/2) / 2 }
			top, bottom := between(row[at-1], row[at]), between(row[at], row[at+1])
			for _, eye := range eyes {
				if eye.Y < top-1 || eye.Y+eye.H > bottom+1 {
					t.Errorf("%v, eye %+v of %d isn't in its row, from %.1f to %.1f", size, eye, n, top, bottom)
				}
			}
		}
	}
}
