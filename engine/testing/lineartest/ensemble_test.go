package lineartest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// TestEnsemble records clients of three servers during crashes or partitions, and judges the history. Writes are
// linearizable. A read sees a state that was once the newest, and never an older one in the same session. After a
// sync it sees the current state, unless a leader may be partitioned without knowing it.
func TestEnsemble(t *testing.T) {
	if testing.Short() {
		t.Skip("histories of an ensemble take long to judge")
	}
	for name, faults := range map[string][]string{
		"crashes":    {"restart server-%d at 0s for 50ms", "restart server-%d at 0s for 200ms"},
		"partitions": {"partition server-%d | %s at 0s for 400ms", "pause server-%d at 0s for 200ms"},
	} {
		for _, seed := range []uint64{1, uint64(time.Now().UnixNano())} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				t.Logf("seed %d", seed)
				e, err := embed.ListenEnsemble(embed.EnsembleConfig{Servers: 3, Latency: 2 * time.Millisecond,
					Config: embed.Config{Tick: timeout / 20, MaxTimeout: time.Hour, Seed: seed}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = e.Close() })
				addr := strings.Split(e.ConnectString(), ",")
				if err := e.Ready(t.Context()); err != nil {
					t.Fatal(err)
				}
				found(t, addr[0])
				over, done := make(chan struct{}), make(chan int)
				go func() { done <- disturb(t, e, faults, rand.New(rand.NewPCG(seed, 99)), over) }()
				h, befell := recordAt(t, seed, client{addr: addr, many: true, sure: name == "crashes"}, each)
				close(over)
				disturbed := <-done
				if h.judge(t) != porcupine.Ok {
					t.Errorf("seed %d: no order of its %d ops explains what the clients saw", seed, len(h.ops))
				}
				if h.back > 0 {
					t.Errorf("%d answers were from further back than those before them", h.back)
				}
				t.Logf("%d ops, %d faults on servers; %+v", len(h.ops), disturbed, befell)
				if befell.lost == 0 || befell.resumed == 0 || disturbed == 0 {
					t.Errorf("seed %d: not every fault occurred: %+v", seed, befell)
				}
			})
		}
	}
}

// disturb injects one fault after another until over is closed. It returns their number.
func disturb(t *testing.T, e *embed.Ensemble, faults []string, rng *rand.Rand, over chan struct{}) (n int) {
	others := map[int]string{1: "server-2 server-3", 2: "server-1 server-3", 3: "server-1 server-2"}
	for {
		select {
		case <-over:
			return n
		case <-time.After(time.Duration(400+rng.IntN(400)) * time.Millisecond):
		}
		server, text := 1+rng.IntN(3), faults[rng.IntN(len(faults))]
		args := []any{server, others[server]}[:strings.Count(text, "%")]
		f, err := fault.Parse(fmt.Sprintf(text, args...))
		if err == nil {
			err = e.Inject(f)
		}
		if err != nil {
			t.Error(err)
			return n
		}
		n++
	}
}
