package scene_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// ensembles are runs in which servers elect a leader and synchronize in all ways.
var ensembles = sync.OnceValues(func() (runs []played, err error) {
	for _, c := range []struct {
		name    string
		servers int
		faults  []string
	}{
		{"patch", 3, []string{"restart server-1 at 7s for 4s", "crash server-3 at 13s"}},
		{"cut", 3, []string{"partition server-3 | server-1 server-2 at 18s for 14s", "crash client-1 at 28s"}},
		{"copy", 3, []string{"partition server-3 | server-1 server-2 at 18s for 14s", "crash client-1 at 28s",
			"pause server-3 at 31s for 15s"}},
		{"five", 5, []string{"partition server-1 server-3 | server-2 server-4 server-5 at 6s for 12s",
			"crash server-5 at 19s"}},
		{"seven", 7, []string{
			"partition server-7 server-6 | server-1 server-2 server-3 server-4 server-5 at 5s for 14s"}},
		{"apart", 5, []string{"partition server-1 | server-3 server-5 at 5s for 20s",
			"partition server-2 | server-5 at 8s for 20s", "crash server-5 at 12s"}},
		{"nine", 9, []string{"crash server-9 at 6s", "restart server-8 at 9s for 3s"}},
	} {
		s := run.Scenario{Recipe: "predecessor-lock", Clients: 2, Seed: 1, Servers: c.servers, Hold: 20 * time.Second,
			SessionTimeout: 14 * time.Second, Latency: 300 * time.Millisecond, Jitter: 30 * time.Millisecond,
			Stagger: 4 * time.Second}
		var err error
		if s.Faults, err = fault.ParseAll(c.faults, fault.Scope{Servers: c.servers}); err != nil {
			return nil, err
		}
		p, err := play(s, c.name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, p)
	}
	return runs, nil
})

// asOf returns the state of a named run right after the n-th event for which is returns true.
func asOf(name string, n int, is func(e event.Event) bool) *view.State {
	runs, err := ensembles()
	if err != nil {
		panic(err)
	}
	for _, p := range runs {
		if p.condition != name {
			continue
		}
		for i, e := range p.log.Events {
			if !is(e) {
				continue
			}
			if n--; n > 0 {
				continue
			}
			s := view.NewFor(p.log.Header)
			for _, x := range p.log.Events[:i+1] {
				x.At += now - e.At
				s.Apply(x)
			}
			return s
		}
	}
	panic("no such moment in " + name)
}

// electingNow returns the state at the n-th final vote of a run.
func electingNow(name string, n int) *view.State {
	return asOf(name, n, func(e event.Event) bool { return e.Kind == event.VoteFinal })
}

func choosingNow(name string, how event.Op) *view.State {
	return asOf(name, 1, func(e event.Event) bool { return e.Kind == event.SyncChosen && e.Op == how && e.Code != 1 })
}

// TestLawsOfServers checks pictures of ensembles against the laws, on every stage, moving and still, at each event of
// an election or a synchronization and between them.
func TestLawsOfServers(t *testing.T) {
	runs, err := ensembles()
	if err != nil {
		t.Fatal(err)
	}
	var f scene.Frame
	lawful := func(p *played, s *view.State, at time.Duration) {
		for i, st := range stages {
			o := scene.Options{Words: english, Width: st.width, Height: st.height, Theme: display.Light(),
				Still: i%2 == int(s.Seq)%2}
			f.Draw(s, at, o)
			for _, l := range laws {
				if how := l.broken(s, &f); how != "" {
					t.Errorf("%s, event %d, %s, still %v: %s: %s", p.condition, s.Seq, st.name, o.Still, l.name, how)
				}
			}
		}
	}
	for _, p := range runs {
		s := view.NewFor(p.log.Header)
		for i, e := range p.log.Events {
			s.Apply(e)
			busy := slices.ContainsFunc(s.Ensemble.Servers, func(n view.Server) bool {
				return n.Sync.Leader != 0 || n.Ballot.Vote.For != 0
			})
			if !busy && e.Seq%16 != 0 || e.Seq%3 != 0 {
				continue
			}
			at := e.At
			if i+1 < len(p.log.Events) {
				at += (p.log.Events[i+1].At - at) / 2
			}
			lawful(&p, s, at)
		}
	}
}

// TestVotesAreShown checks that each voter shows its vote, what decided it, and how many it has heard vote the same.
func TestVotesAreShown(t *testing.T) {
	runs, err := ensembles()
	if err != nil {
		t.Fatal(err)
	}
	decided, waited := map[view.VoteField]bool{}, 0
	for _, p := range runs {
		s := view.NewFor(p.log.Header)
		for _, e := range p.log.Events {
			s.Apply(e)
			if e.Kind != event.VoteCast && e.Kind != event.VoteFinal && e.Op != event.Notification {
				continue
			}
			var layout scene.Layout
			var marks []string
			o := scene.Options{Words: english, Width: 1280, Height: 800, Theme: display.Light()}
			for _, m := range layout.Plan(s, e.At, o).Marks() {
				marks = append(marks, m.String())
			}
			for i := range s.Ensemble.Servers {
				n := &s.Ensemble.Servers[i]
				if n.Ballot.Vote.For == 0 || !n.Up {
					continue
				}
				agree := 1
				for k := range s.Ensemble.Servers {
					if k != i && n.Ballot.Heard(k+1) == n.Ballot.Vote {
						agree++
					}
				}
				v := n.Ballot.Vote
				by := map[view.VoteField]string{view.EpochField: " epoch", view.ZxidField: " zxid", view.ServerField: " server",
					view.RoundField: " round"}[n.Ballot.Decided]
				decided[n.Ballot.Decided] = true
				want := []string{
					fmt.Sprintf("vote server-%d %d 0x%x S%d %d%s", i+1, v.Epoch, v.Zxid, v.For.Number(), v.Round, by),
					fmt.Sprintf("agree server-%d %d", i+1, agree),
				}
				if n.Ballot.Final > 0 {
					waited++
					want = append(want, fmt.Sprintf("final server-%d", i+1))
				}
				for _, w := range want {
					if !slices.Contains(marks, w) {
						t.Fatalf("%s, event %d: no %q among %q", p.condition, e.Seq, w, marks)
					}
				}
			}
		}
	}
	if !decided[view.ZxidField] || !decided[view.ServerField] || waited == 0 {
		t.Errorf("votes were decided by %v, and %d waits were seen", decided, waited)
	}
}

// TestWaitFills checks that the bar of a wait is empty at its start, half full in its middle and full at its end, and
// that a new wait starts at zero.
func TestWaitFills(t *testing.T) {
	s := electingNow("patch", 1)
	bar := func(at time.Duration) float32 {
		var f scene.Frame
		f.Draw(s, at, scene.Options{Words: english, Width: 1280, Height: 800, Theme: display.Light()})
		for i := range f.Ops {
			o, next := &f.Ops[i], &f.Ops[min(i+1, len(f.Ops)-1)]
			if o.Kind == display.Rect && next.Kind == display.Rect && o.X == next.X && o.Y == next.Y && o.H == next.H &&
				next.Fill == display.Light().Ink {
				return next.W / o.W
			}
		}
		return -1
	}
	for part, want := range map[time.Duration]float32{0: 0, 100: 0.5, 150: 0.75, 200: 1, 500: 1} {
		if got := bar(now + part*time.Millisecond); got < want-0.01 || got > want+0.01 {
			t.Errorf("after %d ms the bar is full by %v, not %v", part, got, want)
		}
	}
}

// TestTellsOfElections checks the words for votes, for votes received, and for how a server synchronizes.
func TestTellsOfElections(t *testing.T) {
	for _, c := range []struct {
		name string
		s    *view.State
		want string
	}{
		{"a vote", electingNow("patch", 3),
			"decided by the server's number, has heard 2 of 3 say so, waits for a better vote"},
		{"a patch", choosingNow("patch", event.Diff), "DIFF by rule 3: gets from S2 what follows 0x"},
		{"a cut", choosingNow("cut", event.Trunc), "TRUNC by rule 2: S2 has it cut off what follows 0x"},
		{"a copy", choosingNow("copy", event.Snap), "SNAP by rule 3: gets a copy of all that S2 has, S2 has 0x"},
	} {
		got := tell(c.s, now, scene.Options{Without: mark.FiguresBut(nil)})
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", c.name, c.want, got)
		}
	}
}

// TestSyncPicture checks that a synchronizing learner's row shows as many transactions sent, crossed out or replaced as
// the two logs say, and its leader's row what that has at hand.
func TestSyncPicture(t *testing.T) {
	light := display.Light()
	for _, c := range []struct {
		name                     string
		how                      event.Op
		ghosts, crossed, replace int
	}{
		{"patch", event.Diff, 2, 0, 0}, {"cut", event.Trunc, 0, 1, 0}, {"copy", event.Snap, 0, 5, 1},
	} {
		s := choosingNow(c.name, c.how)
		i := slices.IndexFunc(s.Ensemble.Servers, func(n view.Server) bool { return n.Sync.How == c.how })
		for _, size := range sizes {
			var f scene.Frame
			f.Draw(s, now, scene.Options{Words: english, Width: size[0], Height: size[1], Theme: light})
			in := func(n int, o display.Op) bool {
				box, _ := f.Find(fmt.Sprintf("server-%d", n))
				return o.X >= box.X && o.X+o.W <= box.X+box.W && o.Y >= box.Y && o.Y <= box.Y+box.H
			}
			ghosts, crossed, replace, window, leader := 0, 0, 0, 0, s.Ensemble.Servers[i].Sync.Leader.Number()
			for _, o := range f.Ops {
				outline := o.Kind == display.Rect && o.Stroke == light.Accent
				switch {
				case o.Kind == display.Rect && o.Stroke == light.Ink && o.Fill == 0 && in(leader, o):
					window++
				case !in(i+1, o):
				case outline && o.Dash == 2 && o.Fill == 0:
					ghosts++
				case outline && o.Dash == 3 && o.Fill == 0:
					replace++
				case o.Kind == display.Line && o.Stroke == light.Signal && o.X != o.X3 && o.Y != o.Y3:
					crossed++
				}
			}
			cells := 0 // older ones are folded
			for _, e := range marksOf(s, size) {
				if e.Kind == mark.Cell && e.Subject == fmt.Sprintf("server-%d", i+1) {
					cells++
				}
			}
			want := min(c.crossed, cells)
			if ghosts != c.ghosts || crossed != 2*want || replace != c.replace || window != 1 {
				t.Errorf("%s, %.0f×%.0f: %d are sent, %d lines cross some out, %d replace all, in %d windows, want %d, %d, %d, 1",
					c.name, size[0], size[1], ghosts, crossed, replace, window, c.ghosts, 2*want, c.replace)
			}
		}
	}
}

// marksOf returns the marks of a picture.
func marksOf(s *view.State, size [2]float64) []mark.Mark {
	var layout scene.Layout
	return layout.Plan(s, now, scene.Options{Words: english, Width: size[0], Height: size[1],
		Theme: display.Light()}).Marks()
}
