package lessons_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/lessons"
)

// Every lesson also runs on a real ZooKeeper, through all its steps, as fast as the messages go and slowed down as
// the page shows it. Holds and faults take real seconds, so all run in parallel. The machine decides the order of
// events: if it was too busy to be in time for a step, the lesson is tried again, also with all its times longer.
func TestLessonsOnARealZooKeeper(t *testing.T) {
	if testing.Short() {
		t.Skip("the lessons take a minute or so in real time")
	}
	server, root := zktest.Shared(t), zktest.Root(t)
	b := open(t)
	var all []liveRun
	for i := range b.Lessons {
		if alone(&b.Lessons[i]) {
			continue
		}
		all = append(all, liveRun{lesson: &b.Lessons[i]}, liveRun{lesson: &b.Lessons[i], slow: true})
	}
	for try, times := range []time.Duration{1, 2, 1, 4, 1} {
		if all = runAll(t, server.Addr, root, b, all, try, times); len(all) == 0 {
			return
		}
		for _, r := range all {
			t.Logf("%s, slow %t, try %d with %d times its times: %v", r.lesson.Slug, r.slow, try+1, times, r.err)
		}
	}
	for _, r := range all {
		t.Errorf("%s, slow %t was never gone through to its end: %v", r.lesson.Slug, r.slow, r.err)
	}
}

// alone reports whether a lesson runs only on the simulator: it has a fault on the server, which nobody does to a
// real one, or it is about several servers, or about another system.
func alone(l *lessons.Lesson) bool {
	if l.Scenario.Servers > 1 || !event.HasZooKeeper(l.Scenario.Header(event.Simulated).Systems) {
		return true
	}
	toServer := func(f fault.Fault) bool { return f.Kind.Target() == fault.ToServer }
	return slices.ContainsFunc(l.Scenario.Faults, toServer)
}

// liveRun is a lesson on the real server, with what was missing at its last try.
type liveRun struct {
	lesson *lessons.Lesson
	slow   bool
	err    error
}

// runAll runs the lessons in parallel and returns those that didn't get to their end.
func runAll(t *testing.T, server, root string, b *lessons.Book, runs []liveRun, try int,
	times time.Duration) (failed []liveRun) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), times*4*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			r := &runs[i]
			path := fmt.Sprintf("%s/%d-%t-%d", root, r.lesson.Number, r.slow, try)
			c := cluster.Cluster{Servers: []string{server}, Path: path, Slow: r.slow}
			r.err = runLive(ctx, t, c, r.lesson, stretched(r.lesson.Scenario, times), b.RunOf(r.lesson.Slug))
		})
	}
	wg.Wait()
	for _, r := range runs {
		if r.err != nil {
			failed = append(failed, r)
		}
	}
	return failed
}

// stretched returns the scenario with everything but its messages taking that many times as long.
func stretched(s run.Scenario, times time.Duration) run.Scenario {
	s = s.WithDefaults()
	s.SessionTimeout = min(times*s.SessionTimeout, zktest.MaxSession)
	for _, d := range []*time.Duration{&s.Hold, &s.Stagger} {
		if *d > 0 { // less than 0 means none
			*d *= times
		}
	}
	s.Faults = slices.Clone(s.Faults)
	for i := range s.Faults {
		s.Faults[i].At *= times
		s.Faults[i].For *= times
	}
	return s
}

func runLive(ctx context.Context, t *testing.T, c cluster.Cluster, l *lessons.Lesson, s run.Scenario,
	simulated *lessons.Run) error {
	s = c.Place(s)
	log := &event.Log{Header: s.Header("live")}
	if err := c.Run(ctx, s, log, nil); err != nil {
		return err
	}
	r, err := l.Read(log)
	if err != nil {
		return err
	}
	if n := len(r.Positions); n < len(l.Steps) {
		return fmt.Errorf("step %s is not reached in %d events", l.Steps[n].Anchor, len(log.Events))
	}
	for _, step := range l.Steps {
		if step.Question == nil {
			continue
		}
		want, err := step.Question.Answer(simulated)
		if err != nil {
			return err
		}
		// Not everything must come out the same: whose request is first is luck.
		if got, err := step.Question.Answer(r); got != want {
			t.Logf("%s, slow %t, step %s: the simulator answers %s, ZooKeeper %s (%v)", l.Slug, c.Slow, step.Anchor, want, got,
				err)
		}
	}
	return nil
}
