package main

import (
	"encoding/json"
	"io"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/locks/follow"
)

// lockObject is one of them as a JSON object.
type lockObject struct {
	Path    string         `json:"path"`
	Use     string         `json:"use,omitempty"`
	Whose   string         `json:"whose,omitempty"`
	Holders []holderObject `json:"holders,omitempty"` // some of them
	Inside  int            `json:"inside"`
	Wakes   []wake         `json:"wakes,omitzero"`   // of some of them; left out where it isn't known
	Unsure  int            `json:"unsure,omitempty"` // of how many it can't be told whether they hold it
	Doubt   string         `json:"doubt,omitempty"`  // and why, of the first
	Waiting int            `json:"waiting"`
	Longest int64          `json:"longest_ms,omitempty"` // how long the first has waited
	Items   int            `json:"items,omitempty"`
	Turns   []turnObject   `json:"handovers,omitempty"` // the last few, the last one first
	Trouble int            `json:"trouble"`
	Alerts  []string       `json:"alerts,omitempty"`
	AsOf    string         `json:"as_of,omitempty"` // when it was so, if it hasn't been seen since
}

type holderObject struct {
	Session string `json:"session,omitempty"` // none if its znode is of no session
	Address string `json:"address,omitempty"`
	Znode   string `json:"znode"`
	Data    string `json:"data,omitempty"`
	Made    string `json:"made,omitempty"`
	Held    int64  `json:"held_ms"`
	Longer  bool   `json:"held_longer,omitempty"` // than that: since before it was looked
}

// turnObject is that a lock changed hands.
type turnObject struct {
	Time   string `json:"time"`
	From   string `json:"from,omitempty"` // the session that had it
	To     string `json:"to,omitempty"`   // that got it
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"` // the session that did it
	Said   string `json:"said"`
}

// encodeLocks prints an object for each, a line each.
func encodeLocks(out io.Writer, r follow.Report, nowMS int64) error {
	enc := json.NewEncoder(out)
	for i := range r.Rows {
		if err := enc.Encode(lockJSON(&r.Rows[i], nowMS)); err != nil {
			return err
		}
	}
	if l := lackingJSON(r); l != nil {
		return enc.Encode(l)
	}
	return nil
}

func lockJSON(r *locks.Row, nowMS int64) lockObject {
	o := lockObject{Path: r.Path, Use: string(r.Use), Whose: r.Whose, Inside: r.Inside, Waiting: r.Waiting,
		Unsure: r.Unsure, Doubt: string(r.Doubt), Longest: r.LongestMS, Items: r.Items, Trouble: r.Trouble,
		Wakes: wakesJSON(r.Wakes)}
	for _, h := range r.Holding {
		o.Holders = append(o.Holders, holderObject{sessionJSON(h.Session), h.Client.Addr, h.Path, h.Data,
			made(h.Hand), max(r.At(nowMS)-h.GotMS, 0), h.Had})
	}
	turns := r.Handovers()
	for i := range turns {
		o.Turns = append(o.Turns, turnJSON(&turns[i]))
	}
	for i := range r.Alerts {
		o.Alerts = append(o.Alerts, lockSays(r.Says(&r.Alerts[i], nowMS)))
	}
	if r.AsOfMS != 0 {
		o.AsOf = wallTime(r.AsOfMS)
	}
	return o
}

func turnJSON(t *locks.Turn) turnObject {
	o := turnObject{Time: wallTime(t.TimeMS), Said: lockSays(t.Said())}
	if t.From.Path != "" {
		o.From, o.Reason = sessionJSON(t.From.Session), t.Reason.String()
		if t.By != 0 {
			o.By = locks.SessionText(t.By)
		}
	}
	if t.To.Path != "" {
		o.To = sessionJSON(t.To.Session)
	}
	return o
}

// sessionJSON is a session, empty if there's none.
func sessionJSON(id int64) string {
	if id == 0 {
		return ""
	}
	return locks.SessionText(id)
}

// made is when a holder's znode was made; empty if that is not known.
func made(h handover.Hand) string {
	if h.MadeMS == 0 {
		return ""
	}
	return wallTime(h.MadeMS)
}

// lackingJSON is what a report lacks, as a JSON object; nil if it's nothing.
func lackingJSON(r follow.Report) any {
	type lacks struct {
		Unread int      `json:"unread,omitempty"` // znodes that may not be read
		First  string   `json:"first,omitempty"`  // of these
		More   bool     `json:"more,omitempty"`   // in the tree than is read
		Left   int      `json:"left,omitempty"`   // znodes that aren't followed, since there are too many
		Quorum bool     `json:"quorum,omitempty"` // the servers have none: this is what one of them still has
		Untold []string `json:"untold,omitempty"` // by servers
		// Hidden is how many znodes have been looked through for what may not be read, and of how many.
		Hidden []int `json:"hidden,omitempty"`
	}
	l := lacks{Unread: r.Unread.Count, First: r.Unread.First, More: r.Partial, Left: r.Left, Quorum: r.ReadOnly}
	for _, untold := range r.Untold {
		l.Untold = append(l.Untold, voice().Says(untold))
	}
	if r.Hidden.Of > 0 {
		l.Hidden = []int{r.Hidden.Done, r.Hidden.Of}
	}
	if l.Unread == 0 && l.Hidden == nil && !l.More && l.Left == 0 && !l.Quorum && len(l.Untold) == 0 {
		return nil
	}
	return struct {
		Lacks lacks `json:"lacks"`
	}{l}
}
