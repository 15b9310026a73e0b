package page

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// EnsembleProps is how the servers of a cluster are.
type EnsembleProps struct {
	Says    sentence.Sentence
	Trouble bool // no quorum is in sight
	Servers []EnsembleServer
	Changes []EnsembleChange // newest first
}

// EnsembleServer is one server as text. Of one that says nothing, only Addr and Why are there.
type EnsembleServer struct {
	Addr, Mode, Zxid, Behind, Connections, Latency, Outstanding, Version string

	Reads, Writes string              // a second, and how long one takes in ms
	Failures      []sentence.Sentence // what has gone wrong, and how often
	Span          sentence.Sentence   // what these cover

	Why sentence.Sentence // why it says nothing
}

// EnsembleChange is a change among the servers.
type EnsembleChange struct {
	At   string // in the format of <time>
	Says sentence.Sentence
}

// ensembleColumns are the columns of the table of servers, by their names below live.ensemble.column, without the
// first.
var ensembleColumns = [...]string{"mode", "zxid", "behind", "connections", "latency", "outstanding", "reads",
	"writes", "failures", "version"}

// cells returns what the columns have.
func (s EnsembleServer) cells(f Frame) [len(ensembleColumns)]string {
	var failures []string
	for _, one := range s.Failures {
		failures = append(failures, f.says(one))
	}
	if len(failures) == 0 && s.Span.Key != "" {
		failures = append(failures, f.Say("live.ensemble.none"))
	}
	if s.Span.Key != "" {
		failures = append(failures, f.says(s.Span))
	}
	mode := ""
	if s.Mode != "" {
		mode = f.Say("ensemble.mode." + s.Mode)
	}
	return [...]string{mode, s.Zxid, s.Behind, s.Connections, s.Latency, s.Outstanding, s.Reads, s.Writes,
		strings.Join(failures, ", "), s.Version}
}
