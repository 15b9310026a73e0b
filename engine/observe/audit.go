package observe

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Servers tell a client nothing of znodes that it may not read. So what such a znode is has to be asked for now and
// then, as does whether children have come or gone of which nobody has told. Where nothing has been written meanwhile,
// to whatever part of the tree, there's nothing to ask for.
const (
	auditEvery = time.Second
	auditMost  = 2  // znodes at a time, and
	auditKnown = 20 // where some are known that may not be read
	auditSoon  = 10 // if the first round takes more times than that, it's said how far it is
)

// audits are the rounds in which znodes are looked at.
type audits struct {
	zxid int64    // of which was heard when the last round began
	due  []string // still to be looked at in this round
	most int      // how many at a time
	last []string // those that are being looked at
	// of is how many znodes there are in the first round of a connection, which goes on; through says that it is over.
	of      int
	through bool
}

// progress is how many znodes the first round has looked at, in tenths of all, and how many these are: 0 if it is over,
// or will be soon, or there's nothing that nobody may tell of.
func (a *audits) progress() (done, of int) {
	if a.through || a.of <= auditSoon*a.most {
		return 0, 0
	}
	tenths := 10 * (a.of - len(a.due)) / a.of
	return tenths * a.of / 10, a.of
}

// goesThrough notes whether all have been looked at in the first round that were to be.
func (o *observer) goesThrough() {
	a := &o.audits
	waits := func(path string) bool { return o.looks.needs[path] != 0 }
	if a.of > 0 && len(a.due) == 0 && !slices.ContainsFunc(a.last, waits) {
		a.through = true
	}
}

// begin notes what was the last transaction before anything was read.
func (a *audits) begin(zxid int64) {
	if a.zxid == 0 {
		a.zxid = zxid
	}
}

// audit has some znodes looked at whose changes nobody may tell of; each time others. A round of it begins once the
// server has come to another zxid.
func (o *observer) audit(zxid int64) {
	o.goesThrough()
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

// round is one that begins now: those first that may not be read.
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
	a := audits{zxid: zxid, due: append(secret, due...), most: most, through: o.audits.through}
	if !o.oneShot {
		a.of = len(a.due)
	}
	return a
}

// audited has a znode's children listed if more or less have come and gone than those of which it knows.
func (o *observer) audited(path string, n *observed, stat *zoo.Stat) {
	if n.counted && !o.oneShot && int(stat.Cversion-n.cversion) != n.kin {
		o.unlisted[path] = true
	}
}
