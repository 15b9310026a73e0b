package panes_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// TestGoldenHolding plays incidents and reads the answers at some of their moments, forwards and back. The rest of
// the log must not change an answer.
func TestGoldenHolding(t *testing.T) {
	datadriven.Walk(t, "testdata/holding", func(t *testing.T, path string) {
		var s *script
		var asked panes.Holding
		golden.Script(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "log":
				s, asked = newScript(t, d), panes.Holding{}
				return ""
			case "at":
				return s.answers(d, &asked)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

// answers returns the answers at the moment that a command names.
func (s *script) answers(d *datadriven.TestData, asked *panes.Holding) string {
	at, err := time.ParseDuration(d.CmdArgs[0].Key)
	if err != nil {
		s.t.Fatal(err)
	}
	f := panes.Facts{History: s.history, At: at, Host: s.host, Playing: true}
	f.Seq = s.history.SeqAt(at)
	d.MaybeScanArgs(s.t, "selected", &f.Selected)
	d.MaybeScanArgs(s.t, "shown", &s.shown)
	f.State = s.history.StateAtSeq(f.Seq)
	shown := s.shown
	p, unfinished := asked.At(&f, shown, say(s.t))
	s.shown = p.Where
	if unfinished {
		s.t.Error("there is more to look at")
	}
	f.History = s.history.Fork(f.Seq)
	f.State = f.History.StateAtSeq(f.Seq)
	if alone, _ := new(panes.Holding).At(&f, shown, say(s.t)); !reflect.DeepEqual(alone, p) {
		s.t.Errorf("at %s without what comes later:\n%snot\n%s", at, written(alone), written(p))
	}
	return written(p)
}

// written returns a panel as text.
func written(p panes.Panel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.Where, p.Kind)
	for _, a := range p.Now {
		b.WriteString("  " + line(a) + "\n")
	}
	for _, l := range p.Lists {
		if fmt.Fprintln(&b, l.Title); len(l.Lines) > 0 {
			for _, a := range l.Lines {
				b.WriteString("  " + line(a) + "\n")
			}
		}
		if l.More != "" {
			b.WriteString("  " + l.More + "\n")
		}
	}
	if p.Told != "" {
		b.WriteString("aloud: " + p.Told + "\n")
	}
	return b.String() + p.Aside + "\n"
}

// spoken returns all texts of a panel.
func spoken(p panes.Panel) string {
	all := []string{p.Where, p.Kind, p.Told, p.Aside}
	lines := p.Now
	for _, l := range p.Lists {
		all, lines = append(all, l.Title, l.More), append(lines, l.Lines...)
	}
	for _, a := range lines {
		all = append(all, a.Name)
		for _, piece := range a.Pieces {
			all = append(all, piece.Who.Label, piece.Text)
		}
	}
	return strings.Join(all, " · ")
}

func line(a panes.Answer) string {
	var parts []string
	if a.Name != "" {
		parts = append(parts, a.Name+":")
	}
	for _, p := range a.Pieces {
		if p.Who.Label != "" {
			parts = append(parts, "["+p.Who.Label+"]")
		}
		if p.Text != "" {
			parts = append(parts, p.Text)
		}
	}
	if a.Wrong {
		parts = append(parts, "!")
	}
	if a.Seq > 0 {
		parts = append(parts, fmt.Sprintf("(event %d)", a.Seq))
	}
	if a.Select != "" {
		parts = append(parts, "("+a.Select+")")
	}
	return strings.Join(parts, " ")
}

// BenchmarkHolding lets 2,000 clients queue for a lock that changes hands 95 times a second, and asks ten times a
// second.
func BenchmarkHolding(b *testing.B) {
	h := view.NewHistoryFor(event.Header{Host: event.Joined, Root: "/l"})
	h.Append(event.Event{Kind: event.RunStarted, N: 1_700_000_000_000})
	const clients, each = 2000, 19
	at, zxid := time.Duration(0), int64(0)
	znode := func(kind event.Kind, i int) {
		who := event.Actor(i%clients + 1)
		zxid++
		h.Append(event.Event{At: at, Kind: kind, Zxid: zxid, Peer: who, Session: int64(who), Reason: event.ByOp,
			Path: fmt.Sprintf("/l/_c_9f3a6c1e0b7d4f559a1b0123456789ab-lock-%010d", i)})
	}
	for i := range clients {
		h.Append(event.Event{Kind: event.SessionCreated, Peer: event.Actor(i + 1), Session: int64(i + 1), N: 1e10})
		znode(event.ZnodeCreated, i)
	}
	var asked panes.Holding
	said := func(key string, args ...string) string { return key + strings.Join(args, " ") }
	next := 0
	for b.Loop() {
		b.StopTimer()
		for range each / 2 {
			at += time.Second / 190
			znode(event.ZnodeDeleted, next)
			znode(event.ZnodeCreated, next+clients)
			next++
		}
		f := panes.Facts{History: h, At: at, Seq: event.Seq(h.Len()), Host: event.Joined}
		f.State = h.StateAtSeq(f.Seq)
		f.State.Siblings("/l") // the picture asks for it as well
		b.StartTimer()
		asked.At(&f, "/l", said)
	}
}
