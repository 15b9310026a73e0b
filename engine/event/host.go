package event

// Host is what made a log: where the clients ran, and how what they did was observed.
type Host string

// The hosts.
const (
	Simulated Host = "sim"      // engine/sim: clients and ZooKeeper are computed
	Cluster   Host = "live"     // engine/live: clients of ours on a real ZooKeeper
	Observed  Host = "observed" // engine/live: a subtree of somebody's ZooKeeper, as a reader sees it
	Joined    Host = "joined"   // engine/feed: a subtree of somebody's ZooKeeper, by the transactions of its ensemble
	Embedded  Host = "zoo"      // a subtree of a server inside, and anyone who connects to it
	Tapped    Host = "tap"      // engine/tap: clients of somebody's ZooKeeper, by what passes between them and it
)

// Traits is what sets hosts apart. Anyone who treats logs differently asks for a trait, never for a host.
type Traits struct {
	Computed bool // ahead of the clock, and can be computed again: with another fault, or to its end
	RealTime bool // events come while they happen
	Recipe   bool // every client runs the recipe and says what it believes, so promises can be judged
	Late     bool // what the server did is known later than what the clients did
	Gaps     bool // changes that follow each other fast may be missed, and who made them is not known
	Visitors bool // clients are those who connect; what they believe is known only of contenders of ours
	Machines bool // there is a hold of each server of an ensemble
}

// Traits returns what is true of h; nothing is of a host that this version does not know.
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
