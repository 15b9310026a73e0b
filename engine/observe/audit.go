package observe

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Servers tell a client nothing about znodes that it may not read. So the observer asks about such znodes now and
// then, and also whether children have come or gone unreported. If nothing has been written meanwhile, anywhere in
// the tree, there is nothing to ask.
const (
	auditEvery = time.Second
	auditMost  = 2  // znodes at a time, and
	auditKnown = 20 // where some may not be read
	auditSoon  = 10 // if the first round takes more times than that, the log shows its progress
)

// audits are the rounds of looking at znodes.
type audits struct {
	zxid int64    // the latest when the last round began
	due  []string // still to be looked at in this round
	most int      // limit at a time
	last []string // being looked at now
	// total is the number of znodes in a connection's first round, while it goes on; complete means that it is over.
	total    int
	complete bool
}

// progress returns how many znodes the first round has looked at, in tenths of all, and the number of all. Both are
// 0 if the round is over or short, or if every change is reported anyway.
func (a *audits) progress() (done, of int) {
	if a.complete || a.total <= auditSoon*a.most {
		return 0, 0
	}
	tenths := 10 * (a.total - len(a.due)) / a.total
	return tenths * a.total / 10, a.total
}

// updateAudit records whether the first round has looked at everything.
func (o *observer) updateAudit() {
	a := &o.audits
	waits := func(path string) bool { return o.looks.needs[path] != 0 }
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

// audit looks at some znodes whose changes may go unreported, each time at others. A round begins once the server
// has reached another zxid.
func (o *observer) audit(zxid int64) {
	o.updateAudit()
	if len(o.audits.due) == 0 && zxid != o.audits.zxid {
		o.audits = o.round(zxid)
	}
	now := o.audits.due[:min(len(o.audits.due), o.audits.most)]
	for _, path := range now {
		if o.nodes[path] != nil {
			o.look(path, needStat)
		}
	}
	if o.audits.due = o.audits.due[len(now):]; len(now) > 0 {
		o.audits.last = now
	}
	o.tellLeftOut()
}

// round returns a round that begins now: unreadable znodes come first.
func (o *observer) round(zxid int64) audits {
	var secret, due []string
	for path, n := range o.nodes {
		switch {
		case n.read && n.secret:
			secret = append(secret, path)
		case n.read && n.counted && !o.oneShot:
			due = append(due, path)
		}
	}
	slices.Sort(secret)
	slices.Sort(due)
	most := auditMost
	if len(secret) > 0 {
		most = auditKnown
	}
	a := audits{zxid: zxid, due: append(secret, due...), most: most, complete: o.audits.complete}
	if !o.oneShot {
		a.total = len(a.due)
	}
	return a
}

// audited lists a znode's children again if more or fewer have come and gone than it knows.
func (o *observer) audited(path string, n *observed, stat *zoo.Stat) {
	if n.counted && !o.oneShot && int(stat.Cversion-n.cversion) != n.changes {
		o.unlisted[path] = true
	}
}
