package main

import (
	"log/slog"
	"sync"
	"time"
)

// saysJoining is told how joining goes, in words, and why if that is for a reason.
type saysJoining func(level slog.Level, text, why string)

// leaderWithin is for how long an ensemble may be without a leader until one is warned. To elect another takes it a
// second or two.
const leaderWithin = 15 * time.Second

// joinNews says of an ensemble whether it's joined, and what becomes of its leader.
type joinNews struct {
	say  saysJoining
	word func(error) string // what an error says

	mu     sync.Mutex
	joined bool        // it has been
	gone   *time.Timer // runs while there is no leader, up to leaderWithin; nil while there is one
	why    string      // there is none
	over   bool
}

// tell takes why there is nothing to learn from; nil is that there is now.
func (n *joinNews) tell(why error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if why != nil {
		n.why = n.word(why)
	}
	switch {
	case why == nil && !n.joined:
		n.joined = true
		n.say(slog.LevelInfo, "joined the ensemble as an observer: from now on each transaction is seen", "")
	case why == nil && n.gone != nil:
		n.gone.Stop()
		n.gone = nil
		n.say(slog.LevelInfo, "the ensemble has a leader again, and what was missed has come", "")
	case why != nil && !n.joined:
		n.say(slog.LevelWarn, "the ensemble can't be joined yet: until it is, znodes are read, which misses fast changes "+
			"and doesn't tell who made them", n.why)
	case why != nil && n.gone == nil:
		n.say(slog.LevelInfo, "the ensemble's leader is gone: waiting for the next one", n.why)
		n.gone = time.AfterFunc(leaderWithin, n.lasts)
	}
}

// lasts warns of an ensemble that stays without a leader.
func (n *joinNews) lasts() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.gone != nil && !n.over {
		n.say(slog.LevelWarn, "no leader of the ensemble can be reached for "+leaderWithin.String()+
			": what is shown is how it was before", n.why)
	}
}

// end has it say nothing more.
func (n *joinNews) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.over = true
	if n.gone != nil {
		n.gone.Stop()
	}
}
