package holds

import (
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Hold is one client's time with a lock. Times are in ms since 1970.
type Hold struct {
	Session int64  // 0 for a znode of no session
	Addr    string // the client's host:port, if that was ever known
	Znode   string // its path
	Data    string // the start of what the client wrote into it
	MadeMS  int64  // when the znode was created, 0 if unknown
	GotMS   int64  // when it got the lock, or was first seen with it if Had is set
	LostMS  int64  // when it lost it, 0 if it still has it
	Zxid    int64  // of the transaction by which it lost it, 0 if unknown
	Reason  event.Reason
	By      int64 // the session that asked for that, 0 if unknown
	Had     bool  // it already had it when it was first seen
	AtOnce  bool  // it had it as soon as the znode existed: if it waited, then without the znode
	// Unsure means that it lost it at LostMS at the latest: nobody saw when, or transactions are missing.
	Unsure bool
}

// Of returns the hold that a loss ended.
func Of(c *handover.Change) Hold {
	h := Present(&c.Hand)
	h.LostMS, h.Zxid, h.Reason, h.Unsure = c.TimeMS, c.Zxid, c.Reason, c.Unsure
	if c.Reason != event.ByUnknown { // reading doesn't show who deleted the znode
		h.By = c.By
	}
	return h
}

// Present returns the hold of one that still has it.
func Present(h *handover.Hand) Hold {
	return Hold{Session: h.Session, Znode: h.Path, Data: h.Data, MadeMS: h.MadeMS, GotMS: h.GotMS, Had: h.Had}
}

// change returns the loss that ended the hold.
func (h *Hold) change() *handover.Change {
	return &handover.Change{Hand: handover.Hand{Node: handover.Node{Session: h.Session}}, Reason: h.Reason, By: h.By}
}

// Why returns why it was lost, or "" while it isn't.
func (h *Hold) Why() handover.Why {
	switch {
	case h.LostMS == 0:
		return ""
	case h.Unsure && h.Reason == event.NoReason:
		return handover.Unknown
	}
	return h.change().Why()
}

// Because says why it was lost; nothing while it isn't. A loss that was seen, but by no transaction or without a
// reason, was seen by reading.
func (h *Hold) Because() (s sentence.Sentence) {
	if why := h.Why(); why != "" {
		read := (h.Zxid == 0 || h.Reason == event.ByUnknown) && !h.Unsure
		s = sentence.Of(handover.WhyKey(why, read), handover.Session(h.By))
	}
	return s
}

// HeldMS returns how long it was held, by nowMS if it still is. It returns false if that isn't known exactly.
func (h *Hold) HeldMS(nowMS int64) (ms int64, known bool) {
	ms = h.until(nowMS) - h.GotMS
	return ms, !h.Had && !h.Unsure && ms >= 0
}

// WaitedMS returns how long its client had waited. It returns false if that isn't known.
func (h *Hold) WaitedMS() (ms int64, known bool) {
	ms = h.GotMS - h.MadeMS
	return ms, h.MadeMS != 0 && !h.Had && !h.AtOnce && ms >= 0
}

func (h *Hold) until(nowMS int64) int64 {
	if h.LostMS == 0 {
		return nowMS
	}
	return h.LostMS
}

// Lasted says for how long it was held, by nowMS if it still is.
func (h *Hold) Lasted(nowMS int64) sentence.Sentence {
	length := (&handover.Hand{Node: handover.Node{MadeMS: h.MadeMS}, GotMS: h.GotMS, Had: h.Had}).Held(h.until(nowMS))
	if h.Unsure {
		if !h.Had {
			length.Most = length.MS
		}
		length.MS, length.Had = 0, true // it may have lost it right after it got it
	}
	if length.MS < 0 {
		return sentence.Of("hands.held.untimed")
	}
	return handover.Lasted(length, took)
}

// Waited says for how long its client had waited; nothing if that isn't known.
func (h *Hold) Waited() (s sentence.Sentence) {
	if ms, known := h.WaitedMS(); known {
		s = sentence.Of("hands.held.exactly", took(ms))
	}
	return s
}

func took(ms int64) sentence.Arg { return sentence.Sentences(handover.Took(ms)) }
