package realtime

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// play runs programs without nodes and returns the log: each event's number, second, client, kind, text and cause.
func play(t *testing.T, programs []systems.Program, faults ...fault.Fault) string {
	t.Helper()
	log := &event.Log{}
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t.Context(), Config{Root: "/r", Faults: faults, MaxEvents: MaxEvents}, programs, log, nodesOnly{})
		w.Go(w.keepLooking)
		w.Play(t.Context(), nil)
		w.Finish(0)
	})
	var story strings.Builder
	for _, e := range log.Events {
		fmt.Fprintf(&story, "%d %v %v %v %s<%d\n", e.Seq, e.At, e.Actor, e.Kind, e.Text, e.Cause)
	}
	return story.String()
}

// works notes that it works, once a second. A thread beside it does the same, a little later.
func works(w systems.World) error {
	defer w.Beside(func(b systems.World) error {
		_ = b.Sleep(3 * time.Second / 4)
		for b.Sleep(time.Second) == nil {
			b.Note("beside")
		}
		return nil
	})()
	for range 3 {
		if err := w.Sleep(time.Second); err != nil {
			return err
		}
		w.Note("works")
	}
	return nil
}

// TestFaultsOnProcesses checks when a program and the thread beside it go on, and the causes in the log.
func TestFaultsOnProcesses(t *testing.T) {
	for _, c := range []struct {
		fault fault.Fault
		want  string
	}{
		{fault.Fault{Kind: fault.Pause, For: 400 * time.Millisecond}, `1 0s client-1 client.started <0
2 1s client-1 recipe.note works<1
3 1.5s zookeeper fault.injected pause client-1 at 1.5s for 400ms<0
4 1.5s client-1 client.paused <3
5 1.9s client-1 client.resumed <4
6 1.9s client-1 recipe.note beside<0
7 2s client-1 recipe.note works<5
8 2.9s client-1 recipe.note beside<6
9 3s client-1 recipe.note works<7
10 3s client-1 client.exited <9
11 3s zookeeper run.ended <0
`},
		{fault.Fault{Kind: fault.Stall, For: 700 * time.Millisecond}, `1 0s client-1 client.started <0
2 1s client-1 recipe.note works<1
3 1.5s zookeeper fault.injected stall client-1 at 1.5s for 700ms<0
4 1.5s client-1 process.stalled <3
5 1.75s client-1 recipe.note beside<0
6 2.2s client-1 process.moves <4
7 2.2s client-1 recipe.note works<6
8 2.75s client-1 recipe.note beside<5
9 3.2s client-1 recipe.note works<7
10 3.2s client-1 client.exited <9
11 3.2s zookeeper run.ended <0
`},
		{fault.Fault{Kind: fault.Crash}, `1 0s client-1 client.started <0
2 1s client-1 recipe.note works<1
3 1.5s zookeeper fault.injected crash client-1 at 1.5s<0
4 1.5s client-1 client.crashed <3
5 1.5s zookeeper run.ended <0
`},
	} {
		c.fault.Client, c.fault.At = 1, 1500*time.Millisecond
		if got := play(t, []systems.Program{{Main: works}}, c.fault); got != c.want {
			t.Errorf("%v:\n%s", c.fault, got)
		}
	}
}

// TestSettledAfterPause checks that a program which was paused while it waited for all others to wait goes on.
func TestSettledAfterPause(t *testing.T) {
	got := play(t, []systems.Program{
		{Main: func(w systems.World) error {
			err := w.Work(program.UntilSettled)
			w.Note("settled")
			return err
		}},
		{Start: time.Second / 2, Main: func(w systems.World) error { return w.Sleep(2 * time.Second) }},
	}, fault.Fault{Kind: fault.Pause, Client: 1, At: time.Second, For: 5 * time.Second})
	if got != `1 0s client-1 client.started <0
2 500ms client-2 client.started <0
3 1s zookeeper fault.injected pause client-1 at 1s for 5s<0
4 1s client-1 client.paused <3
5 2.5s client-2 client.exited <2
6 6s client-1 client.resumed <4
7 6s client-1 recipe.note settled<6
8 6s client-1 client.exited <7
9 6s zookeeper run.ended <0
` {
		t.Error(got)
	}
}
