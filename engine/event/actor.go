package event

import (
	"strconv"
	"strings"
)

// Actor is who an event is about: ZooKeeper as a whole (0), a client (1, 2, …), one of its servers, a node of another
// system, or a store.
type Actor int32

// ZooKeeper is the system that the clients talk to, as a whole.
const ZooKeeper Actor = 0

// MaxActor is the highest client. MaxServers, MaxNodes and MaxStores bound the others.
const (
	MaxActor   = 10_000
	MaxServers = 1_000
	MaxNodes   = 1_000
	MaxStores  = 1_000
)

// Where servers, nodes and stores begin.
const (
	servers = 20_000
	nodes   = 25_000
	stores  = 30_000

	lastActor = stores + MaxStores
)

// Server is the server with this number, from 1 to MaxServers.
func Server(n int) Actor { return servers + Actor(n) }

// Node is the node with this number, from 1 to MaxNodes, of the systems in the header that are not ZooKeeper:
// those of the first come first.
func Node(n int) Actor { return nodes + Actor(n) }

// Store is the store with this number, from 1 to MaxStores: something outside of the systems that clients write to.
func Store(n int) Actor { return stores + Actor(n) }

// ActorKind is what an Actor is.
type ActorKind uint8

const (
	NoActor ActorKind = iota // a number that stands for nobody
	ASystem
	AClient
	AServer
	AStore
	ANode
)

// Kind returns what a is.
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

// known reports whether a stands for somebody. Nearly always that is a client.
func (a Actor) known() bool { return uint32(a) <= MaxActor || a.Kind() != NoActor }

// Number returns which of its kind a is, from 1; 0 for a system.
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

// The names, before their numbers.
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

// ParseActor finds the actor with that name.
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
