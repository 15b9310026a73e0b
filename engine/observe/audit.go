package observe

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Servers tell a client nothing of znodes that it may not read. So what such a znode is has to be asked for now and
// then, as does whether children have come or gone of which nobody has told.
const (
	auditEvery = time.Second
	auditMost  = 50 // znodes at a time
)

// audit has some znodes looked at whose changes nobody may tell of; each time others, by their paths.
func (o *observer) audit() {
	var due []string
	for path, n := range o.nodes {
		if n.read && (n.secret || n.counted && !o.oneShot) {
			due = append(due, path)
		}
	}
	slices.Sort(due)
	next, _ := slices.BinarySearch(due, o.audited)
	due = append(due[next:], due[:next]...)
	for _, path := range due[:min(len(due), auditMost)] {
		o.look(path, needStat)
	}
	if len(due) > auditMost {
		o.audited = due[auditMost]
	}
}

// audits has a znode's children listed if more or less have come and gone than those of which it knows.
func (o *observer) audits(path string, n *observed, stat *zoo.Stat) {
	if n.counted && !o.oneShot && int(stat.Cversion-n.cversion) != n.kin {
		o.unlisted[path] = true
	}
}
