package lessons_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/lessons"
	words "github.com/zkviz/zkviz/static/strings"
)

// logged adapts a log for reasons and feats.
type logged struct{ *event.Log }

func (l logged) Len() int                { return len(l.Events) }
func (l logged) Event(i int) event.Event { return l.Events[i] }

// A failed try gets its reason, from what happened until another fault.
func TestFutileTries(t *testing.T) {
	b := open(t)
	voice := sentence.Voice{Say: words.English().Say, Client: event.Actor.Letter}
	for _, c := range []struct{ slug, fault, want string }{
		{"watch-the-one-ahead", "crash client-1 at 7s", "A has crashed, and a dead client believes nothing."},
		{"watch-the-one-ahead", "cut client-1 at 7s for 2s", "The cut was too short: 2 s, and A's session lasts 6 s."},
		{"watch-the-one-ahead", "pause client-1 at 7s for 2s", "The pause was too short: 2 s, and A's session lasts 6 s."},
		{"watch-the-one-ahead", "cut client-1 at 7s for 2s, expire client-1 at 12s",
			"The cut was too short: 2 s, and A's session lasts 6 s."},
		{"watch-the-one-ahead", "cut client-3 at 7s for 15s",
			"C was still waiting when it was done, so it had no belief to outlast its session."},
		{"watch-the-one-ahead", "expire client-1 at 5s",
			"A learned that its session had ended before anybody else got in."},
		{"watch-the-one-ahead", "drop client-1 at 7s",
			"A lost a reply, but came back with the same session, so it had lost nothing else."},
		{"watch-the-one-ahead", "delay client-1 at 7s for 2s",
			"A's session didn't expire, so its messages were only late."},
		{"znodes-sessions-watches", "crash client-1 at 14s",
			"A has crashed, and the task is about a program that runs on."},
		{"who-is-here", "cut client-3 at 7s for 2s", "The cut was too short: 2 s, and C's session lasts 8 s."},
		{"who-is-here", "drop client-3 at 5s",
			"C lost a reply, but came back with the same session, so it had lost nothing else."},
		{"a-queue", "crash client-6 at 7s",
			"F had no create, set or delete on its way just then, so none could get lost."},
		{"giving-up", "crash client-2 at 30s",
			"B had already gone home, so there was nothing left to do to it."},
		{"giving-up", "drop client-1 at 12500ms",
			"A lost a reply, but came back with the same session, so it had lost nothing else."},
		{"giving-up", "pause client-1 at 12500ms for 1s",
			"The pause was too short: 1 s, and A's session lasts 30 s."},
		{"giving-up", "expire client-1 at 12500ms",
			"A's session ended, ZooKeeper deleted its ephemeral znodes, and the run went on without it."},
		{"watch-the-one-ahead", "cut client-1 at 7s for 15s, crash client-1 at 9s",
			"A's session hadn't expired by then, so ZooKeeper had taken nothing away from it."},
		{"watch-the-one-ahead", "crash client-1 at 7500ms, crash client-1 at 7s",
			"A had already crashed, so there was nothing left to do to it."},
		{"the-same-client-twice", "crash client-1 at 22s",
			"A had already gone home, so there was nothing left to do to it."},
		{"watch-the-lowest", "expire client-6 at 16s",
			"F's session ended, but its end set off nobody's watch, so nobody was told."},
		{"sorted-by-the-clock", "crash client-2 at 15500ms",
			"B has crashed, and a dead client never gets in, let alone out of turn."},
		{"sorted-by-the-clock", "expire client-2 at 15500ms",
			"B's place went with its session, and nobody else lost theirs."},
		{"taken-but-not-done", "pause client-6 at 20s for 15s",
			"F's session ended, ZooKeeper deleted its ephemeral znodes, and the run went on without it."},
		{"a-barrier", "crash client-2 at 7s", "After B's session ended, no other client got any further."},
		{"a-barrier", "restart server at 7s for 2s",
			"A server that starts again gives every session its whole timeout, and none of them expired."},
		{"a-setting-for-all", "crash client-3 at 9300ms",
			"C has crashed, and a dead client sees no more values, so it can't skip one."},
		{"the-same-client-twice", "pause client-2 at 22s for 2s", "Nothing has woken B and C yet."},
		{"neither-yes-nor-no", "delay PROPOSAL 2 from server-3 to server-1 at 5100ms for 15s",
			"A server that took part in the election had the write in its log, so the new leader has it, and it counts."},
		{"counting-together", "drop client-2 at 6800ms", "What went wrong without it went wrong again."},
	} {
		l, ok := b.Find(c.slug)
		if !ok {
			t.Fatal(c.slug)
		}
		faults, err := fault.ParseAll(strings.Split(c.fault, ", "), fault.Scope{Servers: 1})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(l.Steps, func(s lessons.Step) bool { return s.Challenge != nil })
		why := l.Steps[i].Task(b.RunOf(c.slug)).Why(logged{simulate(t, with(l.Scenario, faults...))}, faults[0])
		if got := voice.Says(why); got != c.want {
			t.Errorf("%s, %s: it is told %q, not %q", c.slug, c.fault, got, c.want)
		}
	}
}

// A reader that has acted is told what to wait for.
func TestWhatIsAwaited(t *testing.T) {
	said := map[string]bool{"": true}
	for _, k := range []fault.Kind{fault.Crash, fault.Pause, fault.Cut, fault.Expire, fault.Drop, fault.Delay} {
		s := challenge.Awaits(fault.Fault{Kind: k, Client: 2}, 6*time.Second, fault.OnZooKeeper)
		if said[s.Key] {
			t.Errorf("after a %s it says %q", k, s.Key)
		}
		said[s.Key] = true
	}
}

// A reader who fails is told why, whatever was tried.
func TestNoTryIsWithoutReason(t *testing.T) {
	b := open(t)
	silent, futile := []string{}, 0
	for i := range b.Lessons {
		l := &b.Lessons[i]
		j := slices.IndexFunc(l.Steps, func(s lessons.Step) bool { return s.Challenge != nil })
		if j < 0 {
			continue
		}
		c, played := l.Steps[j].Challenge, b.RunOf(l.Slug)
		task, stop := l.Steps[j].Task(played), played.Positions[j]
		for _, f := range attempts(t, l.Scenario, stop.At) {
			if task.Forbids(f.String()) != "" {
				continue
			}
			r, err := l.Read(simulate(t, with(l.Scenario, f)))
			if err != nil {
				t.Fatal(err)
			}
			if !hit(r.Log, f) {
				continue
			}
			a := challenge.Attempt{Task: task}
			a.Act(broken(played, c, stop.Seq))
			done := []string{f.String()}
			if a.Judge(broken(r, c, event.Seq(len(r.Log.Events))), done, true) != challenge.Held {
				continue
			}
			futile++
			if task.Why(logged{r.Log}, f).Key == "" {
				silent = append(silent, l.Slug+" "+f.String())
			}
		}
	}
	if futile < 300 || len(silent) > 0 {
		t.Errorf("of %d tries that came to nothing there is nothing to say of %q", futile, silent)
	}
}

// attempts returns faults of every kind that the run can have, each on some clients, short and long.
func attempts(t *testing.T, s run.Scenario, from time.Duration) (list []fault.Fault) {
	t.Helper()
	at := from + 500*time.Millisecond
	for client := 1; client <= min(s.Clients, 3); client++ {
		list = append(list, faultsOn(client, at, 2*time.Second, 20*time.Second)...)
		for _, text := range []string{"stall client-%d at %s for 20s", "vanish client-%d at %s"} {
			list = append(list, parsed(t, fmt.Sprintf(text, client, at)))
		}
	}
	for _, text := range []string{"restart node-1 at %s for 2s", "jump node-1 at %s by 20s", "jump node-1 at %s by -2s"} {
		list = append(list, parsed(t, fmt.Sprintf(text, at)))
	}
	return slices.DeleteFunc(list, func(f fault.Fault) bool { return !possible(s, f) })
}

func parsed(t *testing.T, text string) fault.Fault {
	t.Helper()
	f, err := fault.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// possible reports whether a fault can happen in a run.
func possible(s run.Scenario, f fault.Fault) bool {
	s.Faults = []fault.Fault{f}
	return s.WithDefaults().Validate() == nil
}

// hit reports whether a fault hit somebody who was there.
func hit(log *event.Log, f fault.Fault) bool {
	who := event.Actor(f.Client)
	for _, e := range log.Events {
		switch {
		case e.Kind == event.ClientExited && e.Actor == who:
			return false
		case e.Kind == event.FaultInjected && e.Text == f.String():
			return true
		}
	}
	return false
}
