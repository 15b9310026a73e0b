package zab

import "time"

// stage is how far a learner has come, as its leader knows it.
type stage uint8

const (
	away           stage = iota
	connected            // waits for an epoch
	toldEpoch            // received LEADERINFO
	ackedEpoch           // acknowledged the epoch, and waits for a quorum
	syncing              // received NEWLEADER
	ackedNewLeader       // acknowledged NEWLEADER, and waits for a quorum
	upToDate             // received UPTODATE
)

// learnerHandler holds what a leader knows about a follower or an observer.
type learnerHandler struct {
	stage   stage
	last    Zxid          // its last logged entry when it connected
	heard   time.Duration // when the leader last heard from it
	unacked syncLimitCheck
}

// forwarding reports whether the learner receives every proposal and commit.
func (h *learnerHandler) forwarding() bool { return h.stage >= syncing }

// timedOut reports whether the learner has been silent, or has left a proposal unacknowledged, for too long.
func (h *learnerHandler) timedOut(now time.Duration, cfg *Config) bool {
	if h.stage < upToDate {
		return now >= h.heard+cfg.initTime()
	}
	return now >= h.heard+cfg.syncTime() || h.unacked.current != 0 && now >= h.unacked.sent+cfg.syncTime()
}

// syncLimitCheck remembers the oldest proposal that a learner has not acknowledged, and one that was sent later.
type syncLimitCheck struct {
	current, next  Zxid
	sent, nextSent time.Duration
}

func (c *syncLimitCheck) propose(z Zxid, now time.Duration) {
	if c.current == 0 {
		c.current, c.sent = z, now
	} else {
		c.next, c.nextSent = z, now
	}
}

func (c *syncLimitCheck) acknowledge(z Zxid) {
	if z >= c.current {
		c.current, c.sent = 0, 0
		if z < c.next {
			c.current, c.sent = c.next, c.nextSent
		}
		c.next = 0
	}
}
