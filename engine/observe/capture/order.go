package capture

import (
	"cmp"
	"path"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Answers to different clients come over different connections, so they may be read in another order than the servers
// executed the writes. A log in which a znode is created again before it was deleted gives a wrong tree. So the
// answer to a write is held back while an earlier write may be unanswered that touches the same znodes.

// held is such an answer, or a session's end without an answer.
type held struct {
	l     *Conn
	f     *Frame
	after []*Request // earlier requests under way
	until time.Time  // when it stops waiting
	ends  event.Kind // the kind of a session's end without an answer, which has no l; 0 for an answer
}

// hold holds back the answer to a write.
func (l *Conn) hold(f *Frame, payload []byte, now time.Time) {
	f.Waits, f.payload = true, payload
	l.w.hold(&held{l: l, f: f}, now)
}

// SessionEnds handles a session's end that the servers executed at zxid, however it became known. Like an answer, it
// waits for the answers to writes that may precede it.
func (w *Cluster) SessionEnds(c *Client, kind event.Kind, zxid int64, cause event.Seq, now time.Time) {
	waits := func(h *held) bool { return h.f.Req.By == c && h.ends != 0 }
	if slices.ContainsFunc(w.held, waits) {
		return
	}
	r := &Request{Op: event.CloseSession, By: c, Cause: cause}
	w.hold(&held{f: &Frame{Req: r, Reply: Reply{Zxid: zxid}}, ends: kind}, now)
}

func (w *Cluster) hold(h *held, now time.Time) {
	h.until = now.Add(w.patience) // later ones come over a delayed connection: their order is lost
	for other := range w.writes.beside(h.f.Req) {
		if other != h.f.Req && other.Passed && conflict(other, h.f.Req) {
			h.after = append(h.after, other)
		}
	}
	h.f.Req.answered = true
	w.held = append(w.held, h)
	w.settleHeld(now)
}

// settleHeld releases the answers that don't have to wait, in the order of their writes.
func (w *Cluster) settleHeld(now time.Time) {
	slices.SortStableFunc(w.held, func(a, b *held) int { return cmp.Compare(a.f.Reply.Zxid, b.f.Reply.Zxid) })
	for n := 0; n < len(w.held); n++ {
		h := w.held[n]
		if !w.canRelease(h, w.held[:n], now) {
			continue
		}
		w.held = slices.Delete(w.held, n, n+1)
		w.settle(h, now)
		n = -1 // others may be free now
	}
}

// settle logs the outcome of a write and passes its answer on.
func (w *Cluster) settle(h *held, now time.Time) {
	r := h.f.Req
	cause := r.Cause
	if r.Op == event.CloseSession {
		for _, other := range h.after {
			if w.awaits(other) {
				w.doubtDeletes(other)
			}
		}
	}
	switch {
	case h.ends != 0:
		w.sessionEnds(r.By, h.ends, h.f.Reply.Zxid, cause, now)
		return
	case r.Op == event.CloseSession:
		w.sessionEnds(r.By, event.SessionClosed, h.f.Reply.Zxid, cause, now)
	default:
		cause = w.applied(r, &h.f.Reply, h.f.payload)
	}
	h.l.answer(h.f, cause, now)
}

// canRelease reports whether an answer doesn't have to wait for any other, including those held before it.
func (w *Cluster) canRelease(h *held, before []*held, now time.Time) bool {
	for _, other := range before {
		if conflict(other.f.Req, h.f.Req) {
			return false
		}
	}
	return !now.Before(h.until) || !slices.ContainsFunc(h.after, w.awaits)
}

// awaits reports whether a write is unanswered, even by an answer that is held.
func (w *Cluster) awaits(r *Request) bool { return w.writes.has(r) && !r.answered }

// conflict reports whether the order of two writes matters for the tree.
func conflict(a, b *Request) bool {
	return slices.ContainsFunc(a.paths(), func(x string) bool {
		return slices.ContainsFunc(b.paths(), func(y string) bool {
			return x == y || path.Dir(x) == y || path.Dir(y) == x
		})
	})
}

// paths returns the znodes of a write. It leaves out sequential znodes, which are always new.
func (r *Request) paths() (paths []string) {
	if r.Op == event.CloseSession {
		return r.By.owned
	}
	for _, o := range r.Parts {
		if o.Kind != zoo.OpCreate || !o.Mode.IsSequential() {
			paths = append(paths, o.Path)
		}
	}
	return paths
}
