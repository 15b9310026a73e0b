package scene_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestServersClocks checks that a picture says how far the clock of ZooKeeper, or of one of its servers, is off, in
// words, too, and that its znodes have the times that this clock told.
func TestServersClocks(t *testing.T) {
	jump := func(s *view.State, who event.Actor, d time.Duration) *view.State {
		s.Apply(event.Event{Seq: s.Seq + 1, At: s.At, Kind: event.ClockJumped, Actor: who, N: int64(d)})
		return s
	}
	three := func() *view.State {
		s := base("predecessor-lock", 2)
		for range 3 {
			s.Ensemble.Servers = append(s.Ensemble.Servers, view.Server{Up: true, Phase: event.Broadcasting,
				Leader: event.Server(3)})
		}
		return s
	}
	for _, c := range []struct {
		s          *view.State
		mark, says string
	}{
		{jump(queued("order-by-time", 3), event.ZooKeeper, -5*time.Second), "ahead ZooKeeper −5 s",
			"ZooKeeper: its clock is 5 s behind."},
		{jump(jump(queued("order-by-time", 3), event.ZooKeeper, -5*time.Second), event.ZooKeeper, 35*time.Second),
			"ahead ZooKeeper +30 s", "ZooKeeper: its clock is 30 s ahead."},
		{jump(jump(queued("order-by-time", 3), event.ZooKeeper, -5*time.Second), event.ZooKeeper, 5*time.Second), "", ""},
		{jump(three(), event.Server(2), -time.Second), "ahead server-2 −1 s", "its clock is 1 s behind"},
	} {
		for _, size := range [][2]float64{{1024, 576}, {390, 300}, {700, 400}, {1920, 1080}} {
			var layout scene.Layout
			plan := layout.Plan(c.s, now, scene.Options{Words: english, Width: size[0], Height: size[1], Theme: display.Light()})
			var got []string
			for _, m := range plan.Marks() {
				if m.Kind == mark.Ahead {
					got = append(got, m.String())
				}
			}
			if len(got) > 1 || c.mark == "" && len(got) > 0 || c.mark != "" && !slices.Contains(got, c.mark) {
				t.Errorf("%v: the marks are %q, want %q", size, got, c.mark)
			}
			told := slices.ContainsFunc(plan.Tell(), func(e scene.Entry) bool { return strings.Contains(e.Text, c.says) })
			if c.says != "" && !told {
				t.Errorf("%v: nothing says %q in %q", size, c.says, plan.Tell())
			}
		}
	}
}

// TestTimesByTheServersClock checks that a znode has the time of the clock by which it was made.
func TestTimesByTheServersClock(t *testing.T) {
	s := view.NewFor(event.Header{Host: event.Simulated, Clients: 2, Root: root,
		Drawing: event.Drawing{Kind: event.DrawQueue, Shows: event.ShowTimes}})
	var seq event.Seq
	put := func(at time.Duration, e event.Event) {
		seq++
		e.Seq, e.At = seq, at
		s.Apply(e)
	}
	for i, by := range []time.Duration{0, -2 * time.Second} {
		a := event.Actor(i + 1)
		put(0, event.Event{Kind: event.SessionCreated, Peer: a, Session: int64(a), N: int64(time.Minute)})
		put(3*time.Second, event.Event{Kind: event.ClockJumped, N: int64(by)})
		put(3*time.Second+time.Duration(i)*time.Millisecond, event.Event{Kind: event.ZnodeCreated, Peer: a, Session: int64(a),
			Path: root + "/lock-000000000" + string(rune('0'+i)), Mode: 3, Zxid: int64(i + 1)})
	}
	var got []string
	for _, m := range marksOf(s, [2]float64{1024, 576}) {
		if m.Kind == mark.Made {
			got = append(got, m.Value)
		}
	}
	if want := []string{"3.000", "1.001"}; !slices.Equal(got, want) {
		t.Errorf("they were made at %q, want %q", got, want)
	}
}
