package ensemble

import (
	"net"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// Says tells the state in one line.
func (s *State) Says() sentence.Sentence {
	switch s.Quorum {
	case Unreached:
		return s.since("ensemble.unreached", s.Since, s.reasons())
	case Lost:
		return s.since("ensemble.lost", s.Since, sentence.Sentences(s.roles()...))
	case Unknown:
		return sentence.Of("ensemble.unknown", sentence.Sentences(s.roles()...))
	}
	line := list(append([]sentence.Sentence{s.leads()}, s.roles()...))
	for _, figure := range s.figures() {
		line = sentence.Of("ensemble.figure", sentence.Sentences(line), sentence.Sentences(figure))
	}
	return line
}

// list joins sentences by commas.
func list(all []sentence.Sentence) (text sentence.Sentence) {
	for i, s := range all {
		if s.Key == "" {
			continue
		}
		if text.Key == "" {
			text = all[i]
			continue
		}
		text = sentence.Of("list.more", sentence.Sentences(text), sentence.Sentences(s))
	}
	return text
}

// shortMS is how long a state must have lasted at least for that to be worth saying.
const shortMS = 5000

// since returns a sentence about something with its beginning: the key's own, or those for "at least" or for an unknown
// beginning.
func (s *State) since(key string, from Since, args ...sentence.Arg) sentence.Sentence {
	switch lastsMS := s.AtMS - from.MS; {
	case !from.AtLeast:
		return sentence.Of(key+".since", append(args, sentence.Text(Clock(from.MS, s.AtMS)))...)
	case lastsMS >= shortMS:
		return sentence.Of(key+".least", append(args, sentence.Sentences(handover.Lapse(lastsMS)))...)
	}
	return sentence.Of(key, args...)
}

// Clock writes a time in ms since 1970 in this program's time zone, with the date unless that is the one of nowMS.
func Clock(ms, nowMS int64) string {
	at, now := time.UnixMilli(ms), time.UnixMilli(nowMS)
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04:05Z07:00")
	}
	return at.Format("2006-01-02T15:04:05Z07:00")
}

// leads says who leads.
func (s *State) leads() sentence.Sentence {
	if s.Leader != "" {
		return s.since("ensemble.leads", s.LeaderSince, sentence.Text(s.Name(s.Leader)), sentence.Number(s.Epoch))
	}
	for i := range s.Servers {
		if s.Servers[i].Mode == admin.Standalone {
			return sentence.Of("ensemble.alone", sentence.Text(s.Name(s.Servers[i].Addr)))
		}
	}
	if s.Epoch != 0 {
		return sentence.Of("ensemble.leader.unnamed", sentence.Number(s.Epoch))
	}
	return sentence.Of("ensemble.no-leader")
}

// roles says what the other servers do, and who is behind.
func (s *State) roles() (all []sentence.Sentence) {
	say := func(key string, is func(*Server) bool) {
		var names []string
		for i := range s.Servers {
			if is(&s.Servers[i]) {
				names = append(names, s.Name(s.Servers[i].Addr))
			}
		}
		if len(names) > 0 {
			all = append(all, sentence.Of(key, sentence.Number(len(names)), sentence.Texts(names)))
		}
	}
	mode := func(mode string) func(*Server) bool { return func(one *Server) bool { return one.Mode == mode } }
	say("ensemble.leads.too", func(one *Server) bool { return one.Mode == admin.Leader && one.Addr != s.Leader })
	say("ensemble.follows", mode(admin.Follower))
	say("ensemble.observes", mode(admin.Observer))
	behind := 0
	for i := range s.Servers {
		one := &s.Servers[i]
		if one.Behind == 0 {
			continue
		}
		key := "ensemble.behind"
		if one.BehindMore {
			key = "ensemble.behind.least"
		}
		if behind++; behind <= sentence.MostNamed {
			all = append(all, sentence.Of(key, sentence.Number(one.Behind), sentence.Text(s.Name(one.Addr))))
		}
	}
	if more := behind - sentence.MostNamed; more > 0 {
		all = append(all, sentence.Of("ensemble.behind.more", sentence.Number(more)))
	}
	say("ensemble.looks", mode(Looking))
	say("ensemble.reads", mode(admin.ReadOnly))
	say("ensemble.untold", func(one *Server) bool { return one.Mode == "" && !one.Away })
	say("ensemble.away", func(one *Server) bool { return one.Away })
	return all
}

// reasons says why no server can be reached, grouped by reason.
func (s *State) reasons() sentence.Arg {
	var all []sentence.Sentence
	by := map[string][]string{}
	for i := range s.Servers {
		one := &s.Servers[i]
		why := one.Why.String()
		by[why] = append(by[why], s.Name(one.Addr))
	}
	for i := range s.Servers {
		one := &s.Servers[i]
		if names := by[one.Why.String()]; names[0] == s.Name(one.Addr) {
			all = append(all, sentence.Of("ensemble.reason", sentence.Texts(names), sentence.Sentences(one.Why)))
		}
	}
	return sentence.Sentences(all...)
}

// figures says how busy the servers are, if any tells.
func (s *State) figures() (all []sentence.Sentence) {
	if !slices.ContainsFunc(s.Servers, func(one Server) bool { return one.Tells() }) {
		return nil
	}
	switch {
	case s.Sessions > 0 && s.Own > 0:
		all = append(all, sentence.Of("ensemble.sessions.own", sentence.Number(s.Sessions)))
	case s.Sessions >= 0:
		all = append(all, sentence.Of("ensemble.sessions", sentence.Number(s.Sessions)))
	default:
		all = append(all, sentence.Of("ensemble.connections", sentence.Number(s.Connections)))
	}
	all = append(all, sentence.Of("ensemble.latency", sentence.Text(Milliseconds(s.LatencyMS)),
		sentence.Number(s.MaxLatencyMS)))
	if s.Outstanding == 0 {
		all = append(all, sentence.Of("ensemble.idle"))
	} else {
		all = append(all, sentence.Of("ensemble.outstanding", sentence.Number(s.Outstanding)))
	}
	return append(all, s.traffic()...)
}

// Milliseconds writes a latency with one decimal.
func Milliseconds(ms float64) string {
	if ms > 0 && ms < 0.1 {
		return "<0.1"
	}
	return sentence.Tenths(ms)
}

// Name returns a short name of a server: its host, if no other server is on it.
func (s *State) Name(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	same := 0
	for i := range s.Servers {
		if other, _, _ := net.SplitHostPort(s.Servers[i].Addr); other == host {
			same++
		}
	}
	if same > 1 || host == "" {
		return addr
	}
	return host
}

// Tells says the change in one line. name shortens addresses; see State.Name.
func (c *Change) Tells(name func(string) string) sentence.Sentence {
	switch c.Kind {
	case QuorumLost:
		return sentence.Of("ensemble.change.lost", sentence.Sentences(c.Servers))
	case QuorumBack:
		return c.after("ensemble.change.back")
	case AllAway:
		return sentence.Of("ensemble.change.away", sentence.Sentences(c.Servers))
	case Reached:
		return c.after("ensemble.change.reached")
	}
	if c.Leader == "" {
		return sentence.Of("ensemble.change.unnamed", sentence.Number(c.Epoch))
	}
	leader, epoch := sentence.Text(name(c.Leader)), sentence.Number(c.Epoch)
	switch c.Was {
	case "":
		return sentence.Of("ensemble.change.first", leader, epoch)
	case c.Leader:
		return sentence.Of("ensemble.change.again", leader, epoch, sentence.Number(c.WasEpoch))
	}
	return sentence.Of("ensemble.change.leader", leader, epoch, sentence.Text(name(c.Was)), sentence.Number(c.WasEpoch))
}

// after returns a sentence about the end of something that lasted for ForMS.
func (c *Change) after(key string) sentence.Sentence {
	if c.Longer {
		key += ".least"
	}
	return sentence.Of(key, sentence.Sentences(handover.Took(c.ForMS)))
}
