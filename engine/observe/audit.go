package observe

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Servers report no changes of znodes that a client may not read. So the observer asks about such znodes now and then,
// and also whether children have come or gone unreported. If nothing has been written meanwhile, anywhere in the
// tree, there is nothing to ask.
const (
	auditEvery      = time.Second
	auditAtOnce     = 2  // znodes at a time, and
	auditUnreadable = 20 // where some may not be read
	auditSoon       = 10 // if the first round takes more times than that, the log shows its progress
)

// audits looks at znodes, round after round.
type audits struct {
	observer *observer
	zxid     int64    // the latest when the last round began
	due      []string // still to be looked at in this round
	atOnce   int      // limit at a time
	last     []string // being looked at now
	// total is the number of znodes in a connection's first round, while it goes on; complete means that it is over.
	total    int
	complete bool
}

// progress returns how many znodes the first round has looked at, in tenths of all, and the number of all. Both are
// 0 if the round is over or short, or if every change is reported anyway.
func (a *audits) progress() (done, of int) {
	if a.complete || a.total <= auditSoon*a.atOnce {
		return 0, 0
	}
	tenths := 10 * (a.total - len(a.due)) / a.total
	return tenths * a.total / 10, a.total
}

// update records whether the first round has looked at everything.
func (a *audits) update() {
	waits := func(path string) bool { return a.observer.requests.queue.needs[path] != 0 }
	if a.total > 0 && len(a.due) == 0 && !slices.ContainsFunc(a.last, waits) {
		a.complete = true
	}
}

// begin records the last transaction before anything was read.
func (a *audits) begin(zxid int64) {
	if a.zxid == 0 {
		a.zxid = zxid
	}
}

// step looks at some znodes whose changes may go unreported, each time at others. A round begins once the server
// has reached another zxid.
func (a *audits) step(zxid int64) {
	o := a.observer
	a.update()
	if len(a.due) == 0 && zxid != a.zxid {
		a.startRound(zxid)
	}
	now := a.due[:min(len(a.due), a.atOnce)]
	for _, path := range now {
		if o.tree.nodes[path] != nil {
			o.requests.queue.mark(path, needStat)
		}
	}
	if a.due = a.due[len(now):]; len(now) > 0 {
		a.last = now
	}
	o.omissions.report()
}

// startRound begins another round: unreadable znodes come first.
func (a *audits) startRound(zxid int64) {
	o := a.observer
	var secret, due []string
	for path, n := range o.tree.nodes {
		switch {
		case n.read && n.secret:
			secret = append(secret, path)
		case n.read && n.counted && !o.oneShot:
			due = append(due, path)
		}
	}
	if o.tree.missing && !o.oneShot { // no server reports the creation of what a client may not read
		o.requests.queue.mark(o.tree.root, needStat)
	}
	slices.Sort(secret)
	slices.Sort(due)
	most := auditAtOnce
	if len(secret) > 0 {
		most = auditUnreadable
	}
	a.zxid, a.due, a.atOnce, a.last, a.total = zxid, append(secret, due...), most, nil, 0
	if !o.oneShot {
		a.total = len(a.due)
	}
}

// check lists a znode's children again if more or fewer have come and gone than it knows.
func (a *audits) check(path string, n *observed, stat *zoo.Stat) {
	if n.counted && !a.observer.oneShot && int(stat.Cversion-n.cversion) != n.changes {
		a.observer.lists.unlisted[path] = true
	}
}
