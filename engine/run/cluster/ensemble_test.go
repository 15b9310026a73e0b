package cluster_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/apache"
	"github.com/zkviz/zkviz/engine/embed"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/live/zktest"
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
		heldUp(t, strings.Split(e.ConnectString(), ","), func() {
			if err := e.Inject(fault.Fault{Kind: fault.CrashServer, Server: e.Leader()}); err != nil {
				t.Error(err)
			}
		}, func() {})
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
		heldUp(t, strings.Split(e.ConnectString(), ","), func() { e.Servers[e.Leader()-1].Kill() }, func() {})
	})
}
