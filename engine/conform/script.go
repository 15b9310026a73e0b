package conform

import (
	"slices"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Kind is what a Step does.
type Kind uint8

const (
	// Ask sends Req on Conn. Asks of one connection that follow one another are sent together.
	Ask Kind = iota + 1
	// Connect makes a new connection named Conn and shakes hands as Hello says.
	Connect
	// Drop closes the connection without a word. Its session goes on.
	Drop
	// Expire takes the session of Conn up again with a short timeout, drops it, and waits until it is over.
	Expire
	// Starve does the same but keeps the connection, silent, until the server closes it.
	Starve
	// Raw sends the header of Req and then Bytes as its body.
	Raw
	// Frame sends Bytes as a frame that is no request: the server is to close the connection.
	Frame
	// Stream sends Bytes as they are, lengths included, if any: the server is to close the connection.
	Stream
	// Shake makes a new connection and sends Bytes as its first frame.
	Shake
	// Await waits, after the step before it, until the server has applied N transactions that nobody asked
	// for: znodes that its timer deletes.
	Await
	// Break keeps Asks apart: those before it are answered before those behind it are sent.
	Break
)

// Step is one line of a script, or a multi with its parts.
type Step struct {
	Kind  Kind
	Conn  string
	Req   wire.Request // Xid 0: whichever is next
	Bytes []byte
	Hello Hello
	N     int    // of Await
	Note  string // what is said of it: lines that begin with #, without that

	// Since makes RelativeZxid of Req, or Seen of Hello, count from the highest zxid that an answer has had.
	Since bool
}

// Script is what clients do, in order.
type Script []Step

// Hello is a handshake.
type Hello struct {
	// Session names the connection whose session is taken up again: the last that was opened on a connection
	// of that name. Empty opens a new one. "unknown" is one that never was.
	Session  string
	Password Password
	Timeout  int32 // ms
	Seen     int64 // lastZxidSeen
	Version  int32 // of the protocol
	ReadOnly ReadOnly
}

// Password is what a Hello shows.
type Password uint8

const (
	RightPassword Password = iota // what came with the session, or 16 zero bytes for a new one
	WrongPassword                 // of the right length
	NullPassword
	EmptyPassword
	ShortPassword // the first 15 bytes of the right one
	LongPassword  // the right one and one byte
)

// ReadOnly is the last byte of a handshake, which old clients do not send.
type ReadOnly uint8

const (
	NotReadOnly ReadOnly = iota
	MayReadOnly
	NoReadOnly // not sent
)

// DefaultTimeout is a Hello's timeout in ms unless it says otherwise: long enough that no session ends
// unless a script wants it to, however slow the machine.
const DefaultTimeout = 600_000

// usualTimeout is that of a handshake whose line names none: for a session that is to end, the shortest.
func usualTimeout(k Kind) int32 {
	if k == Connect {
		return DefaultTimeout
	}
	return 0
}

// pipelined reports whether the step can be sent together with its neighbours: whether ZooKeeper answers it in
// its turn. It answers auth and sasl, and closes broken connections, as soon as it reads them.
func (s *Step) pipelined() bool {
	if s.Kind != Ask {
		return false
	}
	switch s.Req.Op {
	case wire.OpAuth, wire.OpSASL, wire.OpCloseSession:
		return false
	}
	return true
}

// leads reports whether others can be sent together with the step, behind it. ZooKeeper checks a request by
// what those before it are going to change, and until they are applied it is wrong about some: it still goes
// by the ACL before a setACL, takes a container that was asked for as an ephemeral for one, and minds what a
// multi has done that it broke off as malformed.
func (s *Step) leads() bool {
	switch r := &s.Req; r.Op {
	case wire.OpSetACL:
		return false
	case wire.OpCreateContainer:
		return s.pipelined() && sound(r)
	case wire.OpMulti:
		return !slices.ContainsFunc(r.Ops, func(part wire.Request) bool { return !sound(&part) })
	}
	return s.pipelined()
}

// sound reports whether a part of a multi has a mode that fits its operation.
func sound(r *wire.Request) bool {
	switch mode := zoo.CreateMode(r.Flags); r.Op {
	case wire.OpCreate, wire.OpCreate2:
		return r.Flags >= 0 && mode <= zoo.EphemeralSequential
	case wire.OpCreateContainer:
		return mode == zoo.Container
	case wire.OpCreateTTL:
		return mode.HasTTL()
	case wire.OpDelete, wire.OpSetData, wire.OpCheck:
		return true
	}
	return false
}

// ends reports whether the step ends a session or deletes what is due, in an order that is not compared.
func (s *Step) ends() bool {
	switch s.Kind {
	case Expire, Starve, Await:
		return true
	case Ask:
		return s.Req.Op == wire.OpCloseSession
	}
	return false
}

// rounds cuts a script into what is done at once: each is one step, or Asks of one connection, and an Await.
func (s Script) rounds() [][]Step {
	var all [][]Step
	for i := 0; i < len(s); {
		if s[i].Kind == Break {
			i++
			continue
		}
		end := i + 1
		for end < len(s) && s[end-1].leads() && s[end].pipelined() && s[end].Conn == s[i].Conn {
			end++
		}
		for end < len(s) && s[end].Kind == Await {
			end++
		}
		all = append(all, s[i:end])
		i = end
	}
	return all
}

// Requests is how many requests the script sends, handshakes included.
func (s Script) Requests() int {
	n := 0
	for i := range s {
		switch s[i].Kind {
		case Drop, Await, Break:
		default:
			n++
		}
	}
	return n
}
