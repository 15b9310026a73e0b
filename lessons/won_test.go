package lessons_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
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
	words := proseOf(l, step.Anchor)
	said := words.Goal + " " + words.Won
	solution := parsed(t, c.Solution[0])
	for _, kind := range []fault.Kind{fault.Expire, fault.Pause, fault.Cut} {
		if slices.Contains(c.Forbid, kind.String()) {
			continue
		}
		f := solution
		if f.Kind = kind; !kind.Lasts() {
			f.For = 0
		}
		r, err := l.Read(simulate(t, with(l.Scenario, f)))
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

// TestWonTextsNameNoOtherFault checks what all tasks say, against every fault on a client by which they are won: a text
// that speaks of a pause must not follow a cut.
func TestWonTextsNameNoOtherFault(t *testing.T) {
	named := map[string][]fault.Kind{
		"pause": {fault.Pause, fault.Stall}, "sleep": {fault.Pause, fault.Stall}, "isn't running": {fault.Pause, fault.Crash},
		"network": {fault.Cut, fault.Delay, fault.Drop}, "can't hear": {fault.Cut}, "slow": {fault.Delay, fault.Pause},
		"crash": {fault.Crash}, "dead": {fault.Crash, fault.Vanish}, "is gone:": {fault.Crash, fault.Vanish},
	}
	b, won := open(t), 0
	for i := range b.Lessons {
		l := &b.Lessons[i]
		for j := range l.Steps {
			if l.Steps[j].Challenge == nil {
				continue
			}
			said := proseOf(l, l.Steps[j].Anchor).Won
			for _, f := range ways(t, l, j, b.RunOf(l.Slug)) {
				won++
				for words, kinds := range named {
					if strings.Contains(said, words) && !slices.Contains(kinds, f.Kind) {
						t.Errorf("%s: %s wins, and it says %q: %s", l.Slug, f, words, said)
					}
				}
			}
		}
	}
	if won < 100 {
		t.Errorf("only %d faults on a client win", won)
	}
}

// TestWonTextsCountRight checks what some say of the clients, however they are won.
func TestWonTextsCountRight(t *testing.T) {
	b := open(t)
	for _, c := range []struct {
		slug, says string
		holds      func(end *view.State, who fault.Fault) bool
	}{
		{"a-barrier", "Four are waiting for a fifth", func(end *view.State, _ fault.Fault) bool {
			return countOf(end, func(c *view.Client) bool {
				return c.Belief.Phase == program.Waiting && !c.Crashed && !c.Exited
			}) == 4
		}},
		{"the-sleeper-in-the-database", "the next in line waits", func(end *view.State, _ fault.Fault) bool {
			return countOf(end, func(c *view.Client) bool {
				return c.Belief.Phase == program.Waiting && !c.Exited && !c.Vanished
			}) > 0
		}},
		{"every-message", "went home without waiting", func(end *view.State, _ fault.Fault) bool {
			return countOf(end, func(c *view.Client) bool { return c.Belief.Phase == program.GaveUp }) > 0
		}},
		{"who-is-here", "hasn't ended, but it gets no more orders", func(_ *view.State, f fault.Fault) bool {
			return f.Kind != fault.Crash && f.Kind != fault.Vanish
		}},
	} {
		l, _ := b.Find(c.slug)
		j := slices.IndexFunc(l.Steps, func(s lessons.Step) bool { return s.Challenge != nil })
		if said := proseOf(l, l.Steps[j].Anchor).Won; !strings.Contains(said, c.says) {
			t.Errorf("%s: it doesn't say %q: %s", c.slug, c.says, said)
		}
		for _, f := range ways(t, l, j, b.RunOf(l.Slug)) {
			log := simulate(t, with(l.Scenario, f))
			history := &view.History{}
			history.AppendAll(log.Events)
			if !c.holds(history.StateAtSeq(event.Seq(len(log.Events))), f) {
				t.Errorf("%s: %s wins, and it isn't so that %q", c.slug, f, c.says)
			}
		}
	}
}

func countOf(s *view.State, is func(*view.Client) bool) (n int) {
	for i := range s.Clients {
		if is(&s.Clients[i]) {
			n++
		}
	}
	return n
}

func proseOf(l *lessons.Lesson, anchor string) lessons.StepProse {
	for _, words := range l.Prose[lessons.Source].Steps {
		if words.Anchor == anchor {
			return words
		}
	}
	return lessons.StepProse{}
}

// ways returns the faults on single clients that win a step's task: soon after the reader comes to it, and when its
// solution does.
func ways(t *testing.T, l *lessons.Lesson, step int, played *lessons.Run) (all []fault.Fault) {
	t.Helper()
	s := &l.Steps[step]
	last := parsed(t, s.Challenge.Solution[0])
	stop := (played.Positions[step].At + time.Second).Truncate(time.Millisecond)
	for client := 1; client <= l.Scenario.Clients; client++ {
		for _, at := range []time.Duration{stop, last.At} {
			faults := faultsOn(client, at, fault.Beyond(l.Scenario.WithDefaults().SessionTimeout))
			for _, f := range append(faults, parsed(t, fmt.Sprintf("vanish client-%d at %s", client, at))) {
				if f.Client != client || !possible(l.Scenario, f) || s.Task(played).Forbids(f.String()) != "" {
					continue
				}
				if isWonBy(t, l, s, played, f) {
					all = append(all, f)
				}
			}
		}
	}
	return all
}

// with returns a scenario with more faults.
func with(s run.Scenario, more ...fault.Fault) run.Scenario {
	s.Faults = append(slices.Clip(s.Faults), more...)
	return s
}

func isWonBy(t *testing.T, l *lessons.Lesson, step *lessons.Step, played *lessons.Run, f fault.Fault) bool {
	t.Helper()
	r, err := l.Read(simulate(t, with(l.Scenario, f)))
	if err != nil {
		t.Fatal(err)
	}
	a := challenge.Attempt{Task: step.Task(played)}
	a.Act(nil)
	last := event.Seq(len(r.Log.Events))
	return a.Judge(broken(r, step.Challenge, last), []string{f.String()}, true) == challenge.Done
}
