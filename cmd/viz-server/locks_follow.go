package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// followInterval is the interval between checks for changes.
const followInterval = time.Second

// follow prints the changes since a report, until the user interrupts.
func (c *locksCmd) follow(term *terminal, l *follow.Locks, r follow.Report, p *ensembleLines) error {
	write := printChange
	if c.JSON {
		write = encodeChange
	}
	var diff lockDiff
	diff.update(r.Rows)
	for outage, noQuorum := "", r.ReadOnly; ; {
		select {
		case <-term.ctx.Done():
			return context.Cause(term.ctx)
		case <-time.After(followInterval):
		}
		if err := p.changes(term.ctx, term.out); err != nil {
			return err
		}
		r, err := l.Report(term.ctx, c.Path, c.Herds)
		if err != nil {
			return err
		}
		if r.Away != outage {
			outage = r.Away
			reportOutage(term, outage)
		}
		if r.ReadOnly && !noQuorum {
			warnNoQuorum(term)
		}
		noQuorum = r.ReadOnly
		if outage != "" || r.Reading {
			continue
		}
		for _, n := range diff.update(r.Rows) {
			if err := write(term.out, n, time.Now().UnixMilli()); err != nil {
				return err
			}
		}
	}
}

func reportOutage(term *terminal, why string) {
	if why == "" {
		term.complain("ZooKeeper is in reach again")
		return
	}
	term.complain("ZooKeeper is out of reach: %s", escape.Line(why))
}

// lockDiff finds changes between reports.
type lockDiff struct {
	known map[string]lockState // by path
}

// lockState is the known state of one lock.
type lockState struct {
	last      locks.Turn // the last handover
	handovers int64      // number of handovers
	alerts    []string   // the keys of their sentences
}

// lockChange says that a lock changed hands or has a new trouble.
type lockChange struct {
	path     string
	handover *locks.Turn
	missed   int64 // handovers before this one whose details are lost
	alert    *locks.Alert
}

// update returns what changed since the last call: first the handovers in order, then the alerts.
func (n *lockDiff) update(rows []locks.Row) (all []lockChange) {
	known, alerts := make(map[string]lockState, len(rows)), []lockChange(nil)
	for i := range rows {
		r := &rows[i]
		was := n.known[r.Path]
		all = append(all, newHandovers(r, was)...)
		now := lockState{handovers: r.Turned}
		if turns := r.Handovers(); len(turns) > 0 {
			now.last = turns[0]
		}
		for i := range r.Alerts {
			a := &r.Alerts[i]
			if !slices.Contains(was.alerts, a.Key) {
				alerts = append(alerts, lockChange{path: r.Path, alert: a})
			}
			now.alerts = append(now.alerts, a.Key)
		}
		known[r.Path] = now
	}
	n.known = known
	slices.SortStableFunc(all, func(a, b lockChange) int {
		return cmp.Or(cmp.Compare(a.handover.TimeMS, b.handover.TimeMS), cmp.Compare(a.handover.Zxid, b.handover.Zxid))
	})
	return append(all, alerts...)
}

// newHandovers returns the new handovers, oldest first. Of a known one that has since got its new
// holder, it returns that part.
func newHandovers(r *locks.Row, was lockState) (all []lockChange) {
	turns := r.Handovers()
	for i := range turns {
		t := turns[i]
		if t == was.last || t.TimeMS < was.last.TimeMS {
			break
		}
		if was.last.To.Path == "" && t.From == was.last.From {
			t.From = handover.Hand{}
		}
		all = append(all, lockChange{path: r.Path, handover: &t})
	}
	slices.Reverse(all)
	if len(all) > 0 {
		all[0].missed = max(r.Turned-was.handovers-int64(len(all)), 0)
	}
	return all
}

func printChange(out io.Writer, n lockChange, nowMS int64) (err error) {
	at := escape.Line(n.path)
	if n.alert != nil {
		_, err = fmt.Fprintf(out, "%s  %s  ! %s\n", wallTime(nowMS), at, lockText(n.alert.Sentence))
		return err
	}
	when := wallTime(n.handover.TimeMS)
	if n.missed > 0 {
		_, err = fmt.Fprintf(out, "%s  %s  %s before that %s left out\n", when, at, count(int(n.missed), "handover"),
			isOrAre(int(n.missed)))
	}
	if err == nil {
		_, err = fmt.Fprintf(out, "%s  %s  %s\n", when, at, lockText(n.handover.Said()))
	}
	return err
}

// changeObject is a change as a JSON object.
type changeObject struct {
	Path     string          `json:"path"`
	Handover *handoverObject `json:"handover,omitempty"`
	Missed   int64           `json:"missed,omitempty"` // handovers before this one
	Alert    string          `json:"alert,omitempty"`
	Time     string          `json:"time,omitempty"` // the alert's time
}

func encodeChange(out io.Writer, n lockChange, nowMS int64) error {
	o := changeObject{Path: n.path, Missed: n.missed}
	if n.alert != nil {
		o.Alert, o.Time = lockText(n.alert.Sentence), wallTime(nowMS)
	} else {
		turn := handoverJSON(n.handover)
		o.Handover = &turn
	}
	return json.NewEncoder(out).Encode(o)
}
