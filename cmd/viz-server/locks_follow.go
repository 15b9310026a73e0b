package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// followInterval is the interval between checks for changes.
const followInterval = time.Second

// follow prints the changes since a report, until the user interrupts or --fail-on finds a trouble. It hands the
// changes to send, with the report's own troubles first.
func (c *locksCmd) follow(term *terminal, l *follow.Locks, r follow.Report, p *ensembleLines,
	send sender) error {
	write := printChange
	if c.JSON {
		write = encodeChange
	}
	var diff locks.Diff
	last := r.Rows
	send.locks(diff.Update(r.Rows, time.Now().UnixMilli()))
	for outage, noQuorum := "", r.ReadOnly; ; {
		select {
		case <-term.ctx.Done():
			return cmp.Or(c.conclude(term, l, last), context.Cause(term.ctx))
		case <-time.After(followInterval):
		}
		if err := p.changes(term.ctx, term.out); err != nil {
			return err
		}
		if send.servers(&p.now); c.failsOn(&p.now) {
			return errInTrouble
		}
		r, err := l.ReportOn(term.ctx, follow.Ask{Path: c.Path, Herds: c.Herds, Named: c.unfolded})
		if err != nil {
			return err
		}
		if r.Away != outage {
			outage = r.Away
			reportOutage(term, outage, r.AsOfMS)
		}
		if r.ReadOnly && !noQuorum {
			warnNoQuorum(term)
		}
		noQuorum = r.ReadOnly
		if outage != "" || r.Reading {
			continue
		}
		last = r.Rows
		changes := diff.Update(r.Rows, time.Now().UnixMilli())
		send.locks(changes)
		for _, n := range changes {
			if !n.Selected(&c.chosen, l.Address) {
				continue
			}
			if err := write(term.out, n); err != nil {
				return err
			}
		}
		if err := c.fails(&r, &p.now); err != nil {
			return err
		}
	}
}

// reportOutage prints why nothing can be read since a time in ms since 1970, or that it can again.
func reportOutage(term *terminal, why string, sinceMS int64) {
	if why == "" {
		term.complain("%s  ZooKeeper is in reach again", wallTime(time.Now().UnixMilli()))
		return
	}
	term.complain("ZooKeeper is out of reach since %s: %s", wallTime(sinceMS), escape.Line(why))
}

// printChange prints a handover, a departure or a new trouble.
func printChange(out io.Writer, n locks.Change) (err error) {
	at := escape.Line(n.Path)
	switch {
	case n.Ended:
		return nil
	case n.Alert != nil:
		_, err = fmt.Fprintf(out, "%s  %s  ! %s\n", wallTime(n.TimeMS), at, lockText(n.Alert.Sentence))
		return err
	}
	when, what, said := int64(0), "handover", sentence.Sentence{}
	if n.Quit != nil {
		when, what, said = n.Quit.TimeMS, "departure", n.Quit.Said()
	} else {
		when, said = n.Turn.TimeMS, n.Turn.Said()
	}
	if n.Missed > 0 {
		_, err = fmt.Fprintf(out, "%s  %s  %s before that %s left out\n", wallTime(when), at, count(int(n.Missed), what),
			isOrAre(int(n.Missed)))
	}
	if err == nil {
		_, err = fmt.Fprintf(out, "%s  %s  %s\n", wallTime(when), at, lockText(said))
	}
	return err
}

// changeObject is a change as a JSON object.
type changeObject struct {
	Path     string          `json:"path"`
	Handover *handoverObject `json:"handover,omitempty"`
	Left     *quitObject     `json:"left,omitempty"`   // a client that left the queue without getting in
	Missed   int64           `json:"missed,omitempty"` // of the same, before this one
	Alert    string          `json:"alert,omitempty"`
	Kind     locks.Kind      `json:"kind,omitempty"` // of the alert
	Time     string          `json:"time,omitempty"` // the alert's time
}

// encodeChange prints a handover, a departure or a new trouble as a JSON object.
func encodeChange(out io.Writer, n locks.Change) error {
	o := changeObject{Path: n.Path, Missed: n.Missed}
	switch {
	case n.Ended:
		return nil
	case n.Alert != nil:
		o.Alert, o.Kind, o.Time = lockText(n.Alert.Sentence), n.Alert.Kind(), wallTime(n.TimeMS)
	case n.Quit != nil:
		quit := quitJSON(n.Quit)
		o.Left = &quit
	default:
		turn := handoverJSON(n.Turn)
		o.Handover = &turn
	}
	return json.NewEncoder(out).Encode(o)
}
