package cluster_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/apache"
	"github.com/zkviz/zkviz/engine/embed"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/live/zktest"
	"github.com/zkviz/zkviz/recipes"
	"github.com/zkviz/zkviz/recipes/kit"
)

// TestLeaderKilled holds all recipes up in their middle on three servers, and kills the leader under them: they keep
// what they promise all the same.
func TestLeaderKilled(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		e, err := embed.ListenEnsemble(embed.EnsembleConfig{
			Servers: 3, Config: embed.Config{Tick: zktest.Tick, MaxTimeout: zktest.MaxSession, MaxConnsPerAddr: -1},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		if err := e.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		leaderKilled(t, e.ConnectString(), func() {
			for i, s := range e.State() {
				if s.Mode == "leader" {
					if err := e.Inject(fault.Fault{Kind: fault.CrashServer, Server: i + 1}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	})
	t.Run("Apache", func(t *testing.T) {
		t.Parallel()
		zktest.Need(t)
		e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 3, Config: apache.Config{
			Tick: zktest.Tick, HeapMB: 128,
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Close)
		leaderKilled(t, e.ConnectString(), func() { e.Servers[e.Leader()-1].Kill() })
	})
}

func leaderKilled(t *testing.T, servers string, kill func()) {
	var trials []*trial
	var underWay sync.WaitGroup
	killed := make(chan struct{})
	for _, r := range recipes.All() {
		if r.Kind == kit.Right {
			underWay.Add(1)
			trials = append(trials, &trial{recipe: r, begun: func(*trial, event.Event) {
				underWay.Done()
				<-killed
			}})
		}
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		playAll(trials, len(trials), func(tr *trial) {
			tr.play(strings.Split(servers, ","), long, kept(tr.recipe, false))
			tr.once.Do(underWay.Done) // it came to nothing
		})
	}()
	underWay.Wait()
	kill()
	close(killed)
	<-over
	reportAll(t, trials, func(tr *trial, t *testing.T) {
		tr.report(t)
		if tr.count(event.Disconnected) == 0 {
			t.Error("it did not notice that the leader was away")
		}
	})
}
