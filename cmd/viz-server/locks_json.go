package main

import (
	"encoding/json"
	"io"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// lockObject is a lock as a JSON object.
type lockObject struct {
	Path    string           `json:"path"`
	Use     string           `json:"use,omitempty"`
	Whose   string           `json:"whose,omitempty"`
	Holders []holderObject   `json:"holders,omitempty"` // some of them
	Inside  int              `json:"inside"`
	Wakes   []wake           `json:"wakes,omitzero"`   // for some of them; left out if unknown
	Unsure  int              `json:"unsure,omitempty"` // the number of clients that may or may not hold it
	Doubt   string           `json:"doubt,omitempty"`  // the reason for the first of them
	Waiting int              `json:"waiting"`
	Waiters []waiterObject   `json:"waiters,omitempty"`      // the first of them
	Longest int64            `json:"longest_ms,omitempty"`   // the first waiter's wait
	Queue   string           `json:"queue_since,omitempty"`  // since when somebody has waited
	Longer  bool             `json:"queue_longer,omitempty"` // that may have begun earlier
	Flow    *flowObject      `json:"flow,omitempty"`
	Waited  []bucketObject   `json:"waited,omitempty"` // how long those who got in had waited
	Quits   []quitObject     `json:"left,omitempty"`   // the last few that left the queue without getting in, newest first
	Items   int              `json:"items,omitempty"`
	Turns   []handoverObject `json:"handovers,omitempty"` // the last few, newest first
	Trouble int              `json:"trouble"`
	Alerts  []string         `json:"alerts,omitempty"`
	Kinds   []locks.Kind     `json:"kinds,omitempty"` // of the alerts, in their order
	Tap     *taps.Seen       `json:"tap,omitempty"`   // what a tap tells; left out if it tells nothing
	AsOf    string           `json:"as_of,omitempty"` // when this was seen, if not now
	// Usual is in the last hour, and Hour who held the lock of PATH then.
	Usual *holds.UsualObject `json:"usual,omitempty"`
	Hour  *holds.Object      `json:"hour,omitempty"`
}

type holderObject struct {
	Session string `json:"session,omitempty"` // empty if the znode belongs to no session
	Address string `json:"address,omitempty"`
	Znode   string `json:"znode"`
	Data    string `json:"data,omitempty"`
	Made    string `json:"made,omitempty"`
	Held    int64  `json:"held_ms"`
	Longer  bool   `json:"held_longer,omitempty"` // the hold began before the observation
	Unusual bool   `json:"unusual,omitempty"`     // it's far longer than usual
}

// handoverObject is a handover as a JSON object.
type handoverObject struct {
	Time     string `json:"time"`
	From     string `json:"from,omitempty"` // the previous holder's session
	FromAddr string `json:"from_address,omitempty"`
	FromData string `json:"from_data,omitempty"` // what it wrote into its znode
	To       string `json:"to,omitempty"`        // the new holder's session
	ToAddr   string `json:"to_address,omitempty"`
	ToData   string `json:"to_data,omitempty"`
	Reason   string `json:"reason,omitempty"`
	By       string `json:"by,omitempty"` // the session that caused it
	Said     string `json:"said"`
}

// listed is what a look at the locks has found.
type listed struct {
	follow.Report
	hours    map[string]*holds.Object // of some locks, by path
	tap      through
	unjudged []string // kinds of trouble that can't be seen here
}

// encodeLocks prints a JSON object for each lock, one a line, and one for what is missing.
func encodeLocks(out io.Writer, l listed, nowMS int64) error {
	enc := json.NewEncoder(out)
	for i := range l.Rows {
		o := lockJSON(&l.Rows[i], nowMS)
		o.Hour = l.hours[o.Path]
		o.Tap = l.tap.of(&l.Rows[i])
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	if lacks := omissionsJSON(l.Report, l.unjudged); lacks != nil {
		return enc.Encode(lacks)
	}
	return nil
}

func lockJSON(r *locks.Row, nowMS int64) lockObject {
	o := lockObject{Path: r.Path, Use: string(r.Use), Whose: r.Whose, Inside: r.Inside, Waiting: r.Waiting,
		Unsure: r.Unsure, Doubt: string(r.Doubt), Longest: r.LongestMS, Items: r.Items, Trouble: r.Trouble,
		Wakes: wakesJSON(r.Wakes), Waiters: waitersJSON(r, nowMS), Longer: r.QueueLonger && r.QueueMS != 0,
		Flow: flowJSON(r.Flow), Waited: waitedJSON(&r.Waited), Quits: quitsJSON(r.Quits), Usual: r.Usual.Object()}
	if r.QueueMS != 0 {
		o.Queue = wallTime(r.QueueMS)
	}
	for _, h := range r.Holding {
		o.Holders = append(o.Holders, holderObject{sessionJSON(h.Session), h.Client.Addr, h.Path, h.Data,
			createdTime(h.Hand), max(r.At(nowMS)-h.GotMS, 0), h.Had, r.Unusual(&h, nowMS).Key != ""})
	}
	turns := r.Handovers()
	for i := range turns {
		o.Turns = append(o.Turns, handoverJSON(&turns[i]))
	}
	for i := range r.Alerts {
		o.Alerts = append(o.Alerts, lockText(r.Says(&r.Alerts[i], nowMS)))
		o.Kinds = append(o.Kinds, r.Alerts[i].Kind())
	}
	if r.AsOfMS != 0 {
		o.AsOf = wallTime(r.AsOfMS)
	}
	return o
}

func handoverJSON(t *locks.Turn) handoverObject {
	o := handoverObject{Time: wallTime(t.TimeMS), Said: lockText(t.Said())}
	if t.From.Path != "" {
		o.From, o.FromAddr, o.FromData = sessionJSON(t.From.Session), t.FromAddr, t.From.Data
		o.Reason = t.Reason.String()
		if t.By != 0 {
			o.By = handover.SessionText(t.By)
		}
	}
	if t.To.Path != "" {
		o.To, o.ToAddr, o.ToData = sessionJSON(t.To.Session), t.ToAddr, t.To.Data
	}
	return o
}

// sessionJSON returns a session's text, empty for none.
func sessionJSON(id int64) string {
	if id == 0 {
		return ""
	}
	return handover.SessionText(id)
}

// createdTime returns when a holder's znode was created, empty if unknown.
func createdTime(h handover.Hand) string {
	if h.MadeMS == 0 {
		return ""
	}
	return wallTime(h.MadeMS)
}

// omissionsJSON returns what a report lacks as a JSON object, or nil if it is complete.
func omissionsJSON(r follow.Report, unjudged []string) any {
	type lacks struct {
		Unread int      `json:"unread,omitempty"` // number of unreadable znodes
		First  string   `json:"first,omitempty"`  // the first of them
		More   bool     `json:"more,omitempty"`   // the tree has unread parts
		Left   int      `json:"left,omitempty"`   // number of znodes not followed, since there are too many
		Quorum bool     `json:"quorum,omitempty"` // there is no quorum: this comes from one server
		Untold []string `json:"untold,omitempty"` // what servers don't report
		// Hidden has the number of znodes checked for unreadable parts, and the total.
		Hidden []int `json:"hidden,omitempty"`
		// Unjudged has the kinds of trouble that --fail-on any leaves out, since zkviz couldn't see them.
		Unjudged []string `json:"unjudged,omitempty"`
	}
	l := lacks{Unread: r.Unread.Count, First: r.Unread.First, More: r.Partial, Left: r.Left, Quorum: r.ReadOnly,
		Unjudged: unjudged}
	for _, untold := range r.Untold {
		l.Untold = append(l.Untold, voice().Says(untold))
	}
	if r.Hidden.Of > 0 {
		l.Hidden = []int{r.Hidden.Done, r.Hidden.Of}
	}
	if l.Unread == 0 && l.Hidden == nil && !l.More && l.Left == 0 && !l.Quorum && len(l.Untold) == 0 &&
		len(unjudged) == 0 {
		return nil
	}
	return struct {
		Lacks lacks `json:"lacks"`
	}{l}
}
