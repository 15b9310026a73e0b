package lessons_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/live/zktest"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/lessons"
)

// Every lesson runs on a real ZooKeeper too, through all its steps, as fast as the messages go and slowed
// down as the page shows it. Holds and faults take real seconds, so all run side by side.
func TestLessonsOnARealZooKeeper(t *testing.T) {
	if testing.Short() {
		t.Skip("the lessons take a minute or so in real time")
	}
	server := zktest.Start(t)
	b := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for i := range b.Lessons {
		for _, slow := range []bool{false, true} {
			wg.Go(func() {
				l := &b.Lessons[i]
				c := cluster.Cluster{Servers: []string{server.Addr}, Path: fmt.Sprintf("/lessons/%d-%t", l.Number, slow), Slow: slow}
				if err := runLive(ctx, t, c, l, b.RunOf(l.Slug)); err != nil {
					t.Errorf("%s, slow %t: %v", l.Slug, slow, err)
				}
			})
		}
	}
	wg.Wait()
}

func runLive(ctx context.Context, t *testing.T, c cluster.Cluster, l *lessons.Lesson, simulated *lessons.Run) error {
	s := c.Place(l.Scenario.WithDefaults())
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
		// Not all is bound to come out the same: whose request is first is luck.
		if got, err := step.Question.Answer(r); got != want {
			t.Logf("%s, slow %t, step %s: the simulator answers %s, ZooKeeper %s (%v)", l.Slug, c.Slow, step.Anchor, want, got, err)
		}
	}
	return nil
}
