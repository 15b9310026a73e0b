package page

import "github.com/zkviz/zkviz/engine/event/sentence"

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

	Why sentence.Sentence // why it says nothing
}

// EnsembleChange is a change among the servers.
type EnsembleChange struct {
	At   string // in the format of <time>
	Says sentence.Sentence
}

// ensembleColumns are the columns of the table of servers, by their names below live.ensemble.column, without the
// first.
var ensembleColumns = [...]string{"mode", "zxid", "behind", "connections", "latency", "outstanding", "version"}

// cells returns what the columns have.
func (s EnsembleServer) cells(f Frame) [len(ensembleColumns)]string {
	mode := ""
	if s.Mode != "" {
		mode = f.Say("ensemble.mode." + s.Mode)
	}
	return [...]string{mode, s.Zxid, s.Behind, s.Connections, s.Latency, s.Outstanding, s.Version}
}
