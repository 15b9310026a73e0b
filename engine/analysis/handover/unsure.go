package handover

import (
	"cmp"

	"github.com/zkviz/zkviz/engine/analysis/naming"
)

// turn records when it became a znode's turn.
type turn struct {
	path         string
	timeMS, zxid int64
}

// Unsure returns how many may or may not hold it, and the first one's reason.
func (t *Tracker) Unsure() (n int, why naming.Doubt) {
	if t.own || len(t.unsure) == 0 && !t.family().Doubtful() {
		return 0, ""
	}
	for c := range t.Line() {
		if c.Settle(); c.Doubt != "" {
			n++
			why = cmp.Or(why, c.Doubt)
		}
	}
	return n, why
}

// Overdue records that a session may have expired, or no longer may, and reports whether it has a znode. Call
// Settle afterwards. Nobody is known to get in by such a znode; who is in stays in until the znode goes.
func (t *Tracker) Overdue(session int64, is bool) (any bool) {
	for p, n := range t.nodes {
		if n.Session == session {
			n.Overdue, any = is, true
			t.nodes[p] = n
		}
	}
	return any
}
