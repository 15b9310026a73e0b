package panes_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	ui "github.com/zkviz/zkviz/static/strings"
)

// reported returns a history in which a client reports a phase.
func reported(p program.Phase) *view.History {
	return small("lock", join(began(1), log(phase(1, p, "/l/lock-0000000003", 3)))...)
}

func picture(t *testing.T, f *view.History) string {
	t.Helper()
	w, err := ui.Load(ui.Source)
	if err != nil {
		t.Fatal(err)
	}
	var frame scene.Frame
	s := f.StateAtSeq(event.Seq(f.Len()))
	frame.Draw(s, s.At+time.Minute, scene.Options{Words: w, Width: 800, Height: 500, Theme: display.Light(), Still: true})
	var svg strings.Builder
	if err := scene.WriteSVG(&svg, &frame, ""); err != nil {
		t.Fatal(err)
	}
	return svg.String()
}

// TestEveryPhaseIsShown checks that each phase has a word in the inspector and in the picture, and a reason in the log,
// and that a client that wrongly believes it is inside is marked at once.
func TestEveryPhaseIsShown(t *testing.T) {
	say, nothing := say(t), picture(t, reported(""))
	words, reasons := map[string]program.Phase{}, map[string]program.Phase{}
	for _, p := range program.Phases() {
		f := reported(p)
		last := event.Seq(f.Len())
		in := panes.Inspect(f.StateAtSeq(last), time.Minute, "client-1", "", say)
		word, reason := value(in, "believes"), panes.Reason(f, f.Event(int(last)-1), say)
		if word == "" || strings.Contains(word, "believes.") || strings.Contains(word, "wrong") {
			t.Errorf("of a client that reports %s the inspector says %q", p, word)
		}
		if reason == "" || strings.Contains(reason, "why.") {
			t.Errorf("the reason of a report of %s is %q", p, reason)
		}
		if other, taken := reasons[reason]; taken && p.Traits().Takes == other.Traits().Takes {
			t.Errorf("%s has the reason of %s: %s", p, other, reason)
		}
		words[word], reasons[reason] = p, p
		if shown := picture(t, f); shown == nothing || strings.Contains(shown, "scene.phase.") {
			t.Errorf("the picture does not show that a client reports %s, or there is no scene.phase.%s", p, p)
		}
		f.Append(event.Event{At: time.Minute, Kind: event.SessionExpired, Peer: 1, Session: 1})
		in = panes.Inspect(f.StateAtSeq(last+1), time.Minute, "client-1", "", say)
		if wrong := strings.Contains(value(in, "believes"), "wrong"); wrong != p.Inside() {
			t.Errorf("of a client that reported %s and whose session expired the inspector says %q", p, value(in, "believes"))
		}
	}
	if len(words) < len(program.Phases())-1 { // released and left have the same word
		t.Errorf("%d phases have %d words", len(program.Phases()), len(words))
	}
}

// TestUnknownPhase checks that a foreign log's phase is shown as text.
func TestUnknownPhase(t *testing.T) {
	f := reported("beyond\u202e")
	in := panes.Inspect(f.StateAtSeq(event.Seq(f.Len())), time.Minute, "client-1", "", say(t))
	if got := value(in, "believes"); got != "beyond·" {
		t.Errorf("it believes %q", got)
	}
	if got := panes.Reason(f, f.Event(f.Len()-1), say(t)); got != "" {
		t.Errorf("the reason is %q", got)
	}
}
