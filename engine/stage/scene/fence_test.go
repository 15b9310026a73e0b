package scene_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestFences checks that a fence crosses the strip where nothing passes, that it stands between neighbours that are cut
// off, and that both ends name any other cut; the larger side only if there's room. A message that waits stops before
// the gap between the two.
func TestFences(t *testing.T) {
	for _, c := range []struct {
		name         string
		servers      int
		cuts         string // pairs of servers
		walls, short int
		marks        string
		from, to     int // ends of a message that waits
		gap          int // the message waits behind this server
	}{
		{"two halves", 4, "13 14 23 24", 1, 0, "fence server-2 wall", 1, 4, 2},
		{"one end", 3, "13 23", 1, 0, "fence server-2 wall", 3, 1, 2},
		{"the middle one", 3, "12 23", 0, 2, "fence server-1, fence server-2", 1, 2, 1},
		{"those at the ends", 3, "13", 0, 0, "fence server-1 S3, fence server-3 S1", 1, 3, 2},
		{"and back", 3, "13", 0, 0, "fence server-1 S3, fence server-3 S1", 3, 1, 1},
		{"one from two", 4, "13 14", 0, 0, "fence server-1 S3 S4, fence server-4 S1", 4, 1, 1},
		{"all from all", 3, "12 13 23", 2, 0, "fence server-1 wall, fence server-2 wall", 3, 1, 2},
	} {
		s := ensemble(queued("predecessor-lock", 2), c.servers)
		for i := range s.Ensemble.Servers {
			s.Ensemble.Servers[i].Cut = 0
		}
		s.Flights.List = nil
		for pair := range strings.FieldsSeq(c.cuts) {
			s.Apply(event.Event{Seq: s.Seq + 1, At: now, Kind: event.LinkCut, Actor: event.Server(int(pair[0] - '0')),
				Peer: event.Server(int(pair[1] - '0'))})
		}
		s.Apply(event.Event{Seq: s.Seq + 1, At: now, Kind: event.MsgSent, Actor: event.Server(c.from),
			Peer: event.Server(c.to), Op: event.Ack, N: 1})
		var layout scene.Layout
		var f scene.Frame
		o := scene.Options{Words: english, Width: 1280, Height: 800, Theme: display.Light()}
		f.Clear(o.Width, o.Height, o.Theme.Paper)
		plan := layout.Plan(s, now+2, o)
		f.Paint(plan, 0, 0)
		var marks []string
		var message mark.Mark
		for _, m := range plan.Marks() {
			switch m.Kind {
			case mark.Fence:
				marks = append(marks, m.String())
			case mark.Between:
				message = m
			}
		}
		if got := strings.Join(marks, ", "); got != c.marks {
			t.Errorf("%s: the marks are %q, not %q", c.name, got, c.marks)
		}
		box := func(i int) display.Hit {
			h, _ := f.Find(fmt.Sprintf("server-%d", i))
			return h
		}
		walls, short := 0, 0
		for _, op := range f.Ops {
			level := op.Kind == display.Line && op.Y == op.Y3 && op.Stroke == display.Light().Signal
			inGap := slices.ContainsFunc([]int{1, 2, 3}[:c.servers-1], func(i int) bool {
				return op.Y > box(i).Y+box(i).H && op.Y < box(i+1).Y
			})
			switch h := box(1); {
			case !level || !inGap || op.X > h.X+1: // a piece stands on the strip
			case op.X3 > h.X+h.W-1:
				walls++
			default:
				short++
			}
		}
		if walls != c.walls || short != c.short {
			t.Errorf("%s: there are %d walls and %d fences, not %d and %d", c.name, walls, short, c.walls, c.short)
		}
		gap := float64(box(c.gap).Y+box(c.gap).H+box(c.gap+1).Y) / 2
		away := gap - (message.Y + message.H)
		if c.from > c.to {
			away = message.Y - gap
		}
		if away < 0 || away > 12 {
			t.Errorf("%s: the message waits %.1f px away from what parts the two", c.name, away)
		}
	}
}

// TestScissorsStandAtWhoIsCutOff checks that on a phone, without room for names, only the server that is cut off from
// all others has scissors.
func TestScissorsStandAtWhoIsCutOff(t *testing.T) {
	s := ensemble(queued("predecessor-lock", 2), 5)
	for i := range s.Ensemble.Servers {
		s.Ensemble.Servers[i] = s.Ensemble.Servers[0]
		s.Ensemble.Servers[i].Cut = 1 << 3
	}
	s.Ensemble.Servers[2].Cut = 1<<1 | 1<<2 | 1<<4 | 1<<5
	var got []string
	for _, m := range planOf(s, scene.Options{Words: english, Width: 330, Height: 338}).Marks() {
		if m.Kind == mark.Fence && m.Value != "" {
			got = append(got, m.String())
		}
	}
	if want := []string{"fence server-3 S1 S5"}; !slices.Equal(got, want) {
		t.Errorf("the scissors are %q, not %q", got, want)
	}
}
