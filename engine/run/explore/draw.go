package explore

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
)

const (
	// sessionTimeout is the shortest that a server with ZooKeeper's default tick grants: the sooner sessions end,
	// the more happens in a run.
	sessionTimeout = 4 * time.Second
	mostRounds     = 3
	mostFaults     = 4
	// mostEvents bounds a run that makes no progress.
	mostEvents = 30_000
)

// The values that schedules draw from. The links are slow in some runs, so that more happens while messages are
// under way.
var (
	latencies = [...]time.Duration{time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond}
	holds     = [...]time.Duration{program.UntilSettled, 10 * time.Millisecond, 100 * time.Millisecond, time.Second,
		3 * time.Second}
	staggers = [...]time.Duration{run.Together, time.Millisecond, 20 * time.Millisecond, 500 * time.Millisecond}
)

// least and most are the sizes between which seeds draw.
func (c Config) least() size { return size{min(max(c.Recipe.MinClients, 2), c.Clients), 0, 1} }
func (c Config) most() size  { return size{c.Clients, mostFaults, mostRounds} }

// draw returns the scenario of a seed, of a size between least and most.
func (c Config) draw(seed uint64, least, most size) run.Scenario {
	chance := rand.New(rand.NewPCG(seed, 0x6578706c6f7265))
	s := run.Scenario{
		Recipe:         c.Recipe.Name,
		Clients:        between(chance, least.clients, most.clients),
		Rounds:         between(chance, least.rounds, most.rounds),
		Hold:           c.drawHold(chance),
		Seed:           seed,
		SessionTimeout: sessionTimeout,
		Latency:        latencies[chance.IntN(len(latencies))],
		Stagger:        staggers[chance.IntN(len(staggers))],
		MaxEvents:      mostEvents,
		Servers:        c.Servers,
		Observers:      c.Observers,
		Flaws:          c.Flaws,
		Database:       c.Database,
	}
	s.Jitter = []time.Duration{s.Latency / 20, s.Latency / 2, s.Latency}[chance.IntN(3)]
	if kinds := c.inOneGroup(nil).Faults; len(kinds) > 0 {
		n := between(chance, least.faults, most.faults)
		if chain := rand.New(rand.NewPCG(seed, 0x636861696e)); c.Servers > 1 && chain.IntN(2) == 0 {
			s.Faults = c.drawChain(chain, s, kinds, n)
		} else {
			s.Faults = c.drawFaults(chance, s, kinds, n)
		}
	}
	for _, k := range c.apart {
		s.Faults = append(s.Faults, c.drawApart(seed, k, s)...)
	}
	slices.SortStableFunc(s.Faults, func(a, b fault.Fault) int { return cmp.Compare(a.At, b.At) })
	return s.WithDefaults()
}

// drawHold may exceed a lease where there are leases.
func (c Config) drawHold(chance *rand.Rand) time.Duration {
	if event.HasZooKeeper(c.Recipe.Systems) {
		return holds[chance.IntN(len(holds))]
	}
	if i := chance.IntN(len(holds) + 1); i < len(holds) {
		return holds[i]
	}
	return sessionTimeout + sessionTimeout/2
}

func between(chance *rand.Rand, least, most int) int { return least + chance.IntN(most-least+1) }

func (c Config) drawFaults(chance *rand.Rand, s run.Scenario, kinds []fault.Kind, n int) []fault.Fault {
	var list []fault.Fault
	span := extent(s)
	for range n {
		f := fault.Fault{Kind: kinds[chance.IntN(len(kinds))], At: drawTime(chance, span)}
		switch f.Kind.Target() {
		case fault.ToClient:
			f.Client = 1 + chance.IntN(s.Clients)
		case fault.ToServer:
		case fault.ToNode:
			f.Node = 1 + chance.IntN(event.NodesOf(c.Recipe.Systems))
		default:
			drawServers(chance, s, list, &f)
		}
		switch {
		case f.Kind.Sets():
			f.For = drawJump(chance)
		case f.Kind.Lasts():
			f.For = drawLength(chance, f.Kind)
			span += f.For // whatever waits for it continues afterwards
		}
		list = append(list, f)
	}
	return list
}

// extent estimates how long the scenario takes without faults.
func extent(s run.Scenario) time.Duration {
	return time.Duration(s.Clients*s.Rounds)*(max(s.Hold, 0)+8*s.Latency) + time.Duration(s.Clients)*max(s.Stagger, 0)
}

// drawTime prefers the beginning, where everybody is busy, to later times.
func drawTime(chance *rand.Rand, span time.Duration) time.Duration {
	if chance.IntN(2) == 0 {
		span /= 8
	}
	return time.Duration(chance.Int64N(int64(span) + 1)).Round(10 * time.Microsecond)
}

// drawLength returns a time short enough for the session to survive, or long enough for it not to.
func drawLength(chance *rand.Rand, k fault.Kind) time.Duration {
	least, most := time.Millisecond, sessionTimeout/2
	if k.Target() != fault.ToServer && chance.IntN(3) > 0 {
		least, most = sessionTimeout, 4*sessionTimeout
	}
	return (least + time.Duration(chance.Int64N(int64(most-least)))).Round(time.Millisecond)
}

// drawJump returns by how much to set a clock: forward by a drawLength, which ends leases early, or, less often, back.
func drawJump(chance *rand.Rand) time.Duration {
	d := drawLength(chance, fault.Jump)
	if chance.IntN(4) == 0 {
		return -d
	}
	return d
}

// calm reports whether no session can end without its client knowing, with room for heartbeats that were under way,
// and nothing else happens that breaks the recipe's limits: then what the client believes is true.
func (c Config) calm(s run.Scenario) bool {
	if !event.HasZooKeeper(c.Recipe.Systems) {
		return c.calmAtNodes(s)
	}
	silent := make([]time.Duration, s.Clients+1)
	for _, f := range s.Faults {
		if c.Servers > 1 && f.Kind.Target() != fault.ToClient {
			return false // a follower that is cut off answers its clients after their sessions have ended
		}
		if slices.Contains(c.Recipe.Harms, f.Kind.String()) {
			return false
		}
		switch f.Kind {
		case fault.Expire, fault.Delay:
			return false
		case fault.Pause, fault.Cut:
			silent[f.Client] += f.For
		}
	}
	return slices.Max(silent) <= s.SessionTimeout/3
}

// drawServers chooses the servers of a fault. Enough stay up that there can be a quorum again.
func drawServers(chance *rand.Rand, s run.Scenario, before []fault.Fault, f *fault.Fault) {
	all := s.Servers + s.Observers
	f.Server = 1 + chance.IntN(all)
	switch f.Kind {
	case fault.CrashServer:
		if down(before) == mayFail(s) {
			f.Kind = fault.RestartServer
		}
	case fault.CutServer:
		f.Client = 1 + chance.IntN(s.Clients)
	case fault.Partition:
		f.Server = 0
		f.A = 1 << (1 + chance.IntN(all))
		if all > 3 && chance.IntN(2) == 0 {
			f.A |= 1 << (1 + chance.IntN(all))
		}
		f.B = fault.Servers(1<<(all+1)-2) &^ f.A
	}
}

// mayFail returns how many servers may fail for good.
func mayFail(s run.Scenario) int { return (s.Servers - 1) / 2 }

// down returns how many servers are crashed for good.
func down(list []fault.Fault) (n int) {
	for _, f := range list {
		if f.Kind == fault.CrashServer {
			n++
		}
	}
	return n
}
