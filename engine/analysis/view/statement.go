package view

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Statement is a line of a database's transcript: what a client sent to it, or the end of a transaction that the client
// didn't ask for.
type Statement struct {
	_      Incomparable
	Client event.Actor
	Text   string // empty for such an end
	Sent   time.Duration
	Over   bool          // the client has the result, or will never have it
	OverAt time.Duration // that of Sent if it was never sent
	Result string        // empty if it never came
	Failed bool          // the result is an error, or none came
}

// MostStatements limits the transcript to its latest lines.
const MostStatements = 48

// state adds a line to the transcript.
func (l *Remotes) state(x Statement) {
	if len(l.Transcript) == MostStatements {
		l.Transcript = slices.Delete(l.Transcript, 0, 1)
	}
	l.Transcript = append(l.Transcript, x)
}

// result records what a client learned of its latest statement that has no result: it waits for one at a time.
func (l *Remotes) result(client event.Actor, at time.Duration, says string, failed bool) {
	for i := len(l.Transcript) - 1; i >= 0; i-- {
		x := &l.Transcript[i]
		if x.Client == client && !x.Over {
			x.Over, x.OverAt, x.Result, x.Failed = true, at, says, failed
			return
		}
	}
}

// hasTables reports whether a node belongs to a database.
func (s *State) hasTables(node event.Actor) bool {
	sys, ok := s.Header.SystemOf(node)
	return ok && sys.Kind.HasTables()
}

// undone adds the end of a transaction that its client didn't ask for.
func (s *State) undone(e event.Event) {
	if asked := e.Reason == event.ByCommit || e.Reason == event.ByRollback; !asked && s.hasTables(e.Actor) {
		s.Remotes.state(Statement{Client: e.Peer, Sent: e.At, Over: true, OverAt: e.At})
	}
}
