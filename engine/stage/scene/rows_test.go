package scene_test

import (
	"fmt"
	"math"
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
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// pictureOf draws a state on a large stage, with some things in focus.
func pictureOf(s *view.State, at time.Duration, focus ...string) (f scene.Frame, marks []string) {
	var layout scene.Layout
	o := scene.Options{Words: english, Width: 1280, Height: 800, Theme: display.Light(), Focus: focus}
	f.Clear(o.Width, o.Height, o.Theme.Paper)
	plan := layout.Plan(s, at, o)
	f.Paint(plan, 0, 0)
	for _, m := range plan.Marks() {
		marks = append(marks, m.String())
	}
	return f, marks
}

// hasText reports whether a picture has a text.
func hasText(f *scene.Frame, text string) bool {
	return slices.ContainsFunc(f.Ops, func(o display.Op) bool { return o.Text == text })
}

// TestLettersSayWhose checks that a line leads from a message's sender to its receiver, and that a message which
// crosses another server's row names its sender.
func TestLettersSayWhose(t *testing.T) {
	for _, c := range []struct {
		from, to int
		word     string
	}{{1, 3, "S1: ack"}, {3, 1, "S3: ack"}, {1, 2, "ack"}, {3, 2, "ack"}} {
		s := ensemble(queued("predecessor-lock", 2), 3)
		for i := range s.Ensemble.Servers {
			s.Ensemble.Servers[i].Cut = 0
		}
		s.Flights.List = nil
		s.Apply(event.Event{Seq: s.Seq + 1, At: now, Kind: event.MsgSent, Actor: event.Server(c.from),
			Peer: event.Server(c.to), Op: event.Ack, N: int64(400 * time.Millisecond)})
		f, _ := pictureOf(s, now+200*time.Millisecond)
		middle := func(n int) float32 {
			box, _ := f.Find(fmt.Sprintf("server-%d", n))
			return box.Y + box.H/2
		}
		word := slices.IndexFunc(f.Ops, func(o display.Op) bool { return o.Text == c.word })
		line := slices.IndexFunc(f.Ops, func(o display.Op) bool {
			return o.Kind == display.Line && o.X == o.X3 && math.Abs(float64(o.Y-middle(c.from))) < 1 &&
				math.Abs(float64(o.Y3-middle(c.to))) < 1
		})
		if word < 0 || line < 0 || line > word || math.Abs(float64(f.Ops[line].X-f.Ops[word].X)) > 1 {
			t.Errorf("from S%d to S%d: %q is shape %d, and shape %d leads from one to the other", c.from, c.to, c.word, word,
				line)
		}
	}
}

// TestFoldedHasItsWord checks that a row says what the number of older transactions means if there is room.
func TestFoldedHasItsWord(t *testing.T) {
	s := ensemble(queued("predecessor-lock", 2), 3)
	for _, c := range []struct {
		width, height float64
		want          bool
	}{{1400, 700, true}, {360, 300, false}} {
		var f scene.Frame
		f.Draw(s, now, scene.Options{Words: english, Width: c.width, Height: c.height, Theme: display.Light()})
		got := slices.ContainsFunc(f.Ops, func(o display.Op) bool { return strings.HasSuffix(o.Text, "before") })
		if got != c.want {
			t.Errorf("%.0f×%.0f: the word is there: %v", c.width, c.height, got)
		}
	}
}

// behind returns a run in which B's server is cut off while A writes, when C has used what A wrote.
func behind(t *testing.T) *view.State {
	t.Helper()
	s := run.Scenario{Recipe: "configuration", Clients: 3, Rounds: 2, Seed: 2, Hold: 6 * time.Second, Servers: 3,
		SessionTimeout: 12 * time.Second, Stagger: 1500 * time.Millisecond, Latency: 300 * time.Millisecond,
		Jitter: 30 * time.Millisecond}
	var err error
	s.Faults, err = fault.ParseAll([]string{"partition server-1 | server-2 server-3 at 14s for 8500ms"},
		fault.Scope{Servers: 3})
	if err != nil {
		t.Fatal(err)
	}
	p, err := play(s, "behind")
	if err != nil {
		t.Fatal(err)
	}
	state := view.NewFor(p.log.Header)
	for _, e := range p.log.Events {
		if state.Apply(e); e.Kind == event.StoreWritten && e.Actor == 3 && e.At > 14*time.Second {
			return state
		}
	}
	t.Fatal("C never uses it")
	return nil
}

// TestWatchStaysWithItsServer checks that a watch which doesn't fire because its server knows nothing of the change is
// drawn in that server's row, and the others at the znode.
func TestWatchStaysWithItsServer(t *testing.T) {
	s := behind(t)
	for _, size := range sizes[:4] { // on the smallest stage no row has its clients
		var f scene.Frame
		f.Draw(s, s.At, scene.Options{Words: english, Width: size[0], Height: size[1], Theme: display.Light()})
		row, _ := f.Find("server-1")
		at := map[string]bool{}
		for _, m := range marksOf(s, size) {
			if m.Kind == mark.Watch {
				at[m.Subject] = m.Y+m.H <= float64(row.Y+row.H)
			}
		}
		if !at["B"] || at["C"] {
			t.Errorf("%.0f×%.0f: the eyes in the server's row: %v, want only B's", size[0], size[1], at)
		}
	}
}

// TestLeadersClockInFocus checks that a session which runs down at the leader, because its server isn't heard there, is
// shown unless a step is about something else.
func TestLeadersClockInFocus(t *testing.T) {
	s := behind(t)
	for _, c := range []struct {
		focus []string
		want  bool
	}{{nil, true}, {[]string{"client-2"}, true}, {[]string{"client-3"}, false}, {[]string{"server-1"}, false}} {
		_, marks := pictureOf(s, s.At, c.focus...)
		got := slices.ContainsFunc(marks, func(m string) bool { return strings.HasPrefix(m, "session B ") })
		if got != c.want {
			t.Errorf("focus %q: B's clock is shown: %v", c.focus, got)
		}
	}
	if told := tell(s, s.At, scene.Options{Without: mark.FiguresBut(nil)}); strings.Contains(told, "leader's clock") {
		t.Errorf("in a step without a focus the picture says\n%s", told)
	}
}

// TestDeadSessionHasNoRing checks that the ring of a client whose server isn't heard by the leader is full in a step
// about something else, but only while its session lives.
func TestDeadSessionHasNoRing(t *testing.T) {
	s, theme := behind(t), display.Light()
	for _, c := range []struct {
		ended view.Ending
		want  bool
	}{{view.Alive, true}, {view.Expired, false}} {
		s.Clients[1].Ended = c.ended
		f, _ := pictureOf(s, s.At, "server-1")
		full := slices.ContainsFunc(f.Ops, func(o display.Op) bool {
			return o.Kind == display.Circle && o.Stroke == theme.Of(1) && o.Fill == 0 && o.Dash == 0
		})
		if full != c.want {
			t.Errorf("its session ended as %v, but its ring is full: %v", c.ended, full)
		}
	}
}

// TestSameLogIsNoPatch checks that a row never says of a server whose log is its leader's that it's patched.
func TestSameLogIsNoPatch(t *testing.T) {
	s := asOf("patch", 1, func(e event.Event) bool { return e.Kind == event.SyncChosen && e.Code == 1 })
	leader := "S" + fmt.Sprint(leaderOf(s))
	for width, want := range map[float64]string{1400: "has the same log as " + leader, 556: "same log as " + leader} {
		said := drawnAt(s, width)
		if !slices.Contains(said, want) || slices.Contains(said, "patch") {
			t.Errorf("at %.0f px the picture says %q", width, said)
		}
	}
}

func leaderOf(s *view.State) int {
	for i := range s.Ensemble.Servers {
		if y := &s.Ensemble.Servers[i].Sync; y.Leader != 0 {
			return y.Leader.Number()
		}
	}
	return 0
}

// TestNobodyAnswers checks that while no server answers, the box is faded and says so, and nobody is said to be inside.
// The box is also faded while only the server doesn't answer whose znodes it has.
func TestNobodyAnswers(t *testing.T) {
	runs, err := ensembles()
	if err != nil {
		t.Fatal(err)
	}
	veil, inside, alone := display.Light().Paper.Fade(0.5), map[bool]int{}, map[bool]int{}
	for _, p := range runs {
		s := view.NewFor(p.log.Header)
		for _, e := range p.log.Events {
			if s.Apply(e); e.Kind != event.VoteCast && e.Kind != event.RecipePhase {
				continue
			}
			f, marks := pictureOf(s, e.At)
			silent := !slices.ContainsFunc(s.Ensemble.Servers, func(n view.Server) bool { return n.Serves() && !n.Paused })
			faded := slices.ContainsFunc(f.Ops, func(o display.Op) bool { return o.Fill == veil })
			n, _ := s.Ensemble.Whose()
			fades := silent || n > 0 && !s.Ensemble.Servers[n-1].Serves()
			alone[fades && !silent]++
			if faded != fades || slices.Contains(marks, "unserved") != silent || hasText(&f, "no server answers") != silent {
				t.Fatalf("%s, event %d: no server answers: %v, S%d doesn't: %v, and the box is faded: %v", p.condition, e.Seq,
					silent, n, fades, faded)
			}
			if !slices.ContainsFunc(s.Clients, func(c view.Client) bool { return c.Inside }) {
				continue
			}
			if inside[silent]++; hasText(&f, "A is inside") == silent && s.Clients[0].Inside {
				t.Fatalf("%s, event %d: no server answers: %v, but the picture says that A is inside", p.condition, e.Seq, silent)
			}
		}
	}
	if inside[true] == 0 || inside[false] == 0 {
		t.Errorf("clients were inside at %v moments", inside)
	}
	if alone[true] == 0 {
		t.Error("at no moment did only the server not answer whose znodes are drawn")
	}
}

// TestDiskIsBusy checks that a row says for how long a fault slows its server's disk.
func TestDiskIsBusy(t *testing.T) {
	s := ensemble(queued("predecessor-lock", 2), 3)
	s.Ensemble.Servers[0].SlowUntil = now + time.Second
	for after, want := range map[time.Duration]bool{0: true, 999 * time.Millisecond: true, time.Second: false} {
		f, marks := pictureOf(s, now+after)
		if hasText(&f, "disk busy") != want || slices.Contains(marks, "busy server-1") != want {
			t.Errorf("after %s the disk is busy, but the marks are %q", after, marks)
		}
	}
}

// TestRefusalEnds checks that a client's struck letter leaves a server's row once the server has all that it has seen.
func TestRefusalEnds(t *testing.T) {
	s := ensemble(queued("predecessor-lock", 2), 3)
	s.Clients[1].Seen = 2<<32 | 6
	for applied, want := range map[int64]bool{2<<32 | 5: true, 2<<32 | 6: false, 2<<32 | 9: false} {
		s.Ensemble.Servers[0].Delivered = applied
		if _, marks := pictureOf(s, now); slices.Contains(marks, "refused B server-1") != want {
			t.Errorf("with %#x applied, the marks are %q", applied, marks)
		}
	}
}

// TestHeartbeatsInFocus checks that the heartbeats of a client in focus have words while its server answers them
// without the leader, and only then.
func TestHeartbeatsInFocus(t *testing.T) {
	s := behind(t)
	for i, reply := range []bool{false, true} {
		f := view.Flight{Seq: s.Seq + event.Seq(i) + 1, From: 2, Op: event.Ping, Reply: reply, Sent: s.At,
			Takes: 400 * time.Millisecond}
		if reply {
			f.From, f.To = event.ZooKeeper, 2
		}
		s.Flights.List = append(s.Flights.List, f)
	}
	s.Flights.List[len(s.Flights.List)-2].Sent -= 300 * time.Millisecond
	at := s.At + 50*time.Millisecond
	for focus, want := range map[string]bool{"client-2": true, "client-1": false} {
		_, marks := pictureOf(s, at, focus)
		if got := slices.Contains(marks, "message ping B") && slices.Contains(marks, "reply ping B ok"); got != want {
			t.Errorf("focus %s: the heartbeats have words: %v, among %q", focus, got, marks)
		}
	}
}

// TestClientsHaveRoom checks that a row whose name leaves no room for two clients has them behind its epoch, not only
// their number.
func TestClientsHaveRoom(t *testing.T) {
	s := ensemble(queued("predecessor-lock", 2), 5)
	for i := range s.Ensemble.Servers {
		n := &s.Ensemble.Servers[i]
		n.Up, n.Phase, n.Leader, n.Accepted, n.Current, n.Cut = true, event.Broadcasting, event.Server(5), 2, 2, 0
	}
	for i := range s.Clients {
		s.Clients[i].Server = event.Server(4)
	}
	for _, size := range [][2]float64{{560, 560}, {640, 680}, {700, 760}} {
		var f scene.Frame
		f.Draw(s, now, scene.Options{Words: english, Width: size[0], Height: size[1], Theme: display.Light()})
		row, _ := f.Find("server-4")
		in := map[string]bool{}
		for _, o := range f.Ops {
			if o.Kind == display.Text && o.Y > row.Y && o.Y < row.Y+row.H {
				in[o.Text] = true
			}
		}
		if !in["A"] || !in["B"] || in["+2"] {
			t.Errorf("%.0f×%.0f: the row says %v, not who is connected", size[0], size[1], in)
		}
	}
}
