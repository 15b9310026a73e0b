package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
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
func (c *logCmd) hands(term *terminal, r *fileProgress, out *bufio.Writer, files past.Files, w past.Filter) error {
	if err := c.selectSemaphore(term, files); err != nil {
		return err
	}
	chosen, err := c.holdFlags.filter()
	if err != nil {
		return err
	}
	h := &handoverPrinter{handovers: past.NewHandovers(c.Hands), cmd: c, filter: w, chosen: chosen, out: out,
		enc: json.NewEncoder(out), requested: newPresence("/", w.Sessions)}
	trouble := r.troublePrinter(out, c.JSON)
	err = files.ReadHandovers(term.ctx, h.handovers, func(t past.Trouble) {
		h.noteTrouble(t)
		trouble(t)
	}, h.take)
	switch {
	case err != nil:
		return err
	case !h.handovers.Seen():
		return fmt.Errorf("--hands %q: these files name no such znode", c.Hands)
	}
	if err := h.requested.check(); err != nil {
		return err
	}
	if h.inTime {
		h.recordEnd()
	}
	return h.conclude()
}

// selectSemaphore points --hands at the whole semaphore if it names only its permits or door, which don't show holders.
func (c *logCmd) selectSemaphore(term *terminal, files past.Files) error {
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

// handoverPrinter prints the handovers of a znode.
type handoverPrinter struct {
	handovers *past.Handovers
	cmd       *logCmd
	filter    past.Filter
	chosen    holds.Filter
	usual     holds.Tally
	out       *bufio.Writer
	enc       *json.Encoder
	inTime    bool         // the last transaction was before --until
	torn      past.Trouble // the unreadable part after it
	missing   *past.EndError
	unread    []past.Trouble // completely unreadable logs
	byNumbers bool           // the order goes by numbers alone, since no known client names znodes like those
	end       handEnd
	everHeld  bool // it was held, or may have been
	requested *presence
	odd       []past.Trouble // transactions that may be different ones
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

func (h *handoverPrinter) noteTrouble(t past.Trouble) {
	var torn *txnlog.TornError
	switch {
	case errors.As(t.Err, &torn):
		h.torn = t
	case errors.As(t.Err, &h.missing):
	case past.Odd(t.Err):
		h.odd = append(h.odd, t)
	default:
		h.unread = append(h.unread, t)
	}
}

// take prints the changes of a transaction. It also reads those after --until, since clocks go back.
func (h *handoverPrinter) take(s *replay.State, t *wire.Txn, facts []replay.Fact) error {
	h.torn = past.Trouble{}
	h.requested.take(s, t, facts)
	in := !h.filter.After(t.TimeMS)
	if h.inTime && !in {
		h.recordEnd()
		h.end.early = true
	}
	changes := h.handovers.Take(t, facts)
	h.everHeld = h.everHeld || len(changes) > 0
	if use, whose := h.handovers.Tracker.Taken(); use == naming.Unknown && whose == "" && h.handovers.Len() > 0 {
		h.byNumbers = true
	}
	if h.inTime = in; in {
		h.end = handEnd{atMS: t.TimeMS, zxid: t.Zxid}
	}
	for i := range changes {
		c := &changes[i]
		if !h.filter.At(t.TimeMS) {
			continue
		}
		h.tally(c)
		if len(h.filter.Sessions) > 0 && !slices.Contains(h.filter.Sessions, c.Hand.Session) || !chosen(&h.chosen, c) {
			continue
		}
		if h.cmd.JSON {
			if err := h.enc.Encode(changeJSON(h.cmd.Hands, c)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(h.out, escape.Line(fmt.Sprintf("%s  %#x  %s  %s", wallTime(c.TimeMS), c.Zxid,
			ownerText(c.Hand.Session), changeText(c))))
	}
	return nil
}

// tally adds the hold that a change ended.
func (h *handoverPrinter) tally(c *handover.Change) {
	if c.Got || c.Never {
		return
	}
	use, _ := h.handovers.Taken()
	one := holds.Of(c)
	one.AtOnce = use.AtOnce()
	h.usual.Add(&one)
}

// unreadAfterEnd names what can't be read after the end, empty for nothing.
func (h *handoverPrinter) unreadAfterEnd() string {
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
	if h.missing != nil {
		return fmt.Sprintf("the transactions from there to %#x are missing", h.missing.UpTo)
	}
	return ""
}

// missingText names the transactions that are missing before those read.
func missingText(gap replay.Gap) string {
	if gap.After == 0 {
		return fmt.Sprintf("these files don't show what happened before %#x", gap.Before)
	}
	return fmt.Sprintf("transactions are missing between %#x and %#x", gap.After, gap.Before)
}

// changeText describes a change in words.
func changeText(c *handover.Change) string {
	znode := path.Base(c.Hand.Path)
	if c.Got && c.Hand.Data != "" {
		znode += fmt.Sprintf(" %q", c.Hand.Data)
	}
	return voice().Says(handover.Says(c, sentence.Text(znode)))
}

// changeJSON returns a change as a JSON object.
func changeJSON(lock string, c *handover.Change) any {
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
		o.Held, o.Reason, o.By = length(c.Hand.Held(c.TimeMS).MS), c.Reason.String(), requester(c.By)
		o.Longer = o.Held != nil && c.Hand.Had
	}
	if c.Unsure {
		if o.Kind = "perhaps-" + o.Kind; c.Reason == event.NoReason {
			o.Reason, o.By = "", ""
		}
	}
	return o
}
