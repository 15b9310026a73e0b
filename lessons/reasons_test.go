package lessons_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// TestReasonsInTheLog compares the reasons in the logs of all lessons, and of the runs beside them, with what
// happened before: a client that is back has been there, one that has joined waits, only ZooKeeper has sessions,
// nobody vouches for disks that a server may have lied about, and a database keeps its row locks on disk.
func TestReasonsInTheLog(t *testing.T) {
	b := open(t)
	for i := range b.Lessons {
		l, r := &b.Lessons[i], b.RunOf(b.Lessons[i].Slug)
		reasonsHold(t, l.Slug, r.Log.Header, player.Of(r.Log).Log.Shown().History())
		for j := range l.Steps {
			if m := besideOf(&l.Steps[j], r); m.state != nil {
				reasonsHold(t, l.Slug+"/"+l.Steps[j].Anchor+", beside", m.state.Header, m.history)
			}
		}
	}
}

func reasonsHold(t *testing.T, where string, h event.Header, log *view.History) {
	t.Helper()
	voice := sentence.Voice{Say: uistrings.English().Say, Client: event.Actor.Letter}
	opened := map[int64]bool{} // sessions that had a connection
	for i := range log.Len() {
		e := log.Event(i)
		why := view.Why(e, log)
		says := voice.Says(why)
		if fault := falseReason(log, e, why.Key, says, h, opened); fault != "" {
			t.Errorf("%s: %s: %q, but %s", where, eventtext.Of(e), says, fault)
		}
		if e.Kind == event.ConnOpened {
			opened[e.Session] = true
		}
	}
}

// TestTimesInTheLog: the log gives each znode the same time as the picture, where that shows it.
func TestTimesInTheLog(t *testing.T) {
	b := open(t)
	shown := 0
	for i := range b.Lessons {
		l, r := &b.Lessons[i], b.RunOf(b.Lessons[i].Slug)
		s, pos, _ := r.StateAt(l.Steps[0].Anchor)
		history := player.Of(r.Log).Log.Shown().History()
		o := stages[0]
		o.Words = uistrings.English()
		var layout scene.Layout
		for _, m := range layout.Plan(s, pos.At, o).Marks() {
			if m.Kind != mark.Made {
				continue
			}
			shown++
			for _, e := range r.Log.Events {
				if e.Kind != event.ZnodeCreated || e.Path != m.Subject {
					continue
				}
				mark := panes.Mark{First: e.Seq, Last: e.Seq}
				if row := panes.NewRow(history, mark, uistrings.English().Say); row.Time != m.Value {
					t.Errorf("%s: %s was made at %s by the log, at %s by the picture", l.Slug, e.Path, row.Time, m.Value)
				}
			}
		}
	}
	if shown == 0 {
		t.Error("no picture shows when a znode was made")
	}
}

func falseReason(log *view.History, e event.Event, key, says string, h event.Header, opened map[int64]bool) string {
	by, _ := log.Lookup(e.Cause)
	switch {
	case e.Kind == event.ConnOpened && e.Peer.Kind() != event.ANode && (key == "why.again") != opened[e.Session]:
		return fmt.Sprintf("whether it was connected before: %v", opened[e.Session])
	case key == "why.op.list" && program.Phase(by.Text) != program.Waiting:
		return "it is " + by.Text
	case strings.Contains(says, "session") && !event.HasZooKeeper(h.Systems):
		return "there are no sessions"
	case e.Kind == event.TxnCommitted && strings.Contains(says, "disk") && h.Flawed():
		return "the servers acknowledge what isn't on their disks"
	case (e.Kind == event.LockFreed || e.Kind == event.TxEnded) && strings.Contains(says, "memory"):
		return "the row has it"
	}
	return ""
}
