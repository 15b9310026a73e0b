package scene_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestLinkOfAnExpiredSession checks that a client's connection looks dead from the end of its session until it has
// another: dashed, without the dot on ZooKeeper's edge, and with scissors only if it's broken and nobody mends it.
func TestLinkOfAnExpiredSession(t *testing.T) {
	expired := func(c *view.Client) { c.Ended = view.Expired }
	broken := func(c *view.Client) { c.Linked, c.Cut, c.Closed = false, true, event.ConnHungUp }
	told := func(c *view.Client) { c.Closed = event.BySessionExpired }
	severed := func(c *view.Client) { c.CutUntil = now + time.Minute }
	both := func(all ...func(*view.Client)) func(*view.Client) {
		return func(c *view.Client) {
			for _, change := range all {
				change(c)
			}
		}
	}
	for name, c := range map[string]struct {
		change                func(c *view.Client)
		connects              bool
		dashed, dot, scissors bool
	}{
		"alive":         {func(*view.Client) {}, false, false, true, false},
		"broken":        {broken, false, true, false, true},
		"expired":       {expired, false, true, false, false},
		"then hung up":  {both(expired, broken), false, true, false, true},
		"then it calls": {both(expired, broken), true, true, false, false},
		"then told":     {both(expired, broken, told), false, true, false, false},
		"behind a cut":  {both(expired, broken, severed), true, true, false, true},
	} {
		s := queued("predecessor-lock", 3)
		c.change(&s.Clients[1])
		if c.connects {
			s.Flights.List = append(s.Flights.List,
				view.Flight{From: 2, Op: event.Connect, Sent: now - 100*time.Millisecond, Takes: time.Second})
		}
		var f scene.Frame
		o := scene.Options{Words: english, Width: 1280, Height: 720, Theme: display.Light()}
		f.Draw(s, now, o)
		link := f.Parts[slices.IndexFunc(f.Parts, func(h display.Hit) bool {
			return h.ID == "client-2" && h.Part == display.LinkPart
		})]
		x, dashed, dot := link.X+link.W/2, false, false
		for _, op := range f.Ops {
			dashed = dashed || op.Kind == display.Line && op.Dash > 0 && op.X == x && op.X3 == x
			dot = dot || op.Kind == display.Circle && op.X == x && op.R < 6 && op.Fill == o.Theme.Edge
		}
		if dashed != c.dashed || dot != c.dot {
			t.Errorf("%s: its link is dashed %v, with a dot %v", name, dashed, dot)
		}
		scissors := slices.ContainsFunc(planOf(s, o).Marks(), func(m mark.Mark) bool {
			return m.Kind == mark.Cut && m.Subject == "B"
		})
		if scissors != c.scissors {
			t.Errorf("%s: its link has scissors %v", name, scissors)
		}
	}
}

// TestLinkEndsAtItsServer checks that the link of a client of another server than the one whose znodes are drawn
// doesn't reach their box, and names that server where there is room.
func TestLinkEndsAtItsServer(t *testing.T) {
	runs, err := ensembles()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, p := range runs {
		s := view.NewFor(p.log.Header)
		for _, e := range p.log.Events {
			if s.Apply(e); e.Kind != event.ConnOpened && e.Kind != event.RecipePhase {
				continue
			}
			f, marks := pictureOf(s, e.At)
			whose, _ := s.Ensemble.Whose()
			for i := range s.Clients {
				c := &s.Clients[i]
				if !c.Linked || c.Ended != view.Alive || whose == 0 || c.Server == 0 {
					continue
				}
				at := slices.IndexFunc(f.Parts, func(h display.Hit) bool { return h.ID == c.Name && h.Part == display.LinkPart })
				if at < 0 {
					continue
				}
				apart, link := c.Server.Number() != whose, f.Parts[at]
				dot := slices.ContainsFunc(f.Ops, func(o display.Op) bool {
					return o.Kind == display.Circle && o.X == link.X+link.W/2 && o.R < 6 && o.Fill == display.Light().Edge
				})
				name := "linked " + event.Actor(i+1).Letter() + " S" + strconv.Itoa(c.Server.Number())
				if dot == apart || !apart && slices.Contains(marks, name) {
					t.Fatalf("%s, event %d: %s is at S%d, the znodes are S%d's, and its link ends there: %v", p.condition, e.Seq,
						c.Name, c.Server.Number(), whose, dot)
				}
				switch {
				case slices.Contains(marks, name):
					seen["named"]++
				case apart:
					seen["apart"]++
				default:
					seen["there"]++
				}
			}
		}
	}
	if seen["named"] == 0 || seen["there"] == 0 {
		t.Errorf("links ended %v", seen)
	}
}

// TestServedBeyondItsSession checks that the link of a client whose session has ended looks alive as long as its server
// hears nothing from the leader and so goes on serving it.
func TestServedBeyondItsSession(t *testing.T) {
	for i, served := range []bool{true, false, false} {
		s := ensemble(queued("predecessor-lock", 3), 3)
		s.Clients[i].Ended = view.Expired
		f, _ := pictureOf(s, now)
		link := f.Parts[slices.IndexFunc(f.Parts, func(h display.Hit) bool {
			return h.ID == s.Clients[i].Name && h.Part == display.LinkPart
		})]
		x := link.X + link.W/2
		if solid := !slices.ContainsFunc(f.Ops, func(o display.Op) bool {
			return o.Kind == display.Line && o.Dash > 0 && o.X == x && o.X3 == x
		}); solid != served {
			t.Errorf("the link of %s to %s is solid: %v", s.Clients[i].Name, s.Clients[i].Server, solid)
		}
	}
}

// TestLostWordKeepsClearOfTheScissors checks that the word of a lost message lies beside the scissors on its link, on a
// side that has room.
func TestLostWordKeepsClearOfTheScissors(t *testing.T) {
	for _, size := range [][2]float64{{1400, 560}, {1120, 420}, {800, 400}, {390, 400}} {
		for _, lost := range []int{1, 2, 3} {
			s := queued("predecessor-lock", 3)
			c := &s.Clients[lost-1]
			c.Linked, c.Cut, c.Closed = false, true, event.ConnHungUp
			s.Flights.List = []view.Flight{{Seq: s.Seq, From: event.Actor(lost), Op: event.Connect, Dropped: true, Over: true,
				Sent: now - 400*time.Millisecond, OverAt: now - 100*time.Millisecond, Takes: time.Second}}
			marks := planOf(s, scene.Options{Words: english, Width: size[0], Height: size[1], Still: true}).Marks()
			find := func(kind mark.Kind) mark.Mark {
				return marks[slices.IndexFunc(marks, func(m mark.Mark) bool { return m.Kind == kind })]
			}
			word, cut := find(mark.Lost), find(mark.Cut)
			if word.X < cut.X+cut.W && cut.X < word.X+word.W && word.Y < cut.Y+cut.H && cut.Y < word.Y+word.H {
				t.Errorf("%v, client %d: %+v lies on %+v", size, lost, word, cut)
			}
		}
	}
}

// TestMessageBesideALostOne checks that a message that meets a lost one on its link has its word, apart from that and
// from the scissors there, or isn't drawn where there is no room.
func TestMessageBesideALostOne(t *testing.T) {
	for size, words := range map[[3]int]int{{1400, 560, 3}: 1, {800, 400, 3}: 1, {390, 400, 3}: 1, {390, 400, 8}: 0} {
		for _, broken := range []bool{true, false} {
			s := queued("predecessor-lock", size[2])
			if c := &s.Clients[1]; broken {
				c.Linked, c.Cut, c.Closed = false, true, event.ConnHungUp
			}
			sent := now - 400*time.Millisecond
			s.Flights.List = []view.Flight{
				{Seq: s.Seq - 1, To: 2, Op: event.Set, Reply: true, Dropped: true, Over: true, Sent: sent, OverAt: now,
					Takes: time.Second},
				{Seq: s.Seq, From: 2, Op: event.Connect, Sent: sent, Takes: time.Second},
			}
			o := scene.Options{Words: english, Width: float64(size[0]), Height: float64(size[1]), Still: true}
			var apart []mark.Mark
			for _, m := range planOf(s, o).Marks() {
				if m.Kind == mark.Lost || m.Kind == mark.Cut || m.Kind == mark.Message {
					apart = append(apart, m)
				}
			}
			n := 0
			for i, m := range apart {
				for _, o := range apart[:i] {
					if m.X < o.X+o.W && o.X < m.X+m.W && m.Y < o.Y+o.H && o.Y < m.Y+m.H {
						t.Errorf("%v, broken %v: %+v lies on %+v", size, broken, m, o)
					}
				}
				if m.Kind == mark.Message && m.W > 20 { // else it's a dot
					n++
				}
			}
			if n != words {
				t.Errorf("%v, broken %v: %d messages with words in %+v", size, broken, n, apart)
			}
		}
	}
}

// TestEyesOnHalfOfAPhone checks that those who listen to a channel have their eyes there on half of a phone's stage,
// too, where no line leads to them.
func TestEyesOnHalfOfAPhone(t *testing.T) {
	channel := root + "/released"
	f := keyHeld(4, 10*time.Second)
	for _, who := range []event.Actor{3, 4} {
		f.at(now - 2*time.Second).put(event.Event{Kind: event.OpSent, Actor: who, Peer: event.Node(1), Op: event.Command,
			Path: channel, Text: "SUBSCRIBE " + channel, Watch: event.PersistentWatch})
		f.at(now - time.Second).put(event.Event{Kind: event.OpDone, Actor: who, Peer: event.Node(1), Op: event.Command,
			Path: channel, Text: "[subscribe " + channel + " 1]"})
	}
	var l scene.Layout
	o := scene.Options{Words: english, Width: half.width, Height: half.height, Theme: display.Light()}
	p := l.Plan(f.end(), now, o)
	for _, who := range []string{"C", "D"} {
		if !slices.ContainsFunc(p.Marks(), func(m mark.Mark) bool { return m.Is("watch " + who + " *released") }) {
			t.Errorf("%s has no eye at the channel: %v", who, p.Marks())
		}
	}
}
