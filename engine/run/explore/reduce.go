package explore

import (
	"context"

	"github.com/zkviz/zkviz/engine/run"
)

// smallSeeds is how many seeds are tried for each size that is smaller than the known one.
const smallSeeds = 1000

// size measures how much there is in a scenario.
type size struct{ clients, faults, rounds int }

func sizeOf(s run.Scenario) size { return size{s.Clients, len(s.Faults), s.Rounds} }

// reduce finds the smallest scenario that breaks the same rule. Shrinking the known one step by step leads to one
// from which no step goes on, which isn't always the smallest: what two clients break may need a fault at another
// time than what four do. So it explores the smaller sizes, too.
func (c Config) reduce(ctx context.Context, found *Finding) error {
	found.Scenario, found.Violation = c.shrink(ctx, found.First, found.Violation)
	small := c.only(found.Violation.Rule).inOneGroup(found.Scenario.Faults)
	small.Seeds, small.Tried = smallSeeds, nil
	for _, z := range small.below(sizeOf(found.Scenario)) {
		f, _, err := small.search(ctx, z, z)
		if err != nil {
			return err
		}
		if f != nil {
			found.Scenario, found.Violation = c.shrink(ctx, f.First, f.Violation)
			break
		}
	}
	return ctx.Err()
}

// below lists the sizes with less of something and no more of anything, those with the fewest clients first.
func (c Config) below(z size) (list []size) {
	for clients := max(c.Recipe.MinClients, 1); clients <= z.clients; clients++ {
		for faults := range z.faults + 1 {
			for rounds := 1; rounds <= z.rounds; rounds++ {
				if s := (size{clients, faults, rounds}); s != z {
					list = append(list, s)
				}
			}
		}
	}
	return list
}
