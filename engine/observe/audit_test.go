package observe

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/zoo"
)

// TestAudit: where nobody has written anything there's nothing to look for. Else each znode with a list of children is
// looked at once, few at a time, and more at a time where one may not be read.
func TestAudit(t *testing.T) {
	const nodes = 50
	f := newFake(false)
	f.has("/a", zoo.Stat{}, numbered(nodes)...)
	for _, name := range numbered(nodes) {
		f.has("/a/"+name, zoo.Stat{})
	}
	round := func(zxid int64) (rounds int) {
		f.looks = newLooks()
		var all []string
		for range 2 * nodes {
			before := len(f.looks.order)
			if f.audit(zxid); len(f.looks.order) > before {
				rounds++
			}
		}
		if all = f.looks.order; len(all) > 0 && len(slices.Compact(slices.Sorted(slices.Values(all)))) != nodes+1 {
			t.Errorf("at %d it looks at %v", zxid, all)
		}
		return rounds
	}
	for _, c := range []struct {
		zxid   int64
		secret bool
		rounds int
	}{
		{now, false, 0},
		{now + 1, false, (nodes + auditMost) / auditMost},
		{now + 1, false, 0},
		{now + 7, true, (nodes + auditKnown) / auditKnown},
		{now + 7, true, 0},
	} {
		f.nodes["/a/00007"].secret = c.secret
		if got := round(c.zxid); got != c.rounds {
			t.Errorf("at %d it takes %d rounds, not %d", c.zxid, got, c.rounds)
		}
	}
}
