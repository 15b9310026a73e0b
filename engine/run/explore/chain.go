package explore

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// Unrelated faults on servers seldom show more than one of them does. Some failures take several faults in a row: a
// leader is cut off, then the one that is elected in its place, and then the first comes back. So half of the seeds
// draw a chain of faults.

const (
	// opening is roughly how long servers take to elect the first leader. Clients come after it.
	opening = 250 * time.Millisecond
	// noticed is how long a server is silent before others give it up: syncLimit ticks.
	noticed = 10 * time.Second
)

// drawChain draws n faults, each of which comes near the moment when the previous one begins, is noticed, or ends.
// Most of them separate the leading server from the others, and last long enough to be noticed.
func (c Config) drawChain(chance *rand.Rand, s run.Scenario, kinds []fault.Kind, n int) []fault.Fault {
	var list []fault.Fault
	away := slices.DeleteFunc(slices.Clone(kinds), func(k fault.Kind) bool { return !isolates(k) })
	for i := range n {
		f := fault.Fault{Kind: kinds[chance.IntN(len(kinds))], At: opening + drawTime(chance, extent(s))}
		if len(away) > 0 && chance.IntN(3) > 0 {
			f.Kind = away[chance.IntN(len(away))]
		}
		if i > 0 {
			if chance.IntN(2) == 0 {
				f.Kind = list[i-1].Kind
			}
			f.At = drawTimeAfter(chance, list[i-1])
		}
		switch f.Kind.Target() {
		case fault.ToClient:
			f.Client = 1 + chance.IntN(s.Clients)
		case fault.ToServer:
		default:
			drawServers(chance, s, list, &f)
			if chance.IntN(4) > 0 {
				aim(s, list, &f)
			}
		}
		if f.Kind.Lasts() {
			f.For = drawLength(chance, f.Kind)
			if isolates(f.Kind) && chance.IntN(4) > 0 {
				f.For = (noticed + time.Duration(chance.Int64N(int64(noticed/2)))).Round(time.Millisecond)
			}
		}
		list = append(list, f)
	}
	return list
}

// isolates reports whether a kind of fault separates a server from the others.
func isolates(k fault.Kind) bool {
	return k.Target() == fault.ToSides || k.Target() == fault.ToOneServer && k != fault.SlowDisk
}

// drawTimeAfter returns a time shortly before or after a fault begins, is noticed, or ends.
func drawTimeAfter(chance *rand.Rand, f fault.Fault) time.Duration {
	at := f.At + []time.Duration{0, noticed, f.For}[chance.IntN(3)]
	within := time.Millisecond << chance.IntN(12)
	at += time.Duration(chance.Int64N(int64(2*within))) - within/2
	return max(at, 0).Round(10 * time.Microsecond)
}

// aim directs a fault at the server that probably leads when it comes: the highest that isn't away.
func aim(s run.Scenario, before []fault.Fault, f *fault.Fault) {
	leader := s.Servers
	for leader > 1 && slices.ContainsFunc(before, func(b fault.Fault) bool { return keepsAway(b, leader, f.At) }) {
		leader--
	}
	if f.Kind == fault.Partition {
		f.A, f.B = 1<<leader, (f.A|f.B)&^(1<<leader)
	} else {
		f.Server = leader
	}
}

// keepsAway reports whether others lead by then because of a fault on the server.
func keepsAway(f fault.Fault, server int, at time.Duration) bool {
	switch f.Kind {
	case fault.CrashServer:
		return f.Server == server && at > f.At
	case fault.RestartServer, fault.PowerLoss:
		return f.Server == server && at > f.At && at < f.At+f.For
	case fault.PauseServer:
		return f.Server == server && at > f.At+noticed && at < f.At+f.For
	case fault.Partition:
		return f.A.Has(server) && at > f.At+noticed && at < f.At+f.For
	}
	return false
}
