package event

// Host tells what made a log: where the clients ran, and how they were observed.
type Host string

// The hosts.
const (
	Simulated Host = "sim"      // engine/host/sim: simulated clients and ZooKeeper
	Cluster   Host = "live"     // engine/host/live: our own clients on a real ZooKeeper
	Observed  Host = "observed" // engine/host/live: a subtree of an external ZooKeeper, as a reader sees it
	Joined    Host = "joined"   // engine/observe/feed: an external ZooKeeper's subtree, from its ensemble's transactions
	Embedded  Host = "zoo"      // a subtree of the embedded server, and anyone who connects to it
	Tapped    Host = "tap"      // engine/observe/tap: clients of an external ZooKeeper, from their traffic
)

// Traits tells hosts apart. Code that treats logs differently checks a trait, never a host.
type Traits struct {
	Computed bool // runs ahead of the clock, and can be computed again: with another fault, or to its end
	RealTime bool // events arrive as they happen
	Recipe   bool // every client runs the recipe and reports what it believes, so promises can be judged
	Late     bool // the server's actions become known later than the clients'
	Gaps     bool // changes in quick succession may be missed, and their authors are unknown
	Visitors bool // any client may connect; only our contenders report what they believe
	Machines bool // each server of an ensemble can be controlled
}

// Traits returns the traits of h. A host that this version doesn't know has none.
//
//go:noinline
func (h Host) Traits() Traits {
	switch h {
	case Simulated:
		return Traits{Computed: true, Recipe: true, Machines: true}
	case Cluster:
		return Traits{RealTime: true, Recipe: true, Late: true}
	case Observed:
		return Traits{RealTime: true, Gaps: true}
	case Joined:
		return Traits{RealTime: true}
	case Embedded:
		return Traits{RealTime: true, Visitors: true, Machines: true}
	case Tapped:
		return Traits{RealTime: true, Visitors: true, Late: true}
	}
	return Traits{}
}
