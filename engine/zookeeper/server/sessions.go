package server

import (
	"crypto/subtle"
	"time"

	"github.com/zkviz/zkviz/engine/base/agenda"
)

// sessions keeps the sessions and when each expires, like ZooKeeper's session tracker.
type sessions struct {
	all    map[int64]*session
	expiry agenda.Agenda[int64] // when to check which session; a postponed deadline is noticed only then
	nextID int64                // for a new session

	tick, maxTimeout time.Duration
	seed             uint64 // for the passwords
}

// negotiate returns the timeout for a client that requests askMS.
func (t *sessions) negotiate(askMS int32) time.Duration {
	return t.bounded(time.Duration(askMS) * time.Millisecond)
}

// bounded limits a timeout to the server's range.
func (t *sessions) bounded(timeout time.Duration) time.Duration {
	return min(max(timeout, 2*t.tick), t.maxTimeout)
}

// proven reports whether shown is the session's password.
func (t *sessions) proven(id int64, shown []byte) bool {
	return subtle.ConstantTimeCompare(shown, password(id, t.seed)) == 1
}

// touch postpones the session's deadline. Like the buckets of ZooKeeper's session tracker, a deadline is rounded up to
// the tick after the timeout.
func (t *sessions) touch(n *session, now time.Duration) {
	n.deadline = ((now+n.timeout)/t.tick + 1) * t.tick
	if n.check == 0 || n.deadline < n.check {
		t.scheduleCheck(n)
	}
}

func (t *sessions) scheduleCheck(n *session) {
	n.check = n.deadline
	t.expiry.Add(n.check, n.id)
}
