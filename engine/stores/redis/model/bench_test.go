package model_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/model"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// silent is a link that drops everything.
type silent struct{}

func (silent) Reply(remote.Reply, bool, event.Seq) {}
func (silent) Push(remote.Push, event.Seq)         {}
func (silent) Close(event.Reason, event.Seq)       {}

// BenchmarkModel plays what clients do at a lock: acquire, wait, look, release and wake.
func BenchmarkModel(b *testing.B) {
	events, now := event.Seq(0), time.Duration(0)
	emit := func(event.Event) event.Seq { events++; return events }
	node := model.New(model.Config{ID: event.Node(1), Emit: emit})
	one, two := node.Connect(silent{}, 1, 0), node.Connect(silent{}, 2, 0)
	release := redis.Scripts()[3]
	round := []struct {
		at  remote.Session
		req remote.Request
	}{
		{one, redis.Request([]string{"SET", "/lock", "client-1#1", "NX", "PX", "10000"})},
		{two, redis.Request([]string{"SET", "/lock", "client-2#1", "NX", "PX", "10000"})},
		{two, redis.Request([]string{"BLPOP", "/signal", "10"})},
		{one, redis.Request([]string{"GET", "/lock"})},
		{one, redis.Request([]string{"EVAL", release.Lua, "2", "/lock", "/signal", "client-1#1", "10000"})},
	}
	b.ReportAllocs()
	commands := 0
	for b.Loop() {
		for i := range round {
			round[i].at.Handle(round[i].req, now, events)
		}
		commands += len(round)
		if now += time.Millisecond; commands%1000 == 0 {
			if at, ok := node.NextTick(); ok && at <= now {
				node.Tick(now)
			}
		}
	}
	s := b.Elapsed().Seconds()
	b.ReportMetric(float64(events)/s, "events/s")
	b.ReportMetric(float64(commands)/s, "commands/s")
}
