package live

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Answers to different clients come on different connections, so they may be read in another order than that in which
// the servers carried the writes out. A log in which a znode is made before it was deleted leads to a wrong tree. So
// the answer to a write is held back while another write that touches the same znodes, and may have been carried out
// before it, has not been answered.

// held is such an answer.
type held struct {
	l       *link
	i       inbound
	req     *request
	after   []*request // that were on their way when it came
	until   time.Time  // then it waits no longer
	settled bool
}

// orderPatience bounds how long an answer is held back. Answers that come later are of writes whose connection is held
// up: their order is lost.
const orderPatience = causePatience

// hold takes the answer to a write, which is i on its way to the client.
func (l *link) hold(i inbound) {
	w, req := l.c.w, i.req
	h := &held{l: l, i: i, req: req, until: time.Now().Add(orderPatience)}
	for other := range w.writes {
		if other != req && other.sent && !other.answered && w.conflict(other, req) {
			h.after = append(h.after, other)
		}
	}
	req.answered = true
	h.i.held = h
	l.in = append(l.in, h.i)
	w.held = append(w.held, h)
	w.settleHeld(time.Now())
}

// settleHeld lets the answers go on, in the order of their writes, that need not wait.
func (w *world) settleHeld(now time.Time) {
	slices.SortStableFunc(w.held, func(a, b *held) int { return cmp.Compare(a.i.reply.Zxid, b.i.reply.Zxid) })
	for n := 0; n < len(w.held); n++ {
		h := w.held[n]
		if !w.mayGo(h, w.held[:n], now) {
			continue
		}
		w.held = slices.Delete(w.held, n, n+1)
		h.settle()
		n = -1 // others may go now
	}
}

// settle logs what the write came to, and lets the answer go on.
func (h *held) settle() {
	h.settled = true
	w, cause := h.l.c.w, h.req.cause
	if h.req.Op == event.CloseSession {
		w.sessionEnds(h.l.c, event.SessionClosed, h.i.reply.Zxid, cause)
	} else {
		cause = w.applied(h.req, &h.i.reply, h.i.raw[4:])
	}
	h.l.replied(h.i, cause, func(other inbound) bool { return other.held == h })
}

// mayGo reports whether an answer need not wait for any other, also not for those that are held back before it.
func (w *world) mayGo(h *held, before []*held, now time.Time) bool {
	for _, other := range before {
		if w.conflict(other.req, h.req) {
			return false
		}
	}
	return !now.Before(h.until) || !slices.ContainsFunc(h.after, func(r *request) bool {
		_, outstanding := w.writes[r]
		return outstanding && !r.answered
	})
}

// conflict reports whether it matters for the tree which of two writes comes first.
func (w *world) conflict(a, b *request) bool {
	return slices.ContainsFunc(w.pathsOf(a), func(x string) bool {
		return slices.ContainsFunc(w.pathsOf(b), func(y string) bool {
			return x == y || parentOf(x) == y || parentOf(y) == x
		})
	})
}

// pathsOf are the znodes that a write is about. A sequential znode is always a new one.
func (w *world) pathsOf(r *request) (paths []string) {
	if r.Op == event.CloseSession {
		return w.tree.owned[r.by]
	}
	for _, o := range r.Parts {
		if o.Kind != zoo.OpCreate || !o.Mode.IsSequential() {
			paths = append(paths, o.Path)
		}
	}
	return paths
}
