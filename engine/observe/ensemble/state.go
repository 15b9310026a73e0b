package ensemble

import (
	"math"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// State is how an ensemble is, as far as its servers say. Callers must not change it.
type State struct {
	Number  int      // counts rounds; 0 if nobody was asked yet
	AtMS    int64    // when the last answer came, in ms since 1970
	Servers []Server // in the order in which they were given
	Quorum  Quorum
	Since   Since // of Quorum
	// Leader is the address of the server that leads; empty if none is in sight. Epoch is its epoch, or that of the
	// leader whose transactions zkviz receives without knowing which one it is.
	Leader      string
	Epoch       int64
	LeaderSince Since
	// Sessions counts the sessions of the whole ensemble. The leader tells it if its whitelist has mntr; otherwise it is
	// -1. Own is how many of them are this program's. Connections, Outstanding and the latencies are those of all servers
	// that answer.
	Sessions     int64
	Own          int
	Connections  int64
	Outstanding  int64
	LatencyMS    float64 // the greatest of the servers' averages
	MaxLatencyMS int64
	// Changes has the last ones, oldest first.
	Changes []Change

	seen lastSeen
}

// Quorum tells whether a quorum serves clients.
type Quorum string

// What is known about the quorum.
const (
	Unknown   Quorum = ""          // the servers that answer don't say
	Serves    Quorum = "yes"       // a server leads, or follows a leader, or is a single one
	Lost      Quorum = "no"        // none is in sight: those that answer look for a leader
	Unreached Quorum = "unreached" // no server answers
)

// Since is when something began.
type Since struct {
	MS      int64 // since 1970
	AtLeast bool  // it may have begun earlier
}

// Server is one server.
type Server struct {
	Addr string // host:port
	Mode string // leader, follower, observer, standalone, read-only, or Looking; empty if it doesn't say
	Zxid int64  // of its last transaction
	// Behind counts transactions that it lacked although another server had them before. BehindMore says that it may
	// lack more: of earlier epochs, whose transactions can't be counted.
	Behind       int64
	BehindMore   bool
	Connections  int64
	Outstanding  int64   // requests
	LatencyMS    float64 // average since its start
	MaxLatencyMS int64
	Version      string
	// Traffic is what it has done for its own clients since its start, and Recent what it has done since it was asked
	// before. Which paths that was about, only a tap knows.
	Traffic admin.Traffic
	Recent  Rates
	Why     sentence.Sentence // why it says nothing; zero if it does
	Away    bool              // it doesn't answer at all
}

// Tells reports whether the server has said more than its mode.
func (s *Server) Tells() bool { return s.Mode != "" && s.Mode != Looking }

// Looking is the mode of a server that looks for a leader.
const Looking = "looking"

// lastSeen is what Fold remembers.
type lastSeen struct {
	quorum Quorum // the last one that was Serves or Lost
	lost   Since  // since when it was last Lost; zero if never
	// servedMS is when it was last found to be Serves, in ms since 1970.
	servedMS int64
	away     Since // since when no server answers; zero if one does
	// answeredMS is when a server last answered, in ms since 1970.
	answeredMS int64
	since      Since
	leader     string
	epoch      int64
}

// Heard is what the ensemble's own stream tells an observer that has joined it. The zero value tells nothing.
type Heard struct {
	Leads bool  // a leader sends its transactions
	Epoch int64 // its epoch
}

// Fold returns the state after a round of answers, which ended at atMS in ms since 1970.
func Fold(was State, answers []Answer, heard Heard, atMS int64) State {
	s := State{Number: was.Number + 1, AtMS: atMS, Sessions: -1, Changes: was.Changes, seen: was.seen}
	furthest := int64(0)
	for i := range answers {
		furthest = max(furthest, answers[i].Status.Zxid)
	}
	uptimeMS := int64(0)
	for i := range answers {
		a := &answers[i]
		one := serverOf(a, furthest)
		one.Recent = between(was.trafficOf(one.Addr), &one.Traffic)
		s.add(one)
		leads := one.Mode == admin.Leader && (s.Leader == "" || one.Zxid > s.leaderZxid())
		if leads {
			s.Leader, s.Epoch, uptimeMS = one.Addr, epochOf(one.Zxid), a.Figures.LeaderUptimeMS
		}
		if a.Figures.Told && (leads || one.Mode == admin.Standalone) {
			s.Sessions = a.Figures.Sessions
		}
	}
	if s.Quorum = quorumOf(s.Servers); heard.Leads && (s.Quorum == Unknown || s.Quorum == Unreached) {
		s.Quorum, s.Epoch = Serves, max(heard.Epoch, 0)
	}
	watched := was.Number > 0 && atMS-was.AtMS <= watchedMS
	if s.Since = was.Since; s.Quorum != was.Quorum || !watched {
		s.Since = Since{atMS, !watched}
	}
	s.setLeaderSince(&was, uptimeMS, watched)
	s.change()
	return s
}

// trafficOf returns what a server had done by then.
func (s *State) trafficOf(addr string) *admin.Traffic {
	for i := range s.Servers {
		if s.Servers[i].Addr == addr {
			return &s.Servers[i].Traffic
		}
	}
	return new(admin.Traffic)
}

// leaderZxid returns the zxid of the server that is the leader so far.
func (s *State) leaderZxid() int64 {
	for i := range s.Servers {
		if s.Servers[i].Addr == s.Leader && s.Servers[i].Mode == admin.Leader {
			return s.Servers[i].Zxid
		}
	}
	return 0
}

// epochOf returns a zxid's epoch.
func epochOf(zxid int64) int64 { return int64(uint64(zxid) >> 32) }

func serverOf(a *Answer, furthest int64) Server {
	st := &a.Status
	s := Server{Addr: a.Addr, Mode: st.Mode, Zxid: st.Zxid, Connections: st.Connections, Outstanding: st.Outstanding,
		LatencyMS: st.LatencyMS, MaxLatencyMS: st.MaxLatencyMS, Version: st.Version, Why: a.Why, Away: a.Away,
		Traffic: a.Figures.Traffic}
	if st.Mode == "" && st.Role == admin.Looks {
		s.Mode = Looking
	}
	if a.Again == 0 || a.Again >= furthest {
		return s
	}
	s.Zxid = a.Again
	if epochOf(a.Again) == epochOf(furthest) {
		s.Behind = furthest - a.Again
		return s
	}
	s.Behind = furthest & math.MaxUint32
	s.BehindMore = s.Behind > 0
	return s
}

func (s *State) add(one Server) {
	s.Servers = append(s.Servers, one)
	s.Connections += min(one.Connections, most)
	s.Outstanding += min(one.Outstanding, most)
	s.LatencyMS, s.MaxLatencyMS = max(s.LatencyMS, one.LatencyMS), max(s.MaxLatencyMS, one.MaxLatencyMS)
}

// most bounds what a server may add to a sum.
const most = int64(1) << 40

func quorumOf(servers []Server) (q Quorum) {
	looks, untold := false, false
	for i := range servers {
		switch s := &servers[i]; s.Mode {
		case admin.Leader, admin.Follower, admin.Observer, admin.Standalone:
			return Serves
		case Looking, admin.ReadOnly:
			looks = true
		default:
			untold = untold || !s.Away
		}
	}
	switch {
	case untold:
		return Unknown
	case looks:
		return Lost
	}
	return Unreached
}

// jitterMS is by how much the time at which a server began to lead may vary from one round to the next.
const jitterMS = 5000

func (s *State) setLeaderSince(was *State, uptimeMS int64, watched bool) {
	if s.Leader == "" {
		return
	}
	same := s.seen.leader == s.Leader && s.seen.epoch == s.Epoch
	switch fromMS := s.AtMS - uptimeMS; {
	case uptimeMS > 0 && uptimeMS < s.AtMS:
		if old := s.seen.since; !same || old.AtLeast || abs(old.MS-fromMS) >= jitterMS {
			s.seen.since = Since{MS: fromMS}
		}
	case !same:
		knew := was.Leader != "" || was.Quorum == Lost
		s.seen.since = Since{s.AtMS, !watched || !knew}
	}
	s.LeaderSince = s.seen.since
}

func abs(n int64) int64 { return max(n, -n) }
