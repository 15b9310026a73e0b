package lessons_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/lessons/challenge"
	"github.com/zkviz/zkviz/static/strings"
)

// logged is a log, as reasons and feats are read from one.
type logged struct{ *event.Log }

func (l logged) Len() int                { return len(l.Events) }
func (l logged) Event(i int) event.Event { return l.Events[i] }

// A try that came to nothing is told why, from what became of it.
func TestFutileTries(t *testing.T) {
	b := open(t)
	voice := sentence.Voice{Say: strings.English().Say, Client: event.Actor.Letter}
	for _, c := range []struct{ slug, fault, want string }{
		{"04-watch-the-one-ahead", "crash client-1 at 7s", "A has crashed, and a dead client believes nothing."},
		{"04-watch-the-one-ahead", "cut client-1 at 7s for 2s", "A's session outlived the cut: 2s of 6s."},
		{"04-watch-the-one-ahead", "pause client-1 at 7s for 2s", "A's session outlived the pause: 2s of 6s."},
		{"04-watch-the-one-ahead", "cut client-3 at 7s for 15s",
			"C wasn't inside when it was done, so it had no lock to believe in."},
		{"04-watch-the-one-ahead", "expire client-1 at 5s",
			"A learned that its session had ended before anybody else got in."},
		{"04-watch-the-one-ahead", "drop client-1 at 7s",
			"A lost a reply, and came back with the same session: its place was never gone."},
		{"04-watch-the-one-ahead", "cut client-1 at 7s for 15s", ""}, // which does it
		{"04-watch-the-one-ahead", "delay client-1 at 7s for 2s", ""},
		{"01-znodes-sessions-watches", "crash client-1 at 14s",
			"A has crashed, and the task is about a program that runs on."},
		{"18-who-is-here", "cut client-3 at 5s for 2s", "C's session outlived the cut: 2s of 8s."},
		{"18-who-is-here", "drop client-3 at 5s",
			"C lost a reply, and came back with the same session: its place was never gone."},
		{"05-a-queue", "crash client-6 at 7s", "F had no create, set or delete on its way just then, so nothing was lost."},
		{"05-a-queue", "crash client-5 at 11600ms", ""},
		{"10-watch-the-lowest", "crash client-2 at 20s", ""}, // a dead client may be counted by ZooKeeper
		{"20-counting-together", "drop client-2 at 6800ms",
			"B had no create, set or delete on its way just then, so nothing was lost."},
	} {
		l, ok := b.Find(c.slug)
		if !ok {
			t.Fatal(c.slug)
		}
		f, err := fault.Parse(c.fault)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(l.Steps, func(s lessons.Step) bool { return s.Challenge != nil })
		s := l.Scenario
		s.Faults = append(slices.Clip(s.Faults), f)
		why := l.Steps[i].Task(b.RunOf(c.slug)).Why(logged{simulate(t, s)}, f)
		if got := voice.Says(why); got != c.want {
			t.Errorf("%s, %s: it is told %q, not %q", c.slug, c.fault, got, c.want)
		}
	}
}

// Anyone who has done something is told what to wait for.
func TestWhatIsAwaited(t *testing.T) {
	said := map[string]bool{"": true}
	for _, k := range []fault.Kind{fault.Crash, fault.Pause, fault.Cut, fault.Expire, fault.Drop} {
		s := challenge.Awaits(fault.Fault{Kind: k, Client: 2}, 6*time.Second)
		if said[s.Key] {
			t.Errorf("after a %s it says %q", k, s.Key)
		}
		said[s.Key] = true
	}
}
