package main

import (
	"fmt"
	"path"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/observe/past"
)

// recordEnd records the present state as the end.
func (h *handoverPrinter) recordEnd() {
	h.end.holding = h.handovers.Holding()
	h.end.gap, h.end.unsure = h.handovers.Unsure()
	h.end.doubts, h.end.doubt = h.handovers.Tracker.Unsure()
	h.end.items = h.handovers.Len()
}

// holderState is what is known of a znode at the end.
type holderState string

const (
	noTransactions holderState = "nothing"      // no transaction in that time
	holderUnknown  holderState = "unknown"      // transactions are missing
	holderUnclear  holderState = "untold"       // nothing is missing, but it is still unclear
	isHeld         holderState = "held"         //
	isQueue        holderState = "queue"        // holds items
	unrecognised   holderState = "unrecognised" // as anything that can be held
	notHeld        holderState = "free"         // nobody holds it
)

// state returns what is known of the holder, and explains in words why it is unknown.
func (h *handoverPrinter) state() (is holderState, why string) {
	use, whose := h.handovers.Taken()
	switch {
	case h.end.zxid == 0:
		return noTransactions, ""
	case h.end.unsure:
		return holderUnknown, missingText(h.end.gap)
	case h.end.doubts > 0:
		return holderUnclear, voice().Says(naming.Unsure(h.end.doubts, h.end.doubt))
	case len(h.end.holding) > 0:
		return isHeld, ""
	case use == naming.Queue:
		return isQueue, ""
	case whose == "" && !h.everHeld && h.end.items == 0:
		return unrecognised, ""
	}
	return notHeld, ""
}

// conclude prints the holder at the end, and what isn't known of it.
func (h *handoverPrinter) conclude() error {
	if h.cmd.JSON {
		return h.enc.Encode(h.endJSON())
	}
	lock, end := h.cmd.Hands, "the log ends"
	if h.end.early {
		end = "that time ends"
	}
	say := func(format string, args ...any) { fmt.Fprintln(h.out, escape.Line(fmt.Sprintf(format, args...))) }
	switch is, why := h.state(); is {
	case noTransactions:
		say("%s  nothing happened in that time", lock)
		return nil
	case holderUnknown:
		say("%s  the holder is unknown when %s: %s", lock, end, why)
	case holderUnclear:
		say("%s  %s when %s", lock, why, end)
	case isQueue:
		say("%s  a queue with %s when %s", lock, count(h.end.items, "item"), end)
	case unrecognised:
		say("%s  nothing there looks like a lock, or like anything else that a client can hold, when %s", lock, end)
	case notHeld:
		say("%s  held by nobody when %s", lock, end)
	}
	for _, hand := range h.end.holding {
		by := "held by"
		if h.end.unsure {
			by = "the first known one is"
		}
		text := fmt.Sprintf("%s  %s %s with %s", lock, by, ownerText(hand.Session), path.Base(hand.Path))
		if held := hand.Held(h.endsMS()); held.MS >= 0 {
			text += ", " + voice().Says(handover.Lasted(held, handover.Precisely))
		}
		say("%s when %s", text, end)
	}
	if why := h.unreadAfterEnd(); why != "" {
		say("It may have changed hands since: %s.", why)
	}
	for _, why := range h.doubts() {
		say("This may be wrong: %s.", why)
	}
	usual := h.usual.Usual()
	for _, s := range usual.Said() {
		say("%s  %s", lock, voice().Says(s))
	}
	if use, whose := h.handovers.Taken(); whose != "" || use == naming.Unknown && h.byNumbers {
		fmt.Fprintf(h.out, "It is %s.\n", voice().Says(naming.Said(use, whose, false)))
	}
	return nil
}

// endsMS returns the time to which holders have held it: the end of the wanted time, or of the log.
func (h *handoverPrinter) endsMS() int64 {
	if h.end.early {
		return h.filter.Until
	}
	return h.end.atMS
}

// maxOdd is how many places with doubtful transactions are named.
const maxOdd = 3

// doubts describes places whose transactions may differ from those read.
func (h *handoverPrinter) doubts() (list []string) {
	for _, t := range h.odd[:min(len(h.odd), maxOdd)] {
		list = append(list, troubleText(t))
	}
	if n := len(h.odd) - maxOdd; n > 0 {
		list = append(list, fmt.Sprintf("and %s like that", count(n, "more place")))
	}
	return list
}

func troubleText(t past.Trouble) string {
	text := voice().Error(t.Err)
	if t.Path != "" {
		text = t.Path + ": " + text
	}
	return text
}

// endJSON returns the JSON object that conclude prints.
func (h *handoverPrinter) endJSON() any {
	type hand struct {
		Session string `json:"session,omitempty"`
		Znode   string `json:"znode"`
		Held    *int64 `json:"held_ms,omitempty"`
		Longer  bool   `json:"held_longer,omitempty"` // the hold began before the log
	}
	o := struct {
		Kind    string             `json:"kind"`
		Time    string             `json:"time,omitempty"` // the last wanted transaction's
		Zxid    string             `json:"zxid,omitempty"`
		Path    string             `json:"path"`
		Is      holderState        `json:"is"`
		Why     string             `json:"why,omitempty"`     // why it is unknown
		Holding []hand             `json:"holding,omitempty"` // if it is unknown, the known znodes that come first
		Items   int                `json:"items,omitempty"`   // in a queue
		Early   bool               `json:"early,omitempty"`   // there are later transactions
		Since   string             `json:"since,omitempty"`   // why it may have changed hands since
		Doubts  []string           `json:"doubts,omitempty"`  // why all this may be wrong
		Use     naming.Use         `json:"use,omitempty"`
		Whose   string             `json:"named_by,omitempty"`
		Numbers bool               `json:"by_numbers,omitempty"` // no known client names znodes like that
		Usual   *holds.UsualObject `json:"usual,omitempty"`
	}{Kind: "end", Path: h.cmd.Hands, Early: h.end.early}
	if o.Is, o.Why = h.state(); o.Is == noTransactions {
		return o
	}
	o.Time, o.Zxid = wallTime(h.end.atMS), fmt.Sprintf("%#x", h.end.zxid)
	for _, of := range h.end.holding {
		one := hand{Session: sessionJSON(of.Session), Znode: of.Path}
		if held := of.Held(h.endsMS()); held.MS >= 0 {
			one.Held, one.Longer = &held.MS, of.Had
		}
		o.Holding = append(o.Holding, one)
	}
	if o.Is == isQueue {
		o.Items = h.end.items
	}
	o.Since, o.Doubts = h.unreadAfterEnd(), h.doubts()
	o.Use, o.Whose = h.handovers.Taken()
	usual := h.usual.Usual()
	o.Usual = usual.Object()
	o.Numbers = o.Whose == "" && o.Use == naming.Unknown && h.byNumbers
	return o
}
