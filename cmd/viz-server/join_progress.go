package main

import (
	"log/slog"
	"sync"
	"time"
)

// joinReport receives progress in words, and the reason if there is one.
type joinReport func(level slog.Level, text, why string)

// leaderTimeout is how long an ensemble may lack a leader without a warning. An election takes a second or two.
const leaderTimeout = 15 * time.Second

// joinProgress reports whether the ensemble is joined, and when its leader goes and returns.
type joinProgress struct {
	report joinReport
	word   func(error) string // returns an error's text

	mu         sync.Mutex
	joined     bool        // whether it ever joined
	leaderless *time.Timer // runs for leaderTimeout while there is no leader, else nil
	why        string      // why there is no leader
	stopped    bool
}

// update takes the reason why there is no leader, or nil once there is one.
func (n *joinProgress) update(why error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if why != nil {
		n.why = n.word(why)
	}
	switch {
	case why == nil && !n.joined:
		n.joined = true
		n.report(slog.LevelInfo, "joined the ensemble as an observer: zkviz sees every transaction from now on", "")
	case why == nil && n.leaderless != nil:
		n.leaderless.Stop()
		n.leaderless = nil
		n.report(slog.LevelInfo, "the ensemble has a leader again, and zkviz has caught up", "")
	case why != nil && !n.joined:
		n.report(slog.LevelWarn, "can't join the ensemble yet: until then zkviz reads the znodes, which misses fast changes "+
			"and doesn't show who made them", n.why)
	case why != nil && n.leaderless == nil:
		n.report(slog.LevelInfo, "the ensemble's leader is gone: waiting for the next one", n.why)
		n.leaderless = time.AfterFunc(leaderTimeout, n.warn)
	}
}

// warn warns that the ensemble still has no leader.
func (n *joinProgress) warn() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.leaderless != nil && !n.stopped {
		n.report(slog.LevelWarn, "no leader of the ensemble has been reachable for "+leaderTimeout.String()+
			": what you see is the state before that", n.why)
	}
}

// stop silences the reports.
func (n *joinProgress) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stopped = true
	if n.leaderless != nil {
		n.leaderless.Stop()
	}
}
