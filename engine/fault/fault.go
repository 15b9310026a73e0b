// Package fault is the table of what can be done to clients, servers and what is between them, and how it is written
// down.
//
// It only describes: engine/sim, engine/live and engine/contend carry faults out.
package fault

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Server is the Client of a fault that is done to the server.
const Server = 0

// Fault is one thing done to one client, or to the server.
type Fault struct {
	Kind   Kind
	Client int           // from 1, or Server
	At     time.Duration // since the run's start, or since the client got in for the time of Hold
	For    time.Duration // of a kind that lasts, else 0; of Jump by how much, negative to set a clock back

	// Hold says which time that the client is inside the fault belongs to, from 1, whenever that comes: what hasn't
	// happened when the client is out again doesn't. 0 is for faults that have a time in the run. It is of ToClient.
	Hold int

	// Of a kind for an ensemble.
	Server int     // from 1, of ToOneServer and ToClientAt
	A, B   Servers // of ToSides

	// Of a kind for other systems.
	Node int // from 1, of ToNode
}

// Scope is what there is in a run that something can be done to.
type Scope struct {
	Clients int
	Servers int // of a ZooKeeper, observers among them; 0 without one
	Nodes   int // of other systems
}

// Servers is a group of servers of an ensemble: bit n stands for server-n.
type Servers uint16

// MaxServer is the highest server of an ensemble, MaxNode the highest node of other systems.
const (
	MaxServer = 9
	MaxNode   = 20
)

// Has reports whether server-n is in the group.
func (s Servers) Has(n int) bool { return s&(1<<n) != 0 }

// MaxHold is the last time that a client is inside for which a fault can be meant.
const MaxHold = 1000

// MaxAt bounds At and For, which a clock may be set back by too: a day.
const MaxAt = 24 * time.Hour

const (
	serverWord = "server"
	clientWord = "client-"
	memberWord = "server-"
	nodeWord   = "node-"
	fromWord   = "from"
	inWord     = "in"
	holdWord   = "hold"
	sideWord   = "|"
)

// target is the words for what the fault is done to.
func (f Fault) target() string {
	switch f.Kind.Target() {
	case ToServer:
		if f.Client == Server {
			return serverWord
		}
	case ToOneServer:
		return memberWord + strconv.Itoa(f.Server)
	case ToNode:
		return nodeWord + strconv.Itoa(f.Node)
	case ToSides:
		return f.A.String() + " " + sideWord + " " + f.B.String()
	case ToClientAt:
		return clientWord + strconv.Itoa(f.Client) + " " + fromWord + " " + memberWord + strconv.Itoa(f.Server)
	}
	if f.Client == Server {
		return serverWord
	}
	return clientWord + strconv.Itoa(f.Client)
}

// String names the servers, with spaces in between.
func (s Servers) String() string {
	var names []string
	for n := range 16 {
		if s.Has(n) {
			names = append(names, memberWord+strconv.Itoa(n))
		}
	}
	return strings.Join(names, " ")
}

// String writes the fault so that Parse reads it back.
func (f Fault) String() string {
	s := f.Kind.String() + " " + f.target()
	if f.Hold != 0 {
		s += " " + inWord + " " + holdWord + " " + strconv.Itoa(f.Hold)
	}
	s += " at " + f.At.String()
	if f.Kind.Lasts() {
		s += " " + f.Kind.span() + " " + f.For.String()
	}
	return s
}

// Validate says why the fault cannot happen in a run with these, or returns nil.
func (f Fault) Validate(in Scope) error {
	it := sentence.Quote(f.String())
	target := f.Kind.Target()
	clients, servers := in.Clients, in.Servers
	switch {
	case !f.Kind.known():
		return sentence.Error("bad.fault.unknown", it)
	case servers == 0 && !slices.Contains(SystemKinds(), f.Kind):
		return sentence.Error("bad.fault.no-zookeeper", it, sentence.Text(Words(SystemKinds(), ", ")))
	case f.Kind > lastZooKeeper && in.Nodes == 0:
		return sentence.Error("bad.fault.zookeeper", it)
	case target == ToNode && (f.Node < 1 || f.Node > in.Nodes):
		return sentence.Error("bad.fault.among-nodes", it, sentence.Number(f.Node), sentence.Number(in.Nodes))
	case f.Kind > lastAlone && f.Kind <= lastZooKeeper && servers < 2:
		return sentence.Error("bad.fault.alone", it)
	case (target == ToClient || target == ToClientAt) && (f.Client < 1 || f.Client > clients):
		return sentence.Error("bad.fault.among", it, sentence.Number(f.Client), sentence.Number(clients))
	case target == ToNode && f.Client != 0:
		return sentence.Error("bad.fault.to-node", it)
	case target != ToClient && target != ToClientAt && f.Client != Server:
		return sentence.Error("bad.fault.to-client", it)
	case (target == ToOneServer || target == ToClientAt) && (f.Server < 1 || f.Server > servers):
		return sentence.Error("bad.fault.among-servers", it, sentence.Number(f.Server), sentence.Number(servers))
	case target == ToSides:
		if err := f.validateSides(it, servers); err != nil {
			return err
		}
	}
	switch {
	case !f.holdFits():
		return sentence.Error("bad.fault.cause", it, sentence.Cause(errHold()))
	case f.At < 0 || f.At > MaxAt || !f.isShort():
		return sentence.Error("bad.fault.times", it, sentence.Span(MaxAt))
	case f.Kind.Lasts() != (f.For != 0):
		return sentence.Error("bad.fault.length", it, sentence.Span(f.For))
	}
	return nil
}

func (f Fault) validateSides(it sentence.Arg, servers int) error {
	all := f.A | f.B
	switch {
	case f.A == 0 || f.B == 0 || f.A&f.B != 0 || all.Has(0):
		return sentence.Error("bad.fault.cause", it, sentence.Cause(sentence.Error("bad.fault.sides")))
	case all >= 1<<(servers+1):
		highest := bits.Len16(uint16(all)) - 1
		return sentence.Error("bad.fault.among-servers", it, sentence.Number(highest), sentence.Number(servers))
	}
	return nil
}

// holdFits reports whether the fault has no hold that it belongs to, or one that there can be.
func (f Fault) holdFits() bool {
	return f.Hold == 0 || f.Kind.Target() == ToClient && f.Hold > 0 && f.Hold <= MaxHold
}

func errHold() error { return sentence.Error("bad.fault.hold", sentence.Number(MaxHold)) }

// isShort reports whether For is within what the kind may have.
func (f Fault) isShort() bool {
	if f.Kind.Sets() {
		return f.For >= -MaxAt && f.For <= MaxAt
	}
	return f.For >= 0 && f.For <= MaxAt
}
