package tap

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Kind is the kind of a Record.
type Kind string

// The kinds of Records.
const (
	Connected    Kind = "connected"    // a client has a session, new or resumed, at Server
	Refused      Kind = "refused"      // Server gives it no session: its own is over, or it has none
	Disconnected Kind = "disconnected" // its connection has ended; Reason says who ended it
	Answered     Kind = "request"      // a request was answered, or a gap hides the answer
	Notified     Kind = "told"         // a watch event; Op is its type
	SessionEnded Kind = "ended"        // a session has ended; Reason says why
	Gap          Kind = "gap"          // Missed bytes were dropped because zkviz was too far behind
	Unseen       Kind = "unseen"       // a connection's traffic can't be decoded, or is too much; Reason says which
)

// Record reports one thing that a client did or received. Fields that do not apply are zero.
type Record struct {
	At      time.Time
	Kind    Kind
	Client  string // its host:port
	Session int64
	Server  string // its server's host:port

	Op      string // a request's name in zkviz, like getChildren; a watch event's type
	Path    string // a create's result, else the request's path
	Watch   bool   // the request sets a watch
	Code    zoo.Code
	Latency time.Duration // from seeing the request to seeing its answer
	Zxid    int64         // the server's, from the answer
	Bytes   int           // the answer's size

	Timeout time.Duration // the session's, when it connects
	New     bool          // when it connects: the session is new, and not the requested one
	Wanted  int64         // then: the requested session; 0 if none
	Moved   string        // its previous server, if it was another
	Reason  event.Reason
	Missed  int
}
