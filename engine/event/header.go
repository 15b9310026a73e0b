package event

import (
	"slices"
	"time"
)

// Header describes the world that a log is from. It is complete: showing and judging a log needs nothing else.
type Header struct {
	Host    Host
	Recipe  string // for people to read; nothing depends on it
	Root    string // the znode that the recipe works under, or that is observed
	Systems []System

	// The scenario.
	Clients        int
	Rounds         int
	Seed           uint64
	Hold           time.Duration // program.UntilSettled or a duration
	SessionTimeout time.Duration // as requested
	Latency        time.Duration // one way, without jitter; 0 if not simulated
	Faults         []string

	// What the recipe promises.
	Promises []string // rules of engine/analysis/promise that hold whatever happens
	Limits   []string // rules that hold while no session ends without its client knowing
	Parents  []string // the znodes that existed before the clients started
	Keeps    []string // names, below the root, that are left behind on purpose; see recipe.Recipe

	Drawing Drawing
}

// System is a system that clients talk to.
type System struct {
	Kind    SystemKind
	Servers int // voting servers, or nodes; 0 if unknown
	// Apart reports that the nodes don't know each other. Otherwise the others are replicas of the first.
	Apart bool
	// Observers is the number of ZooKeeper observers, which are numbered after the voters.
	Observers int
	// Flaws lists the system's deliberate defects, by engine/zookeeper/zab's names.
	Flaws []string
	// Addresses lists the host:port under which clients find the servers, server 1 first. Only hosts that know the
	// servers from outside fill it. Which servers vote is then unknown.
	Addresses []string
	// SyncLimit is how long servers of an ensemble stay together without hearing from each other; 0 if unknown.
	SyncLimit time.Duration
}

// SystemKind names the kind of a System.
type SystemKind string

// The kinds of systems. All but ZooKeeper have nodes, as many as System.Servers says.
const (
	ZooKeeperSystem SystemKind = "zookeeper" // an ensemble of servers, or a single one
	RedisSystem     SystemKind = "redis"     // a primary and its replicas, or independent nodes
	PostgresSystem  SystemKind = "postgres"  // PostgreSQL at read committed
	MySQLSystem     SystemKind = "mysql"     // MySQL or MariaDB, InnoDB at repeatable read
	EtcdSystem      SystemKind = "etcd"
	NATSSystem      SystemKind = "nats" // what zkviz's own servers share; no recipe runs on it
)

// HasTables reports whether it is a database. Its entries are called TABLE/ROW and lie in the run's own tables,
// without a root.
func (k SystemKind) HasTables() bool { return k == PostgresSystem || k == MySQLSystem }

// HasZooKeeper reports whether one of the systems is ZooKeeper. A header without systems means ZooKeeper.
func (h *Header) HasZooKeeper() bool { return HasZooKeeper(h.Systems) }

// HasZooKeeper reports whether one of the systems is ZooKeeper. An empty list means ZooKeeper.
func HasZooKeeper(systems []System) bool {
	return len(systems) == 0 || slices.ContainsFunc(systems, func(s System) bool { return s.Kind == ZooKeeperSystem })
}

// NodesOf returns the number of nodes in systems other than ZooKeeper.
func NodesOf(systems []System) (n int) {
	for _, s := range systems {
		if s.Kind != ZooKeeperSystem {
			n += s.Servers
		}
	}
	return n
}

// Replicated reports whether the system has one primary, which the others follow.
func (s System) Replicated() bool { return s.Servers > 1 && !s.Apart }

// Granted reports whether a system other than ZooKeeper says that a client holds something. The primary decides, or a
// majority if the nodes are independent. For each node, at returns whether it is primary and whether it says so.
func (h *Header) Granted(at func(node Actor) (primary, says bool)) bool {
	n := 0
	for _, s := range h.Systems {
		if s.Kind == ZooKeeperSystem {
			continue
		}
		said := 0
		for range s.Servers {
			if n++; n > MaxNodes {
				return false
			}
			if primary, says := at(Node(n)); says && (primary || s.Apart) {
				said++
			}
		}
		if s.Apart && said > s.Servers/2 || !s.Apart && said > 0 {
			return true
		}
	}
	return false
}

// SystemOf returns the system that a node belongs to, or false if the header has none.
func (h *Header) SystemOf(node Actor) (System, bool) {
	n := node.Number()
	if node.Kind() != ANode {
		return System{}, false
	}
	for _, s := range h.Systems {
		if s.Kind == ZooKeeperSystem {
			continue
		}
		if n <= s.Servers {
			return s, true
		}
		n -= s.Servers
	}
	return System{}, false
}

// Flawed reports whether a system has deliberate defects.
func (h *Header) Flawed() bool {
	return slices.ContainsFunc(h.Systems, func(s System) bool { return len(s.Flaws) > 0 })
}

// Address returns the address of server n, or "" if the header has none.
func (h *Header) Address(n int) string {
	for _, s := range h.Systems {
		if n >= 1 && n <= len(s.Addresses) {
			return s.Addresses[n-1]
		}
	}
	return ""
}

// Rules returns all rules that judge the log, the Promises first.
func (h Header) Rules() []string {
	return slices.Concat(h.Promises, h.Limits)
}

// Fields reads or writes the fields of a header under their written names. List takes the current number of items and
// returns the new one; each visits the fields of one item.
type Fields interface {
	Text(name string, v *string)
	Texts(name string, v *[]string)
	Int(name string, v *int64)
	Number(name string, v *uint64) // written as a string, since a JSON number may be too small
	Bool(name string, v *bool)
	List(name string, n int, each func(i int, f Fields)) int
}

// Visit visits the fields of h in their written order. It is the only list of the fields.
func (h *Header) Visit(f Fields) {
	f.Text("recipe", &h.Recipe)
	f.Text("host", (*string)(&h.Host))
	f.Text("root", &h.Root)
	VisitInt(f, "clients", &h.Clients)
	VisitInt(f, "rounds", &h.Rounds)
	f.Number("seed", &h.Seed)
	VisitInt(f, "hold_ns", &h.Hold)
	VisitInt(f, "session_timeout_ns", &h.SessionTimeout)
	VisitInt(f, "latency_ns", &h.Latency)
	f.Texts("faults", &h.Faults)
	f.Texts("parents", &h.Parents)
	f.Texts("keeps", &h.Keeps)
	f.Texts("promises", &h.Promises)
	f.Texts("limits", &h.Limits)
	f.Text("drawing", (*string)(&h.Drawing.Kind))
	f.Text("queue", &h.Drawing.Queue)
	f.Text("gate", &h.Drawing.Gate)
	f.Text("taker", &h.Drawing.Taker)
	h.Drawing.visitStores(f)
	f.Text("shows", (*string)(&h.Drawing.Shows))
	n := f.List("systems", len(h.Systems), func(i int, f Fields) {
		for len(h.Systems) <= i {
			h.Systems = append(h.Systems, System{})
		}
		f.Text("kind", (*string)(&h.Systems[i].Kind))
		VisitInt(f, "servers", &h.Systems[i].Servers)
		f.Bool("apart", &h.Systems[i].Apart)
		VisitInt(f, "observers", &h.Systems[i].Observers)
		f.Texts("flaws", &h.Systems[i].Flaws)
		f.Texts("addresses", &h.Systems[i].Addresses)
		VisitInt(f, "sync_limit_ns", &h.Systems[i].SyncLimit)
	})
	h.Systems = h.Systems[:n]
}

// visitStores visits the stores. Old traces only say that there is one.
func (d *Drawing) visitStores(f Fields) {
	one := false
	f.Bool("store", &one)
	n := f.List("stores", len(d.Stores), func(i int, f Fields) {
		for len(d.Stores) <= i {
			d.Stores = append(d.Stores, StoreDrawing{})
		}
		f.Text("name", &d.Stores[i].Name)
		f.Text("form", (*string)(&d.Stores[i].Form))
		VisitInt(f, "trays", &d.Stores[i].Trays)
	})
	d.Stores = d.Stores[:n]
	if one && n == 0 {
		d.Stores = []StoreDrawing{{}}
	}
}

// VisitInt calls Int for a value of another type. It writes only if the value differs, so concurrent readers don't
// race.
func VisitInt[T ~int | ~int32 | ~int64 | ~uint8](f Fields, name string, v *T) {
	n := int64(*v)
	if f.Int(name, &n); T(n) != *v {
		*v = T(n)
	}
}
