package capture

import (
	"cmp"
	"path"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Answers to different clients come on different connections, so they may be read in another order than that in which
// the servers carried the writes out. A log in which a znode is made before it was deleted leads to a wrong tree. So
// the answer to a write is held back while another write that touches the same znodes, and may have been carried out
// before it, has not been answered.

// held is such an answer, or the end of a session that came without one.
type held struct {
	l     *Conn
	f     *Frame
	after []*Request // that were on their way when it came
	until time.Time  // then it waits no longer
	ends  event.Kind // of the end of a session without an answer, which has no l; 0 for an answer
}

// hold takes the answer to a write, which is on its way to the client.
func (l *Conn) hold(f *Frame, payload []byte, now time.Time) {
	f.Waits, f.payload = true, payload
	l.w.hold(&held{l: l, f: f}, now)
}

// SessionEnds is the end of a session that the servers carried out at zxid, however it was heard of. Like an answer it
// waits for those of writes that may have come before it.
func (w *Cluster) SessionEnds(c *Client, kind event.Kind, zxid int64, cause event.Seq, now time.Time) {
	waits := func(h *held) bool { return h.f.Req.By == c && h.ends != 0 }
	if slices.ContainsFunc(w.held, waits) {
		return
	}
	r := &Request{Op: event.CloseSession, By: c, Cause: cause}
	w.hold(&held{f: &Frame{Req: r, Reply: Reply{Zxid: zxid}}, ends: kind}, now)
}

func (w *Cluster) hold(h *held, now time.Time) {
	h.until = now.Add(w.patience) // what comes later is of a connection that is held up: its order is lost
	for other := range w.writes.beside(h.f.Req) {
		if other != h.f.Req && other.Passed && conflict(other, h.f.Req) {
			h.after = append(h.after, other)
		}
	}
	h.f.Req.answered = true
	w.held = append(w.held, h)
	w.settleHeld(now)
}

// settleHeld lets the answers go on, in the order of their writes, that need not wait.
func (w *Cluster) settleHeld(now time.Time) {
	slices.SortStableFunc(w.held, func(a, b *held) int { return cmp.Compare(a.f.Reply.Zxid, b.f.Reply.Zxid) })
	for n := 0; n < len(w.held); n++ {
		h := w.held[n]
		if !w.mayGo(h, w.held[:n], now) {
			continue
		}
		w.held = slices.Delete(w.held, n, n+1)
		w.settle(h, now)
		n = -1 // others may go now
	}
}

// settle logs what the write came to, and lets the answer go on.
func (w *Cluster) settle(h *held, now time.Time) {
	r := h.f.Req
	cause := r.Cause
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

// mayGo reports whether an answer need not wait for any other, also not for those that are held back before it.
func (w *Cluster) mayGo(h *held, before []*held, now time.Time) bool {
	for _, other := range before {
		if conflict(other.f.Req, h.f.Req) {
			return false
		}
	}
	return !now.Before(h.until) || !slices.ContainsFunc(h.after, func(r *Request) bool {
		return w.writes.has(r) && !r.answered
	})
}

// conflict reports whether it matters for the tree which of two writes comes first.
func conflict(a, b *Request) bool {
	return slices.ContainsFunc(a.paths(), func(x string) bool {
		return slices.ContainsFunc(b.paths(), func(y string) bool {
			return x == y || path.Dir(x) == y || path.Dir(y) == x
		})
	})
}

// paths are the znodes that a write is about. A sequential znode is always a new one.
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
