package servers_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/conform"
	"github.com/zkviz/zkviz/engine/testing/conform/servers"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestAlike checks that the embedded server replies to generated scripts as ZooKeeper does: to some that are always the
// same, and to some new ones.
func TestAlike(t *testing.T) {
	zktest.Need(t)
	for name, seed := range map[string]uint64{"fixed": 1, "fresh": rand.Uint64N(1_000_000)} {
		t.Run(name, func(t *testing.T) {
			c := conform.Config{
				A: servers.Named("zookeeper"), B: servers.Named("embedded"),
				Generator: conform.Generator{Seed: seed}, Requests: 15_000, Most: 1, Shrink: true,
				Found: func(d *conform.Difference) { t.Errorf("%v", d) },
			}
			if testing.Short() {
				c.Requests = 2000
			}
			r, err := conform.Run(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("seed %d: %d requests in %d scripts, %d differences", seed, r.Requests, r.Scripts, r.Total())
			if t.Failed() {
				t.Logf("to repeat: go run ./cmd/conform -seed %d", seed)
			}
		})
	}
}
