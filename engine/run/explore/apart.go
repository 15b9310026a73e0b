package explore

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// together lists the kinds of faults that a seed draws as one group, from one stream of chance: which of them come
// depends on what all of them are, so the list never changes. Any other kind has a stream of its own, and whether it
// comes depends on the seed and its name alone. So a new kind changes nothing that seeds drew before: it is added.
var together = [...]fault.Kind{
	fault.Crash, fault.Pause, fault.Cut, fault.Expire, fault.Drop, fault.Delay, fault.Restart,
	fault.CrashServer, fault.RestartServer, fault.PauseServer, fault.PowerLoss, fault.SlowDisk, fault.Partition,
	fault.CutServer,
	fault.Stall, fault.Vanish, fault.RestartNode, fault.Lag, fault.Failover, fault.Jump,
}

// oneIn says in how many seeds a kind with a stream of its own comes once.
const oneIn = 8

// apart returns the kinds with a stream of their own.
func apart(kinds []fault.Kind) []fault.Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k fault.Kind) bool { return slices.Contains(together[:], k) })
}

// drawApart draws the faults of a kind with a stream of its own: one or none.
func (c Config) drawApart(seed uint64, k fault.Kind, s run.Scenario) []fault.Fault {
	name := fnv.New64a()
	name.Write([]byte(k.String()))
	chance := rand.New(rand.NewPCG(seed, name.Sum64()+uint64(k.Target()))) // one word may name kinds for several targets
	if chance.IntN(oneIn) > 0 {
		return nil
	}
	return c.drawFaults(chance, s, []fault.Kind{k}, 1)
}

// inOneGroup returns c with the kinds that a seed draws together and those in the list, all drawn as one group.
func (c Config) inOneGroup(list []fault.Fault) Config {
	c.Faults = slices.DeleteFunc(slices.Clone(c.Faults), func(k fault.Kind) bool {
		return slices.Contains(c.apart, k) && !slices.ContainsFunc(list, func(f fault.Fault) bool { return f.Kind == k })
	})
	c.apart = nil
	return c
}
