package sessions

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Report is what the servers last said about sessions. Callers must not change it.
type Report struct {
	Number   int       // counts reports; 0 if nobody was asked yet
	At       time.Time // when the last answer came
	Sessions []Session // by ID
	Servers  []Server  // in the order of the Config
	Left     bool      // there are more sessions than MaxSessions
}

// Session is a session, as far as the asked servers know it.
type Session struct {
	ID     int64
	Client string // its current or last host:port, as its server sees it; empty if unknown
	Server string // its server's host:port; empty if it is connected to none that was asked
	// Unconnected means that every asked server has listed its clients, and this one isn't among them.
	Unconnected bool
	// Heard is when the session was last active. Once a server has been asked for a while, it is right to within
	// milliseconds of a ping; before that it may be too late. Zero if unknown.
	Heard   time.Time
	Timeout time.Duration // 0 if unknown
	// Expires is when it expires if it stays silent, up to a tick of the leader's too early. Zero if unknown.
	Expires     time.Time
	Last        string // its last operation, such as PING; empty if unknown
	Listed      bool   // its last request, pings aside, listed a znode's children; false if unknown
	Outstanding int    // its requests without an answer
	Received    int64  // packets from it
	Sent        int64  // packets to it
}

// Quiet returns how long the session had been silent at that time, or 0 if unknown.
func (s Session) Quiet(at time.Time) time.Duration {
	if s.Heard.IsZero() {
		return 0
	}
	return max(at.Sub(s.Heard), 0)
}

// Silent reports whether the session had been silent for unusually long at that time. An idle client pings after a
// third of its timeout, so half of it is unusual.
func (s Session) Silent(at time.Time) bool { return handover.Silent(s.Quiet(at), s.Timeout) }

// Server is the answer of one server.
type Server struct {
	Addr        string // host:port
	Connections int    // with sessions
	// Watches, Paths and Watchers count its clients' watches, their znodes, and the clients that have any, without
	// child watches.
	Watches, Paths, Watchers int
	Took                     time.Duration // for all answers together
	// Troubles says what it did not report, and why. Refused lists the words that it refused. Away says that it
	// gave no answer.
	Troubles []sentence.Sentence
	Refused  []string
	Away     bool
}

// Of returns the session with that id.
func (r Report) Of(id int64) (Session, bool) {
	i, ok := slices.BinarySearchFunc(r.Sessions, id, func(s Session, id int64) int { return cmp.Compare(s.ID, id) })
	if !ok {
		return Session{}, false
	}
	return r.Sessions[i], true
}

// Watches is who watched what when the servers were last asked.
type Watches struct {
	At    time.Time // when asking began; zero if nobody was asked yet
	Took  time.Duration
	All   []Watch
	Left  bool // there are more than MaxWatches
	Whole bool // every server has reported all watches of its clients
	// Lists counts each server's child watches, by its host:port, if it counts them and their number stayed the same
	// while it was asked. Servers don't tell whose these are, and count a persistent watch as one.
	Lists map[string]int
	// Troubles says what was not reported, and why.
	Troubles []sentence.Sentence
}
