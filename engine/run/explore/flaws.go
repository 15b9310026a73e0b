package explore

import (
	"bytes"
	"context"
	"embed"
	"fmt"

	"github.com/zkviz/zkviz/engine/analysis/check"
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
	zab.ForgetsPromise: check.EpochMonotony, zab.VotesByZxid: check.LeaderComplete, zab.HalfIsEnough: check.QuorumDurable,
	zab.AcksBeforeSync: check.AckOrder, zab.EpochBeforeLog: check.AckOrder, zab.NeverTruncates: check.ProcessConsistency,
	zab.ServesEarly: check.QuorumDurable, zab.IgnoresSeen: check.SingleHistory,
	zab.CommitsOutOfOrder: check.MonotonicCommit, zab.CountsObservers: check.Leadership,
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
