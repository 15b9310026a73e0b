package lessons_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/lessons"
)

// TestWonTextsHoldHoweverItIsWon checks what tasks say of a client whose znode went, against the logs of several ways
// to win: a paused program doesn't run, and who has ended is told nothing.
func TestWonTextsHoldHoweverItIsWon(t *testing.T) {
	b, checked := open(t), 0
	for i := range b.Lessons {
		l := &b.Lessons[i]
		for j := range l.Steps {
			if c := l.Steps[j].Challenge; c != nil && c.Rule == challenge.GoneAlive && l.Scenario.Servers < 2 {
				checked++
				checkWonText(t, l, &l.Steps[j])
			}
		}
	}
	if checked < 3 {
		t.Errorf("only %d tasks are about a client that goes on", checked)
	}
}

func checkWonText(t *testing.T, l *lessons.Lesson, step *lessons.Step) {
	t.Helper()
	c := step.Challenge
	said := ""
	for _, words := range l.Prose[lessons.Source].Steps {
		if words.Anchor == step.Anchor {
			said = words.Goal + " " + words.Won
		}
	}
	solution, err := fault.Parse(c.Solution[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []fault.Kind{fault.Expire, fault.Pause, fault.Cut} {
		if slices.Contains(c.Forbid, kind.String()) {
			continue
		}
		f := solution
		if f.Kind = kind; !kind.Lasts() {
			f.For = 0
		}
		s := l.Scenario
		s.Faults = append(slices.Clip(s.Faults), f)
		r, err := l.Read(simulate(t, s))
		if err != nil {
			t.Fatal(err)
		}
		feats := challenge.Feats(logged{r.Log})
		at := slices.IndexFunc(feats, func(g challenge.Feat) bool { return int(g.Client) == f.Client })
		if at < 0 {
			t.Errorf("%s: it isn't won by %s", l.Slug, f)
			continue
		}
		history := &view.History{}
		history.AppendAll(r.Log.Events)
		who := history.StateAtSeq(feats[at].Seq).Clients.Get(event.Actor(f.Client))
		for _, claim := range []string{"running", "runs", "at work"} {
			if who.Paused && strings.Contains(said, claim) {
				t.Errorf("%s: %s wins, and %q is said of a paused program: %s", l.Slug, f, claim, said)
			}
		}
		if who.Exited || who.Crashed {
			t.Errorf("%s: %s wins, and the program has ended", l.Slug, f)
		}
	}
}

// TestWonTextsNameNoOtherFault checks that what is said of a task that a cut wins, too, doesn't speak of a pause.
func TestWonTextsNameNoOtherFault(t *testing.T) {
	b, won := open(t), 0
	for i := range b.Lessons {
		l := &b.Lessons[i]
		for j := range l.Steps {
			c := l.Steps[j].Challenge
			if c == nil || len(c.Solution) != 1 || slices.Contains(c.Forbid, "cut") {
				continue
			}
			f, err := fault.Parse(c.Solution[0])
			if err != nil || f.Kind != fault.Pause {
				continue
			}
			f.Kind = fault.Cut
			if !isWonBy(t, l, &l.Steps[j], b.RunOf(l.Slug), f) {
				continue
			}
			won++
			for _, words := range l.Prose[lessons.Source].Steps {
				for _, claim := range []string{"pause", "sleeps", "isn't running"} {
					if words.Anchor == l.Steps[j].Anchor && strings.Contains(words.Won, claim) {
						t.Errorf("%s: %s wins, and it says %q: %s", l.Slug, f, claim, words.Won)
					}
				}
			}
		}
	}
	if won < 3 {
		t.Errorf("only %d tasks are won by a cut in place of a pause", won)
	}
}

func isWonBy(t *testing.T, l *lessons.Lesson, step *lessons.Step, played *lessons.Run, f fault.Fault) bool {
	t.Helper()
	s := l.Scenario
	s.Faults = append(slices.Clip(s.Faults), f)
	r, err := l.Read(simulate(t, s))
	if err != nil {
		t.Fatal(err)
	}
	a := challenge.Attempt{Task: step.Task(played)}
	a.Act(nil)
	last := event.Seq(len(r.Log.Events))
	return a.Judge(broken(r, step.Challenge, last), []string{f.String()}, true) == challenge.Done
}
