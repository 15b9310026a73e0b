// Package fault lists the faults that clients, servers and the links between them can suffer, and reads and writes
// them as text.
//
// It only describes faults: engine/host/sim, engine/host/live and engine/host/contend carry them out.
//
// kind.go has the table of kinds, parse.go their form as text, message.go the names of messages.
package fault

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Server is the Client of a fault that strikes the server.
const Server = 0

// Fault is one fault of one client, of the server, or of whatever else its Kind strikes.
type Fault struct {
	Kind   Kind
	Client int           // from 1, or Server
	At     time.Duration // since the run's start, or, with Hold, since the client got in for that hold
	For    time.Duration // if the kind lasts, else 0; if it Sets a clock the amount, negative to set it back

	// Hold ties a ToClient fault to the client's nth time inside, from 1, whenever that is. What hasn't happened when
	// the client leaves is dropped. 0 means that the fault has its time in the run.
	Hold int

	// For kinds that strike an ensemble.
	Server  int     // from 1, for ToOneServer and ToClientAt
	A, B    Servers // for ToSides
	Message Message // for ToMessage

	// For kinds that strike other systems.
	Node int // from 1, for ToNode
}

// Scope counts the possible targets in a run.
type Scope struct {
	Clients int
	Servers int // ZooKeeper's servers, including observers; 0 without ZooKeeper
	Nodes   int // of other systems
}

// Servers is a set of servers of an ensemble: bit n stands for server-n.
type Servers uint16

// MaxServer is the highest server number of an ensemble, MaxNode the highest node number of other systems.
const (
	MaxServer = 9
	MaxNode   = 20
)

// Has reports whether server-n is in the set.
func (s Servers) Has(n int) bool { return s&(1<<n) != 0 }

// MaxHold is the highest Hold of a fault.
const MaxHold = 1000

// MaxAt limits At and For, and how far a clock may be set: a day.
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

// target returns the words for the fault's target.
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
	case ToMessage:
		return f.Message.String()
	case ToClientAt:
		return clientWord + strconv.Itoa(f.Client) + " " + fromWord + " " + memberWord + strconv.Itoa(f.Server)
	}
	if f.Client == Server {
		return serverWord
	}
	return clientWord + strconv.Itoa(f.Client)
}

// String returns the servers' names, separated by spaces.
func (s Servers) String() string {
	var names []string
	for n := range 16 {
		if s.Has(n) {
			names = append(names, memberWord+strconv.Itoa(n))
		}
	}
	return strings.Join(names, " ")
}

// String returns the fault as text that Parse reads back.
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

// Validate returns an error if the fault can't happen in a run with this scope.
func (f Fault) Validate(in Scope) error {
	it := sentence.Quote(f.String())
	target := f.Kind.Target()
	clients, servers := in.Clients, in.Servers
	switch {
	case !f.Kind.known():
		return sentence.Error("bad.fault.unknown", it)
	case target == ToMessage: // it depends on the message
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
	if target == ToMessage {
		if f.Client != Server {
			return sentence.Error("bad.fault.to-client", it)
		}
		if err := f.Message.validate(it, in); err != nil {
			return err
		}
	}
	switch {
	case !f.holdFits():
		return sentence.Error("bad.fault.cause", it, sentence.Cause(errHold()))
	case f.At < 0 || f.At > MaxAt || !f.isShort():
		return sentence.Error("bad.fault.times", it, sentence.Duration(MaxAt))
	case f.Kind.Lasts() != (f.For != 0):
		return sentence.Error("bad.fault.length", it, sentence.Duration(f.For))
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

// holdFits reports whether Hold is 0 or a valid hold for the kind.
func (f Fault) holdFits() bool {
	return f.Hold == 0 || f.Kind.Target() == ToClient && f.Hold > 0 && f.Hold <= MaxHold
}

func errHold() error { return sentence.Error("bad.fault.hold", sentence.Number(MaxHold)) }

// isShort reports whether For is within the kind's limits.
func (f Fault) isShort() bool {
	if f.Kind.Sets() {
		return f.For >= -MaxAt && f.For <= MaxAt
	}
	return f.For >= 0 && f.For <= MaxAt
}
