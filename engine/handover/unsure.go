package handover

import (
	"cmp"

	"github.com/zkviz/zkviz/engine/naming"
)

// turn is when it was a znode's turn.
type turn struct {
	path         string
	timeMS, zxid int64
}

// Unsure returns of how many it can't be told whether they hold it, and why of the first.
func (t *Tracker) Unsure() (n int, why naming.Doubt) {
	if t.own || len(t.unsure) == 0 && !t.family().Doubtful() {
		return 0, ""
	}
	for p := range t.Line() {
		if p.Doubt != "" {
			n++
			why = cmp.Or(why, p.Doubt)
		}
	}
	return n, why
}

// Overdue has a session be one that may have expired, or not any more, and reports whether it has a znode. Settle is
// called after that. By such a znode nobody is known to get in; who is in stays there until the znode goes.
func (t *Tracker) Overdue(session int64, is bool) (any bool) {
	for p, n := range t.nodes {
		if n.Session == session {
			n.Overdue, any = is, true
			t.nodes[p] = n
		}
	}
	return any
}
