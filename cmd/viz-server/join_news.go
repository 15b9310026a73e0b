package main

import (
	"log/slog"
	"sync"
	"time"
)

// saysJoining receives progress in words, and the reason if there is one.
type saysJoining func(level slog.Level, text, why string)

// leaderWithin is how long an ensemble may lack a leader without a warning. An election takes a second or two.
const leaderWithin = 15 * time.Second

// joinNews reports whether the ensemble is joined, and when its leader goes and returns.
type joinNews struct {
	say  saysJoining
	word func(error) string // returns an error's text

	mu     sync.Mutex
	joined bool        // whether it ever joined
	gone   *time.Timer // runs for leaderWithin while there is no leader, else nil
	why    string      // why there is no leader
	over   bool
}

// tell takes the reason why there is no leader, or nil once there is one.
func (n *joinNews) tell(why error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if why != nil {
		n.why = n.word(why)
	}
	switch {
	case why == nil && !n.joined:
		n.joined = true
		n.say(slog.LevelInfo, "joined the ensemble as an observer: zkviz sees every transaction from now on", "")
	case why == nil && n.gone != nil:
		n.gone.Stop()
		n.gone = nil
		n.say(slog.LevelInfo, "the ensemble has a leader again, and zkviz has caught up", "")
	case why != nil && !n.joined:
		n.say(slog.LevelWarn, "can't join the ensemble yet: until then zkviz reads the znodes, which misses fast changes "+
			"and doesn't show who made them", n.why)
	case why != nil && n.gone == nil:
		n.say(slog.LevelInfo, "the ensemble's leader is gone: waiting for the next one", n.why)
		n.gone = time.AfterFunc(leaderWithin, n.lasts)
	}
}

// lasts warns that the ensemble still has no leader.
func (n *joinNews) lasts() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.gone != nil && !n.over {
		n.say(slog.LevelWarn, "no leader of the ensemble has been reachable for "+leaderWithin.String()+
			": what you see is the state before that", n.why)
	}
}

// end silences the reports.
func (n *joinNews) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.over = true
	if n.gone != nil {
		n.gone.Stop()
	}
}
