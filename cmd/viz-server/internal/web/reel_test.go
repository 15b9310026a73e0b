package web_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/lessons"
)

// TestReels checks that each lesson's reel has its run, event by event and step by step, and the runs beside it. It is
// the same each time.
func TestReels(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Exported: "/"})
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range book.Lessons {
		address := srv.URL + "/lessons/" + l.Slug + "/reel.bin"
		status, _, reel := webtest.Get(t, address)
		takes, err := protocol.ParseReel([]byte(reel))
		if status != http.StatusOK || err != nil {
			t.Fatalf("%s: %d, %v", l.Slug, status, err)
		}
		if _, _, again := webtest.Get(t, address); again != reel {
			t.Errorf("%s: the reel differs the second time", l.Slug)
		}
		page, _ := book.Page(l.Slug, lessons.Source)
		requests := []protocol.Request{{Do: protocol.Open, Lesson: l.Slug, Host: event.Simulated}}
		for _, s := range page.Steps {
			if s.Beside != "" {
				requests = append(requests, protocol.Request{Do: protocol.Open, Query: s.Beside})
			}
		}
		names := map[string]bool{}
		for i, r := range requests {
			take, ok := protocol.FindTake(takes, r)
			if !ok {
				t.Fatalf("%s: there is no take of %+v", l.Slug, r)
			}
			run, events := play(t, take)
			names[run.Run] = true
			if len(events) == 0 || events[len(events)-1].Seq != run.Branches[0].Events || !run.Branches[0].Ended {
				t.Errorf("%s: take %d has %d events, branch %+v", l.Slug, i, len(events), run.Branches[0])
			}
			if again := (protocol.Request{Do: protocol.Resume, Run: run.Run}); i == 0 {
				checkOwn(t, book, l.Slug, run, events)
				if _, ok := protocol.FindTake(takes, again); !ok {
					t.Errorf("%s: %+v finds nothing", l.Slug, again)
				}
			}
		}
		if len(names) != len(takes) {
			t.Errorf("%s: %d takes have %d names", l.Slug, len(takes), len(names))
		}
	}
	if status, _, _ := webtest.Get(t, srv.URL+"/lessons/nothing/reel.bin"); status != http.StatusNotFound {
		t.Errorf("a lesson that doesn't exist: %d", status)
	}
	if status, _, _ := webtest.Get(t, webtest.Serve(t, web.Config{}).URL+"/lessons/the-herd/reel.bin"); status !=
		http.StatusNotFound {
		t.Errorf("a server has a reel: %d", status)
	}
}

// play reads a take as a page does.
func play(t *testing.T, take protocol.Take) (run *protocol.Run, events []event.Event) {
	t.Helper()
	var decoder packed.Decoder
	var judged event.Seq
	for i, a := range take.Answers {
		if a.Frame {
			_, more, err := protocol.ParseFrame(a.Body, &decoder)
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, more...)
			continue
		}
		m, err := protocol.ParseMessage(a.Body)
		switch m := m.(type) {
		case *protocol.Run:
			run = m
		case *protocol.Verdict:
			judged = m.Events
		default:
			t.Fatalf("answer %d is %s: %v", i, a.Body, err)
		}
		if err != nil || (m == protocol.Message(run)) != (i == 0) {
			t.Fatalf("answer %d is %s: %v", i, a.Body, err)
		}
	}
	if protocol.Judged(run.Header) && judged != run.Branches[0].Events {
		t.Errorf("%s: the verdict covers %d events of %d", run.Run, judged, run.Branches[0].Events)
	}
	return run, events
}

// checkOwn compares a lesson's take with the run that its pictures are drawn from.
func checkOwn(t *testing.T, book *lessons.Book, slug string, run *protocol.Run, events []event.Event) {
	t.Helper()
	r := book.RunOf(slug)
	same := slices.EqualFunc(events, r.Log.Events, func(a, b event.Event) bool {
		return a.Kind == b.Kind && a.At == b.At && a.Seq == b.Seq && a.Path == b.Path
	})
	if !same || len(run.Steps) != len(r.Positions) {
		t.Errorf("%s: the take has %d events and %d steps, the run %d and %d", slug, len(events), len(run.Steps),
			len(r.Log.Events), len(r.Positions))
	}
}
