package explore

import (
	"bytes"
	"context"
	"embed"
	"fmt"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// flaws holds a scenario file for each flaw of engine/zookeeper/zab: the smallest known run in which servers with
// it break an invariant. Tests write and play them.
//
//go:embed flaws/*.json
var flaws embed.FS

// broken maps each flaw to the invariant that it breaks. A run may break others on the way.
var broken = map[zab.Flaws]string{
	zab.ForgetsPromise: promise.EpochMonotony, zab.VotesByZxid: promise.LeaderComplete,
	zab.HalfIsEnough: promise.QuorumDurable, zab.AcksBeforeSync: promise.AckOrder,
	zab.EpochBeforeLog: promise.AckOrder, zab.NeverTruncates: promise.ProcessConsistency,
	zab.ServesEarly: promise.QuorumDurable, zab.IgnoresSeen: promise.SingleHistory,
	zab.CommitsOutOfOrder: promise.MonotonicCommit, zab.CountsObservers: promise.Leadership,
	zab.BreaksPromise: promise.ProcessConsistency, zab.VotesByNumber: promise.CommittedDurable,
}

// OfFlaw returns the smallest known run in which servers with that flaw break an invariant.
func OfFlaw(ctx context.Context, flaw zab.Flaws) (*Finding, error) {
	text, err := flaws.ReadFile("flaws/" + flaw.String() + ".json")
	if err != nil {
		return nil, fmt.Errorf("no run shows the flaw %q: %w", flaw, err)
	}
	s, err := run.ReadFile(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the run that shows the flaw %q: %w", flaw, err)
	}
	r, err := run.Recipe(s.Recipe)
	if err != nil {
		return nil, err
	}
	v, err := Config{Recipe: r, Rules: []string{broken[flaw]}, Servers: s.Servers}.withDefaults().play(ctx, s)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, fmt.Errorf("the run that shows the flaw %q does not break %s", flaw, broken[flaw])
	}
	return &Finding{Seed: s.Seed, First: s, Scenario: s, Violation: *v}, nil
}
