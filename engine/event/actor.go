package event

import (
	"strconv"
	"strings"
)

// Actor identifies who an event is about: ZooKeeper as a whole (0), a client (1, 2, …), a ZooKeeper server, a node of
// another system, or a store.
type Actor int32

// ZooKeeper is the whole system that the clients talk to.
const ZooKeeper Actor = 0

// MaxActor is the highest client number. MaxServers, MaxNodes and MaxStores limit the other kinds.
const (
	MaxActor   = 10_000
	MaxServers = 1_000
	MaxNodes   = 1_000
	MaxStores  = 1_000
)

// Servers, nodes and stores are numbered from these on.
const (
	servers = 20_000
	nodes   = 25_000
	stores  = 30_000

	lastActor = stores + MaxStores
)

// Server returns server number n, from 1 to MaxServers.
func Server(n int) Actor { return servers + Actor(n) }

// Node returns node number n, from 1 to MaxNodes. Nodes are counted across all systems in the header that are not
// ZooKeeper, in the header's order.
func Node(n int) Actor { return nodes + Actor(n) }

// Store returns store number n, from 1 to MaxStores. Clients write to stores, which lie outside the systems.
func Store(n int) Actor { return stores + Actor(n) }

// ActorKind tells the kinds of actors apart.
type ActorKind uint8

const (
	NoActor ActorKind = iota // no actor has this number
	ASystem
	AClient
	AServer
	AStore
	ANode
)

// Kind returns the kind of actor that a is.
func (a Actor) Kind() ActorKind {
	switch {
	case a == ZooKeeper:
		return ASystem
	case a >= 1 && a <= MaxActor:
		return AClient
	case a > servers && a <= servers+MaxServers:
		return AServer
	case a > nodes && a <= nodes+MaxNodes:
		return ANode
	case a > stores && a <= stores+MaxStores:
		return AStore
	}
	return NoActor
}

// known reports whether a has a kind. The client test comes first because most actors are clients.
func (a Actor) known() bool { return uint32(a) <= MaxActor || a.Kind() != NoActor }

// Number returns a's number within its kind, from 1, or 0 for a system.
//
//go:noinline
func (a Actor) Number() int {
	switch a.Kind() {
	case AClient:
		return int(a)
	case AServer:
		return int(a - servers)
	case ANode:
		return int(a - nodes)
	case AStore:
		return int(a - stores)
	}
	return 0
}

// Names of actors, without their numbers.
const (
	clientName = "client-"
	serverName = "server-"
	nodeName   = "node-"
	storeName  = "store-"
	systemName = "zookeeper"
)

// String returns the actor's name: zookeeper, client-1, server-1, node-1, store-1.
func (a Actor) String() string {
	switch a.Kind() {
	case ASystem:
		return systemName
	case AServer:
		return serverName + strconv.Itoa(a.Number())
	case ANode:
		return nodeName + strconv.Itoa(a.Number())
	case AStore:
		return storeName + strconv.Itoa(a.Number())
	}
	return clientName + strconv.Itoa(int(a))
}

// ParseActor returns the actor with the given name.
func ParseActor(s string) (Actor, bool) {
	if s == systemName {
		return ZooKeeper, true
	}
	for prefix, first := range map[string]Actor{clientName: 0, serverName: servers, nodeName: nodes, storeName: stores} {
		digits, ok := strings.CutPrefix(s, prefix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 32)
		a := first + Actor(n)
		return a, err == nil && n > 0 && n <= MaxActor && a.String() == s
	}
	return 0, false
}
