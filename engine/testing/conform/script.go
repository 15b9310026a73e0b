package conform

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Kind is what a Step does.
type Kind uint8

const (
	// Ask sends Req on Conn. Successive Asks of one connection are sent together.
	Ask Kind = iota + 1
	// Connect opens a new connection named Conn with the handshake Hello.
	Connect
	// Drop closes the connection, but not its session.
	Drop
	// Expire shortens the timeout of Conn's session by reconnecting, disconnects, and waits until the session has
	// expired.
	Expire
	// Starve does the same, but keeps the silent connection until the server closes it.
	Starve
	// Raw sends the header of Req with Bytes as its body.
	Raw
	// Frame sends Bytes as a frame that isn't a request: the server should close the connection.
	Frame
	// Stream sends Bytes as they are, with any lengths in them: the server should close the connection.
	Stream
	// Shake opens a new connection and sends Bytes as its first frame.
	Shake
	// Await waits, after the step before it, until the server has applied N transactions without a request: deletions
	// of znodes by its timer.
	Await
	// Break separates Asks: those after it are sent when those before it have their replies.
	Break
)

// Step is one line of a script, or a multi with its parts.
type Step struct {
	Kind  Kind
	Conn  string
	Req   wire.Request // Xid 0 for the next one
	Bytes []byte
	Hello Hello
	N     int    // of Await
	Note  string // lines above it that begin with #, without the #

	// Since makes RelativeZxid of Req, or Seen of Hello, relative to the highest zxid in a reply so far.
	Since bool
}

// Script is what clients do, in order.
type Script []Step

// Hello is a handshake.
type Hello struct {
	// Session names the connection whose session is used: the last one opened on a connection of that name. "" opens a
	// new one, "unknown" stands for one that never existed.
	Session  string
	Password Password
	Timeout  int32 // ms
	Seen     int64 // lastZxidSeen
	Version  int32 // of the protocol
	ReadOnly ReadOnly
}

// Password is the password in a Hello.
type Password uint8

const (
	RightPassword Password = iota // the session's own, or 16 zero bytes for a new one
	WrongPassword                 // of the right length
	NullPassword
	EmptyPassword
	ShortPassword // the first 15 bytes of the right one
	LongPassword  // the right one and one more byte
)

// ReadOnly is the last byte of a handshake, which old clients omit.
type ReadOnly uint8

const (
	NotReadOnly ReadOnly = iota
	MayReadOnly
	NoReadOnly // not sent
)

// DefaultTimeout is the default timeout of a Hello in ms: so long that no session expires unless the script makes it
// expire, however slow the machine.
const DefaultTimeout = 600_000

// usualTimeout is the timeout of a handshake whose line has none: the shortest for a session that should expire.
func usualTimeout(k Kind) int32 {
	if k == Connect {
		return DefaultTimeout
	}
	return 0
}

// pipelined reports whether the step can be sent together with its neighbors: whether ZooKeeper replies to it in order.
// It handles auth and sasl, and closes broken connections, as soon as it reads them.
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

// leads reports whether other steps can be sent together with this one, after it. ZooKeeper checks a request against
// the pending changes of those before it, and gets some of them wrong until they are applied: it still uses the ACL
// from before a setACL, takes a container that was created with an ephemeral mode for an ephemeral, and keeps the
// changes of a malformed multi that it aborted.
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

// ends reports whether the step ends a session or deletes expired znodes, in an order that isn't compared.
func (s *Step) ends() bool {
	switch s.Kind {
	case Expire, Starve, Await:
		return true
	case Ask:
		return s.Req.Op == wire.OpCloseSession
	}
	return false
}

// rounds splits a script into rounds: each is one step, or Asks of one connection, with an Await.
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

// Requests returns the number of requests that the script sends, including handshakes.
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
