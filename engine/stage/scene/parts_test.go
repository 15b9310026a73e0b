package scene_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestPartsAnswerToThePointer checks that links and messages respond to the pointer: a message before what lies below
// it, a link where nothing else is. A finger needn't be exact.
func TestPartsAnswerToThePointer(t *testing.T) {
	s := queued("predecessor-lock", 4)
	s.Flights.List = append(s.Flights.List,
		view.Flight{Seq: 41, From: 2, Op: event.Create, Sent: now - 100*time.Millisecond, Takes: 300 * time.Millisecond},
		view.Flight{Seq: 42, To: 3, Op: event.Get, Reply: true, Sent: now - 100*time.Millisecond,
			Takes: 300 * time.Millisecond},
		view.Flight{Seq: 43, From: 4, Op: event.Ping, Sent: now - 100*time.Millisecond, Takes: 300 * time.Millisecond})
	var f scene.Frame
	f.Draw(s, now, scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()})
	messages, links, server := map[event.Seq]string{}, map[string]display.Hit{}, false
	for _, h := range f.Parts {
		if h.W < 24 || h.H < 24 {
			t.Errorf("%+v is too small for a finger", h)
		}
		switch h.Part {
		case display.LinkPart:
			links[h.ID] = h
			continue
		case display.ServerPart:
			server = true
			continue
		}
		messages[h.Message] = h.ID
		if got, _ := f.Under(float64(h.X+h.W/2), float64(h.Y+h.H/2), 0); got != h {
			t.Errorf("in the middle of %+v is %+v", h, got)
		}
	}
	if len(messages) != 2 || messages[41] != "client-2" || messages[42] != "client-3" {
		t.Errorf("the messages are %v", messages)
	}
	if !server {
		t.Error("ZooKeeper's name doesn't answer")
	}
	if len(links) != 4 {
		t.Fatalf("%d links answer, want 4", len(links))
	}
	link := links["client-1"]
	x, y := float64(link.X+link.W/2), float64(link.Y+link.H/2)
	if got, _ := f.Under(x, y, 0); got != link {
		t.Errorf("on A's link is %+v", got)
	}
	if got, ok := f.Under(float64(link.X)-6, y, 0); ok {
		t.Errorf("beside A's link is %+v", got)
	}
	if got, _ := f.Under(float64(link.X)-6, y, 10); got != link {
		t.Errorf("for a finger, beside A's link is %+v", got)
	}
	if id, ok := f.At(x, y); ok {
		t.Errorf("on A's link, the whole is %q", id)
	}
	whole, ok := f.Find("client-1")
	if got, _ := f.Under(float64(whole.X+whole.W/2), float64(whole.Y+whole.H/2), 0); !ok || got != whole {
		t.Errorf("in the middle of A is %+v, want %+v", got, whole)
	}
	if _, ok := f.Find("client-5"); ok {
		t.Error("a client that is not there was found")
	}
}

// TestMessagesBetweenServersAnswer checks that each message between servers responds to the pointer until it has
// arrived, and that heartbeats don't.
func TestMessagesBetweenServersAnswer(t *testing.T) {
	for _, op := range []event.Op{event.Proposal, event.Notification} {
		s := asOf("patch", 2, func(e event.Event) bool { return e.Kind == event.MsgSent && e.Op == op })
		at := s.At + 20*time.Millisecond
		want := map[event.Seq]string{}
		for i := range s.Flights.List {
			if m := &s.Flights.List[i]; m.From.Kind() == event.AServer && fault.Named(m.Op) && !m.Over {
				want[m.Seq] = m.From.String()
			}
		}
		var f scene.Frame
		f.Draw(s, at, scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()})
		got := map[event.Seq]string{}
		for _, h := range f.Parts {
			if h.Part != display.MessagePart || !strings.HasPrefix(h.ID, "server-") {
				continue
			}
			got[h.Message] = h.ID
			if under, _ := f.Under(float64(h.X+h.W/2), float64(h.Y+h.H/2), 0); under.Part != display.MessagePart {
				t.Errorf("%s: in the middle of %+v is %+v", op, h, under)
			}
		}
		if len(want) < 2 || !maps.Equal(got, want) {
			t.Errorf("%s: the messages are %v, want %v", op, got, want)
		}
	}
}
