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

// held is such an answer.
type held struct {
	l     *Conn
	f     *Frame
	after []*Request // that were on their way when it came
	until time.Time  // then it waits no longer
}

// orderPatience bounds how long an answer is held back. Answers that come later are of writes whose connection is held
// up: their order is lost.
const orderPatience = CausePatience

// hold takes the answer to a write, which is on its way to the client.
func (l *Conn) hold(f *Frame, payload []byte, now time.Time) {
	w := l.w
	f.Waits, f.payload = true, payload
	h := &held{l: l, f: f, until: now.Add(orderPatience)}
	for other := range w.writes {
		if other != f.Req && other.Passed && conflict(other, f.Req) {
			h.after = append(h.after, other)
		}
	}
	f.Req.answered = true
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
		h.settle(now)
		n = -1 // others may go now
	}
}

// settle logs what the write came to, and lets the answer go on.
func (h *held) settle(now time.Time) {
	w, r := h.l.w, h.f.Req
	cause := r.Cause
	if r.Op == event.CloseSession {
		w.SessionEnds(h.l.c, event.SessionClosed, h.f.Reply.Zxid, cause, now)
	} else {
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
		_, outstanding := w.writes[r]
		return outstanding && !r.answered
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
