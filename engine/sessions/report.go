package sessions

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Report is what the servers said of sessions when they were asked last. It is nobody's to change.
type Report struct {
	Number   int       // of reports so far; 0 if nobody was asked yet
	At       time.Time // when the last answer came
	Sessions []Session // by ID
	Servers  []Server  // in the order of the Config
	Left     bool      // there are more sessions than MaxSessions
}

// Session is one, as far as servers that were asked know of it.
type Session struct {
	ID     int64
	Client string // host:port it is connected from, as its server sees it, or was last; empty if that is not known
	Server string // host:port at which it is; empty if at none that was asked
	// Heard is when something was last heard of it: of pings within milliseconds once the server was asked for a while,
	// before that it can be later than in truth. Zero if that is not known.
	Heard   time.Time
	Timeout time.Duration // 0 if that is not known
	// Expires is when it expires unless something is heard of it meanwhile, up to a tick of the leader's earlier than in
	// truth. Zero if that is not known.
	Expires     time.Time
	Last        string // its last operation, such as PING; empty if that is not known
	Outstanding int    // its requests without an answer
	Received    int64  // packets from it
	Sent        int64  // packets to it
}

// Quiet returns for how long nothing has been heard of the session at a time, 0 if that is not known.
func (s Session) Quiet(at time.Time) time.Duration {
	if s.Heard.IsZero() {
		return 0
	}
	return max(at.Sub(s.Heard), 0)
}

// Silent reports whether it is longer than usual at a time that something was heard of it. A client that has nothing to
// say pings after a third of its timeout; so silence is half of it.
func (s Session) Silent(at time.Time) bool { return s.Timeout > 0 && s.Quiet(at) > s.Timeout/2 }

// Server is what one server answered.
type Server struct {
	Addr        string // host:port
	Connections int    // with sessions
	// Watches, Paths and Watchers are how many watches its clients have, at how many znodes, and how many clients that
	// is; watches of lists of children are not counted.
	Watches, Paths, Watchers int
	Took                     time.Duration // all answers together
	// Troubles are what it did not tell, and why: words that it refused, by Refused, or, if it is Away, that it gave no
	// answer.
	Troubles []sentence.Sentence
	Refused  []string
	Away     bool
}

// Of returns what is known of a session.
func (r Report) Of(id int64) (Session, bool) {
	i, ok := slices.BinarySearchFunc(r.Sessions, id, func(s Session, id int64) int { return cmp.Compare(s.ID, id) })
	if !ok {
		return Session{}, false
	}
	return r.Sessions[i], true
}

// Watches is who watched what when the servers were asked last.
type Watches struct {
	At    time.Time // when it began to ask; zero if nobody was asked yet
	Took  time.Duration
	All   []Watch
	Left  bool // there are more than MaxWatches
	Whole bool // every server has told all of its clients' watches
	// Troubles are what was not told, and why.
	Troubles []sentence.Sentence
}
