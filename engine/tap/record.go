package tap

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// What is what a Record tells of.
type What string

// What Records tell of.
const (
	Connected    What = "connected"    // a client has got its session, new or old, at Server
	Refused      What = "refused"      // Server gives it no session: its own is over, or it has none
	Disconnected What = "disconnected" // its connection has ended; Reason says by whom
	Asked        What = "request"      // a request was answered, or in Gap nobody knows
	Told         What = "told"         // a watch event; Op is its type
	SessionEnded What = "ended"        // a session has ended; Reason says why
	Gap          What = "gap"          // Missed bytes were left out, since zkviz was too far behind
	Unseen       What = "unseen"       // what passes on a connection is not understood, or is too much; Reason says which
)

// Record is one thing that a client did, got or was told. Fields that do not apply are zero.
type Record struct {
	At      time.Time
	What    What
	Client  string // host:port that it comes from
	Session int64
	Server  string // host:port of the server that it is at

	Op      string // of a request its name in zkviz, like getChildren; of a watch event its type
	Path    string // result of a create, else the request's
	Watch   bool   // the request asks for one
	Code    zoo.Code
	Latency time.Duration // from when the request was seen to when its answer was
	Zxid    int64         // the server's at the answer
	Bytes   int           // of the answer

	Timeout time.Duration // of the session, when it connects
	New     bool          // the session, when it connects: the server gave it one that it didn't ask for
	Wanted  int64         // the session that it asked for then; 0 if it asked for none
	Moved   string        // the server that it was at before, when that is another
	Reason  event.Reason
	Missed  int
}
