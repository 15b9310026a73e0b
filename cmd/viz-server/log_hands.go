package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/escape"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/locks"
	"github.com/zkviz/zkviz/engine/past"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/wire"
)

// hands prints each time that what a znode stands for changed hands, and at the end who holds it.
func (c *logCmd) hands(term *terminal, r *reading, out *bufio.Writer, files past.Files, w past.Filter) error {
	of, last, end := past.NewTurns(c.Hands), int64(0), "the log ends"
	enc := json.NewEncoder(out)
	take := func(_ *replay.State, t *wire.Txn, facts []replay.Fact) error {
		if t.TimeMS >= w.Until {
			end = "that time ends"
			return errWindowOver
		}
		last = t.TimeMS
		changes := of.Take(t, facts)
		for i := range changes {
			h := &changes[i]
			if t.TimeMS < w.Since || len(w.Sessions) > 0 && !slices.Contains(w.Sessions, h.Hand.Session) {
				continue
			}
			if c.JSON {
				if err := enc.Encode(handJSON(c.Hands, h)); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintln(out, escape.Line(fmt.Sprintf("%s  %#x  %s  %s", wallTime(h.TimeMS), h.Zxid,
				locks.OwnerText(h.Hand.Session), handSaid(c.Hands, h))))
		}
		return nil
	}
	err := files.ReadWith(term.ctx, c.Below, r.lacks(out, c.JSON), of.Before, take)
	if errors.Is(err, errWindowOver) {
		err = nil
	}
	if err != nil || c.JSON {
		return err
	}
	holding := of.Holding()
	for _, h := range holding {
		fmt.Fprintln(out, escape.Line(fmt.Sprintf("%s  held by %s with %s, for %s when %s", c.Hands,
			locks.OwnerText(h.Session), path.Base(h.Path), between(h.GotMS, last), end)))
	}
	if n, why := of.Unsure(); n > 0 {
		fmt.Fprintln(out, escape.Line(fmt.Sprintf("%s  %s when %s", c.Hands, voice().Says(locks.Unsure(n, why)), end)))
	} else if len(holding) == 0 {
		fmt.Fprintln(out, escape.Line(c.Hands+"  held by nobody when "+end))
	}
	if use, whose := of.Taken(); whose != "" {
		fmt.Fprintf(out, "Its znodes are named like those of %s (%s).\n", whose, use)
	}
	return nil
}

// between is the time from one to the other, both in ms.
func between(from, to int64) time.Duration { return time.Duration(to-from) * time.Millisecond }

// handSaid is a change in words.
func handSaid(lock string, c *handover.Change) string {
	name := path.Base(c.Hand.Path)
	if c.Got {
		text := fmt.Sprintf("got %s with %s", lock, name)
		if c.Hand.Data != "" {
			text += fmt.Sprintf(" %q", c.Hand.Data)
		}
		if waited := between(c.Hand.MadeMS, c.TimeMS); waited > 0 {
			text += fmt.Sprintf(", after waiting for %s", waited)
		}
		return text + waiting(c.Waiting)
	}
	text := fmt.Sprintf("lost %s", lock)
	switch {
	case c.Reason == event.BySessionClosed:
		text += " since its session was closed"
	case c.Reason == event.BySessionExpired:
		text += " since its session expired"
	case c.Reason == event.NoReason:
		text += fmt.Sprintf(" though %s is there: another came before it", name)
	case c.By != c.Hand.Session:
		text += fmt.Sprintf(" since %s deleted %s", askedBy(c.By), name)
	default:
		text += " by deleting " + name
	}
	since := "holding it for"
	if c.Hand.Had {
		since = "holding it since before the log began, for at least"
	}
	return fmt.Sprintf("%s, after %s %s", text, since, between(c.Hand.GotMS, c.TimeMS)) + waiting(c.Waiting)
}

func waiting(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("; %d waiting", n)
}

// handJSON is a change as a JSON object.
func handJSON(lock string, c *handover.Change) any {
	o := struct {
		Time    string `json:"time"`
		Zxid    string `json:"zxid"`
		Path    string `json:"path"`
		Kind    string `json:"kind"` // got or lost
		Session string `json:"session,omitempty"`
		Znode   string `json:"znode"`
		Data    string `json:"data,omitempty"`
		Reason  string `json:"reason,omitempty"` // of a loss
		By      string `json:"by,omitempty"`     // likewise
		Waited  *int64 `json:"waited_ms,omitempty"`
		Held    *int64 `json:"held_ms,omitempty"`
		Waiting int    `json:"waiting"`
	}{Time: wallTime(c.TimeMS), Zxid: fmt.Sprintf("%#x", c.Zxid), Path: lock, Kind: "lost",
		Session: sessionJSON(c.Hand.Session), Znode: c.Hand.Path, Data: c.Hand.Data, Waiting: c.Waiting}
	ms := c.TimeMS - c.Hand.GotMS
	if !c.Got {
		o.Held, o.Reason, o.By = &ms, c.Reason.String(), askedBy(c.By)
		return o
	}
	waited := c.TimeMS - c.Hand.MadeMS
	o.Kind, o.Waited = "got", &waited
	return o
}
