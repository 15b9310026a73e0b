package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// hands prints each handover of the resource at a znode, and its holder at the end.
func (c *logCmd) hands(term *terminal, r *reading, out *bufio.Writer, files past.Files, w past.Filter) error {
	if err := c.whole(term, files); err != nil {
		return err
	}
	h := &handing{of: past.NewHandovers(c.Hands), cmd: c, w: w, out: out, enc: json.NewEncoder(out),
		named: newNamed("/", w.Sessions)}
	lacks := r.lacks(out, c.JSON)
	err := files.ReadHandovers(term.ctx, h.of, func(t past.Trouble) {
		h.lacks(t)
		lacks(t)
	}, h.take)
	switch {
	case err != nil:
		return err
	case !h.of.Seen():
		return fmt.Errorf("--hands %q: these files name no such znode", c.Hands)
	}
	if err := h.named.check(); err != nil {
		return err
	}
	if h.within {
		h.keep()
	}
	return h.conclude()
}

// whole points --hands at the whole semaphore if it names only its permits or door, which don't show the holders.
func (c *logCmd) whole(term *terminal, files past.Files) error {
	home, ok := naming.Home(c.Hands)
	if !ok {
		return nil
	}
	of := past.NewHandovers(home)
	err := files.ReadHandovers(term.ctx, of, func(past.Trouble) {},
		func(_ *replay.State, t *wire.Txn, facts []replay.Fact) error {
			of.Take(t, facts)
			return nil
		})
	if err == nil && of.Semaphore() {
		term.complain("%s belongs to the semaphore %s, which is shown instead", escape.Line(c.Hands), escape.Line(home))
		c.Hands, c.Below = home, home
	}
	return err
}

// handing prints the handovers of a znode.
type handing struct {
	of     *past.Handovers
	cmd    *logCmd
	w      past.Filter
	out    *bufio.Writer
	enc    *json.Encoder
	within bool         // the last transaction was before --until
	torn   past.Trouble // the unreadable part after it
	rest   *past.EndError
	unread []past.Trouble // completely unreadable logs
	number bool           // the order goes by numbers alone, since no known client names znodes like those
	end    handEnd
	ever   bool // it was held, or may have been
	named  *named
	odd    []past.Trouble // transactions that may be different ones
}

// handEnd is the state after the last wanted transaction.
type handEnd struct {
	holding []handover.Hand
	atMS    int64
	zxid    int64
	gap     replay.Gap
	unsure  bool
	doubts  int          // the number of clients that may or may not hold it, though no transaction is missing
	doubt   naming.Doubt // the reason for the first of them
	items   int          // znodes that have a place in it, as in a queue
	early   bool         // there are later transactions
}

func (h *handing) lacks(t past.Trouble) {
	var torn *txnlog.TornError
	switch {
	case errors.As(t.Err, &torn):
		h.torn = t
	case errors.As(t.Err, &h.rest):
	case past.Odd(t.Err):
		h.odd = append(h.odd, t)
	default:
		h.unread = append(h.unread, t)
	}
}

// take prints the changes of a transaction. It also reads those after --until, since clocks go back.
func (h *handing) take(s *replay.State, t *wire.Txn, facts []replay.Fact) error {
	h.torn = past.Trouble{}
	h.named.take(s, t, facts)
	in := !h.w.After(t.TimeMS)
	if h.within && !in {
		h.keep()
		h.end.early = true
	}
	changes := h.of.Take(t, facts)
	h.ever = h.ever || len(changes) > 0
	if use, whose := h.of.Tracker.Taken(); use == naming.Unknown && whose == "" && h.of.Len() > 0 {
		h.number = true
	}
	if h.within = in; in {
		h.end = handEnd{atMS: t.TimeMS, zxid: t.Zxid}
	}
	for i := range changes {
		c := &changes[i]
		if !h.w.At(t.TimeMS) || len(h.w.Sessions) > 0 && !slices.Contains(h.w.Sessions, c.Hand.Session) {
			continue
		}
		if h.cmd.JSON {
			if err := h.enc.Encode(handJSON(h.cmd.Hands, c)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(h.out, escape.Line(fmt.Sprintf("%s  %#x  %s  %s", wallTime(c.TimeMS), c.Zxid,
			ownerText(c.Hand.Session), handSaid(c))))
	}
	return nil
}

// since names what can't be read after the end, empty for nothing.
func (h *handing) since() string {
	if h.end.early {
		return ""
	}
	if h.torn.Err != nil {
		return fmt.Sprintf("%s can't be read after %#x", h.torn.Path, h.end.zxid)
	}
	for _, t := range h.unread {
		if zxid, isLog := txnlog.LogZxid(filepath.Base(t.Path)); isLog && zxid > h.end.zxid {
			return fmt.Sprintf("%s can't be read", t.Path)
		}
	}
	if h.rest != nil {
		return fmt.Sprintf("the transactions from there to %#x are missing", h.rest.UpTo)
	}
	return ""
}

// missing names the transactions that are missing before those read.
func missing(gap replay.Gap) string {
	if gap.After == 0 {
		return fmt.Sprintf("these files don't show what happened before %#x", gap.Before)
	}
	return fmt.Sprintf("transactions are missing between %#x and %#x", gap.After, gap.Before)
}

// exactly writes a length of time as the command prints it.
func exactly(ms int64) sentence.Arg { return sentence.Duration(time.Duration(ms) * time.Millisecond) }

// handSaid describes a change in words.
func handSaid(c *handover.Change) string {
	znode := path.Base(c.Hand.Path)
	if c.Got && c.Hand.Data != "" {
		znode += fmt.Sprintf(" %q", c.Hand.Data)
	}
	return voice().Says(handover.Says(c, sentence.Text(znode), exactly))
}

// handJSON returns a change as a JSON object.
func handJSON(lock string, c *handover.Change) any {
	o := struct {
		Time    string `json:"time"`
		Zxid    string `json:"zxid"`
		Path    string `json:"path"`
		Kind    string `json:"kind"` // got or lost, prefixed with "perhaps-" if transactions are missing
		Session string `json:"session,omitempty"`
		Znode   string `json:"znode"`
		Data    string `json:"data,omitempty"`
		Reason  string `json:"reason,omitempty"` // why it was lost
		By      string `json:"by,omitempty"`     // who caused the loss
		Waited  *int64 `json:"waited_ms,omitempty"`
		Held    *int64 `json:"held_ms,omitempty"`
		Longer  bool   `json:"held_longer,omitempty"` // the hold began before the log
		Waiting int    `json:"waiting"`
	}{Time: wallTime(c.TimeMS), Zxid: fmt.Sprintf("%#x", c.Zxid), Path: lock, Kind: "lost",
		Session: sessionJSON(c.Hand.Session), Znode: c.Hand.Path, Data: c.Hand.Data, Waiting: c.Waiting}
	length := func(ms int64) *int64 {
		if ms >= 0 && !c.Unsure {
			return &ms
		}
		return nil
	}
	if waited, known := c.Waited(); known {
		o.Waited = length(waited)
	}
	if c.Got {
		o.Kind = "got"
	} else {
		o.Held, o.Reason, o.By = length(c.Hand.Held(c.TimeMS).MS), c.Reason.String(), askedBy(c.By)
		o.Longer = o.Held != nil && c.Hand.Had
	}
	if c.Unsure {
		if o.Kind = "perhaps-" + o.Kind; c.Reason == event.NoReason {
			o.Reason, o.By = "", ""
		}
	}
	return o
}
