package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// unfolded returns the rows whose waiters to name: of all locks if the user asks for that, else of one named by PATH.
func (c *locksCmd) unfolded(rows []locks.Row) []locks.Row {
	if c.Names {
		return rows
	}
	i := slices.IndexFunc(rows, func(r locks.Row) bool { return r.Path == c.Path })
	if i < 0 {
		return nil
	}
	return rows[i : i+1]
}

// fold returns rows without what only unfolded ones show.
func (c *locksCmd) fold(rows []locks.Row) []locks.Row {
	if c.Names {
		return rows
	}
	rows = slices.Clone(rows)
	for i := range rows {
		if r := &rows[i]; r.Path != c.Path {
			if r.Waiters = nil; !c.JSON {
				r.Quits, r.Waited, r.Flow, r.QueueMS = nil, locks.Waits{}, locks.Flow{}, 0
			}
		}
	}
	return rows
}

// printQueue prints a line for each client that waits, and what is known about the queue.
func printQueue(w io.Writer, r *locks.Row, nowMS int64) {
	for i := range r.Waiters {
		fmt.Fprintf(w, "  %s\n", waiterLine(r, &r.Waiters[i], nowMS))
	}
	if more := r.Unnamed(); more.Key != "" && len(r.Waiters) > 0 {
		fmt.Fprintf(w, "  %s\n", lockText(more))
	}
	for _, said := range r.Figures(nowMS) {
		fmt.Fprintf(w, "  %s\n", lockText(said))
	}
	for i := range r.Quits {
		q := &r.Quits[i]
		fmt.Fprintf(w, "  - %s: %s\n", lockText(q.Ago(nowMS)), lockText(q.Said()))
	}
}

// waiterLine says who waits, how long, since when and behind whom.
func waiterLine(r *locks.Row, one *locks.Waiter, nowMS int64) string {
	who := fmt.Sprintf("%d. %s", one.Place, sessionAt(one.Session, one.Client))
	if one.Data != "" {
		who += " " + escape.Line(one.Data)
	}
	parts := []string{who + " " + lockText(r.Waits(one, nowMS))}
	if one.MadeMS != 0 {
		parts = append(parts, "since "+wallTime(one.MadeMS))
	}
	if behind := one.Says(); behind.Key != "" {
		parts = append(parts, lockText(behind))
	}
	return strings.Join(parts, ", ")
}

// waiterObject is a client that waits, as a JSON object.
type waiterObject struct {
	Place   int    `json:"place"`             // in line, from 1
	Session string `json:"session,omitempty"` // empty if the znode belongs to no session
	Address string `json:"address,omitempty"`
	Znode   string `json:"znode"`
	Data    string `json:"data,omitempty"`
	Since   string `json:"since,omitempty"`
	Waited  int64  `json:"waited_ms,omitempty"`
	Behind  string `json:"behind,omitempty"`       // the session that it waits for
	Ahead   string `json:"behind_znode,omitempty"` // and that one's znode
	Blind   bool   `json:"unwatched,omitempty"`    // it watched nobody ahead when servers were asked last
}

func waitersJSON(r *locks.Row, nowMS int64) (all []waiterObject) {
	for i := range r.Waiters {
		w := &r.Waiters[i]
		o := waiterObject{Place: w.Place, Session: sessionJSON(w.Session), Address: w.Client.Addr, Znode: w.Path,
			Data: w.Data, Behind: sessionJSON(w.Behind.Session), Ahead: w.Behind.Path, Blind: w.Unwatched}
		if waited, known := w.WaitedMS(r.At(nowMS)); known {
			o.Since, o.Waited = wallTime(w.MadeMS), waited
		}
		all = append(all, o)
	}
	return all
}

// quitObject is a client that left the queue without getting in, as a JSON object.
type quitObject struct {
	Time    string `json:"time"`
	Session string `json:"session"`
	Address string `json:"address,omitempty"`
	Znode   string `json:"znode"`
	Data    string `json:"data,omitempty"`
	Waited  int64  `json:"waited_ms,omitempty"`
	Reason  string `json:"reason"` // why its znode went
	By      string `json:"by,omitempty"`
	Unsure  bool   `json:"unsure,omitempty"` // it may have got in unseen
	Said    string `json:"said"`
}

func quitJSON(q *locks.Quit) quitObject {
	o := quitObject{Time: wallTime(q.TimeMS), Session: handover.SessionText(q.Session), Address: q.Addr,
		Znode: q.Path, Data: q.Data, Reason: q.Reason.String(),
		By: sessionJSON(q.By), Unsure: q.Unsure, Said: lockText(q.Said())}
	if waited, known := q.WaitedMS(); known {
		o.Waited = waited
	}
	return o
}

func quitsJSON(list []locks.Quit) (all []quitObject) {
	for i := range list {
		all = append(all, quitJSON(&list[i]))
	}
	return all
}

// bucketObject counts those that had waited for less than a time, and at least as long as the one before it.
type bucketObject struct {
	UnderMS int64  `json:"under_ms,omitempty"` // left out for the last, which has no bound
	Count   uint32 `json:"count"`
}

func waitedJSON(w *locks.Waits) (all []bucketObject) {
	for _, b := range w.Buckets() {
		all = append(all, bucketObject{b.UnderMS, b.N})
	}
	return all
}

// flowObject counts those that lately came, got in and left the queue without that.
type flowObject struct {
	SpanMS int64 `json:"span_ms"`
	Came   int   `json:"came"`
	Got    int   `json:"got_in"`
	Quit   int   `json:"left"`
	Least  bool  `json:"at_least,omitempty"` // some changes weren't seen
}

func flowJSON(f locks.Flow) *flowObject {
	if f.SpanMS == 0 {
		return nil
	}
	return &flowObject{f.SpanMS, f.Came, f.Got, f.Quit, f.Least}
}

// printTally prints, when --follow ends, what went through each queue.
func printTally(w io.Writer, rows []locks.Row) {
	for i := range rows {
		r := &rows[i]
		for _, s := range r.Tally() {
			fmt.Fprintf(w, "%s  %s\n", escape.Line(r.Path), lockText(s))
		}
	}
}
