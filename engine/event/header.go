package event

import (
	"slices"
	"time"
)

// Header says what world a log is from. It is complete: to show a log and to judge it, nothing else is needed.
type Header struct {
	Host    Host
	Recipe  string // its name, for people to read; nothing depends on it
	Root    string // the znode that the recipe works under, or that is observed
	Systems []System

	// The scenario.
	Clients        int
	Rounds         int
	Seed           uint64
	Hold           time.Duration // program.UntilSettled or how long
	SessionTimeout time.Duration // asked for
	Latency        time.Duration // one way, without jitter; 0 if it is not simulated
	Faults         []string

	// What is promised.
	Promises []string // rules of engine/check that hold whatever happens
	Limits   []string // rules that hold while no session ends without its client's knowing
	Parents  []string // the znodes that were there before the clients started
	Keeps    []string // the names, below the root, that are meant to be left behind; see kit.Recipe

	Drawing Drawing
}

// System is something that clients talk to.
type System struct {
	Kind    SystemKind
	Servers int // those that vote, or nodes; 0 if that is not known
	// Apart is that its nodes know nothing of each other. Else those after the first are replicas of it.
	Apart bool
	// Observers are beside them, with the numbers after theirs.
	Observers int
	// Flaws are what they get wrong on purpose, by the names that engine/zab has for it.
	Flaws []string
	// Addresses are where clients find the servers, host:port, of a host that knows them from outside only: server 1 is at
	// the first. Which of them vote is not known.
	Addresses []string
	// SyncLimit is for how long servers of an ensemble stay with each other without hearing anything; 0 if not known.
	SyncLimit time.Duration
}

// SystemKind is what a System is.
type SystemKind string

// The systems. All but the first have nodes, as many as System.Servers says.
const (
	ZooKeeperSystem SystemKind = "zookeeper" // an ensemble of servers, or a single one
	RedisSystem     SystemKind = "redis"     // a primary and its replicas, or nodes that know nothing of each other
	PostgresSystem  SystemKind = "postgres"  // PostgreSQL at read committed
	MySQLSystem     SystemKind = "mysql"     // MySQL or MariaDB, InnoDB at repeatable read
	EtcdSystem      SystemKind = "etcd"
)

// HasTables reports whether it is a database: what it has is called TABLE/ROW, and is in tables of the run's own, below
// no root.
func (k SystemKind) HasTables() bool { return k == PostgresSystem || k == MySQLSystem }

// HasZooKeeper reports whether a ZooKeeper is among the systems. A log that says nothing of systems is from one.
func (h *Header) HasZooKeeper() bool { return HasZooKeeper(h.Systems) }

// HasZooKeeper reports whether a ZooKeeper is among systems, which it is if there is none.
func HasZooKeeper(systems []System) bool {
	return len(systems) == 0 || slices.ContainsFunc(systems, func(s System) bool { return s.Kind == ZooKeeperSystem })
}

// NodesOf is how many nodes there are in systems that are not ZooKeeper.
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

// Granted reports whether something is somebody's by the account of a system that is not ZooKeeper: of its
// primary, or, of nodes that know nothing of each other, of most. at tells of a node whether it is primary, and
// whether it says so.
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

// SystemOf returns the system that has a node, and false if the header knows of none.
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

// Flawed reports whether what clients talk to gets something wrong on purpose.
func (h *Header) Flawed() bool {
	return slices.ContainsFunc(h.Systems, func(s System) bool { return len(s.Flaws) > 0 })
}

// Address returns where clients find server n, empty if the header does not say.
func (h *Header) Address(n int) string {
	for _, s := range h.Systems {
		if n >= 1 && n <= len(s.Addresses) {
			return s.Addresses[n-1]
		}
	}
	return ""
}

// Rules returns all rules that the log is judged by, the Promises first.
func (h Header) Rules() []string {
	return slices.Concat(h.Promises, h.Limits)
}

// Fields reads or writes the fields of a header, each with its name in the written form. Lists tells how many items a
// list has or is to have, and each visits the fields of one of them.
type Fields interface {
	Text(name string, v *string)
	Texts(name string, v *[]string)
	Int(name string, v *int64)
	Number(name string, v *uint64) // may not fit into what JSON calls a number, and is written as a string
	Bool(name string, v *bool)
	List(name string, n int, each func(i int, f Fields)) int
}

// Visit goes through the fields of h in the order of the written form, which is the only list of them.
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

// visitStores goes through the stores. Old traces say only that there is one.
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

// VisitInt is Int for a value of another type. It writes only what is different, so that those who only read may do so
// at the same time as others.
func VisitInt[T ~int | ~int32 | ~int64 | ~uint8](f Fields, name string, v *T) {
	n := int64(*v)
	if f.Int(name, &n); T(n) != *v {
		*v = T(n)
	}
}
