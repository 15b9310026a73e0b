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
	"github.com/zkviz/zkviz/engine/observe/locks/follow"
)

// followEvery is the interval between checks for changes.
const followEvery = time.Second

// follow prints the changes since a report, until the user interrupts.
func (c *locksCmd) follow(term *terminal, l *follow.Locks, r follow.Report) error {
	print := printNews
	if c.JSON {
		print = encodeNews
	}
	var news lockNews
	news.take(r.Rows)
	for away, cut := "", r.ReadOnly; ; {
		select {
		case <-term.ctx.Done():
			return context.Cause(term.ctx)
		case <-time.After(followEvery):
		}
		r, err := l.Report(term.ctx, c.Path, c.Herds)
		if err != nil {
			return err
		}
		if r.Away != away {
			away = r.Away
			sayAway(term, away)
		}
		if r.ReadOnly && !cut {
			sayCut(term)
		}
		cut = r.ReadOnly
		if away != "" || r.Reading {
			continue
		}
		for _, n := range news.take(r.Rows) {
			if err := print(term.out, n, time.Now().UnixMilli()); err != nil {
				return err
			}
		}
	}
}

func sayAway(term *terminal, why string) {
	if why == "" {
		term.complain("ZooKeeper is in reach again")
		return
	}
	term.complain("ZooKeeper is out of reach: %s", escape.Line(why))
}

// lockNews finds changes between reports.
type lockNews struct {
	known map[string]knownLock // by path
}

// knownLock is the known state of one lock.
type knownLock struct {
	turn   locks.Turn // the last handover
	turned int64      // number of handovers
	alerts []string   // the keys of their sentences
}

// oneNews says that a lock changed hands or has a new trouble.
type oneNews struct {
	path   string
	turn   *locks.Turn
	missed int64 // handovers before turn whose details are lost
	alert  *locks.Alert
}

// take returns what changed since the last call: first the handovers in order, then the alerts.
func (n *lockNews) take(rows []locks.Row) (all []oneNews) {
	known, alerts := make(map[string]knownLock, len(rows)), []oneNews(nil)
	for i := range rows {
		r := &rows[i]
		was := n.known[r.Path]
		all = append(all, newTurns(r, was)...)
		now := knownLock{turned: r.Turned}
		if turns := r.Handovers(); len(turns) > 0 {
			now.turn = turns[0]
		}
		for i := range r.Alerts {
			a := &r.Alerts[i]
			if !slices.Contains(was.alerts, a.Key) {
				alerts = append(alerts, oneNews{path: r.Path, alert: a})
			}
			now.alerts = append(now.alerts, a.Key)
		}
		known[r.Path] = now
	}
	n.known = known
	slices.SortStableFunc(all, func(a, b oneNews) int {
		return cmp.Or(cmp.Compare(a.turn.TimeMS, b.turn.TimeMS), cmp.Compare(a.turn.Zxid, b.turn.Zxid))
	})
	return append(all, alerts...)
}

// newTurns returns the new handovers, oldest first. Of a known one that has got its new holder, it returns that part.
func newTurns(r *locks.Row, was knownLock) (all []oneNews) {
	turns := r.Handovers()
	for i := range turns {
		t := turns[i]
		if t == was.turn || t.TimeMS < was.turn.TimeMS {
			break
		}
		if was.turn.To.Path == "" && t.From == was.turn.From {
			t.From = handover.Hand{}
		}
		all = append(all, oneNews{path: r.Path, turn: &t})
	}
	slices.Reverse(all)
	if len(all) > 0 {
		all[0].missed = max(r.Turned-was.turned-int64(len(all)), 0)
	}
	return all
}

func printNews(out io.Writer, n oneNews, nowMS int64) (err error) {
	at := escape.Line(n.path)
	if n.alert != nil {
		_, err = fmt.Fprintf(out, "%s  %s  ! %s\n", wallTime(nowMS), at, lockSays(n.alert.Sentence))
		return err
	}
	when := wallTime(n.turn.TimeMS)
	if n.missed > 0 {
		_, err = fmt.Fprintf(out, "%s  %s  %s before that %s left out\n", when, at, count(int(n.missed), "handover"),
			are(int(n.missed)))
	}
	if err == nil {
		_, err = fmt.Fprintf(out, "%s  %s  %s\n", when, at, lockSays(n.turn.Said()))
	}
	return err
}

// newsObject is a change as a JSON object.
type newsObject struct {
	Path     string      `json:"path"`
	Handover *turnObject `json:"handover,omitempty"`
	Missed   int64       `json:"missed,omitempty"` // handovers before this one
	Alert    string      `json:"alert,omitempty"`
	Time     string      `json:"time,omitempty"` // the alert's time
}

func encodeNews(out io.Writer, n oneNews, nowMS int64) error {
	o := newsObject{Path: n.path, Missed: n.missed}
	if n.alert != nil {
		o.Alert, o.Time = lockSays(n.alert.Sentence), wallTime(nowMS)
	} else {
		turn := turnJSON(n.turn)
		o.Handover = &turn
	}
	return json.NewEncoder(out).Encode(o)
}
