package check

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// revoked watches holders that are asked to leave: somebody else sets their znode. A holder has to listen, and once
// it knows it does nothing but leave. Leaving before the request arrives is no fault, so no delay on the way breaks
// the rule.
type revoked struct {
	asked map[string]revocation // by the znode that was set
	holds []hold
}

// revocation is the first request to the owner of a znode.
type revocation struct {
	by   event.Actor
	at   time.Duration
	zxid int64
}

// hold is a client's time inside.
type hold struct {
	path    string        // its znode, empty while it is outside
	listens bool          // it has set a watch on it since it got in
	heard   bool          // it knows of the request,
	heardAt time.Duration // since this time,
	last    time.Duration // and this is when it last did or learned anything
	asks    bool          // it waits for an answer
}

func newRevoked() *revoked { return &revoked{asked: make(map[string]revocation)} }

func (*revoked) reads() []event.Kind {
	return everything() // whatever a holder does or learns
}

func (r *revoked) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.ZnodeChanged:
		if _, ok := r.asked[e.Path]; !ok {
			r.asked[e.Path] = revocation{e.Peer, e.At, e.Zxid}
		}
	case event.ZnodeDeleted:
		delete(r.asked, e.Path)
	case event.WatchSet:
		if h := r.hold(c, e.Peer); h != nil && h.path == e.Path {
			h.listens = true
		}
	default:
		if h := r.hold(c, e.Actor); h != nil {
			r.follow(c, h, e)
		}
	}
}

func (r *revoked) hold(c *Checker, who event.Actor) *hold {
	if c.client(who) == nil {
		return nil
	}
	return slot(&r.holds, who)
}

// follow takes what a client does or learns.
func (r *revoked) follow(c *Checker, h *hold, e event.Event) {
	if e.Kind == event.RecipePhase {
		if program.Phase(e.Text) == program.Released {
			r.leave(c, h, e)
		}
		*h = hold{}
		if program.Phase(e.Text).Inside() {
			h.path = e.Path
		}
		return
	}
	if h.path == "" {
		return
	}
	switch e.Kind {
	case event.ClientExited, event.ClientCrashed:
		*h = hold{}
		return
	case event.ClientBlocked:
		if h.heard {
			r.blame(c, h, e, "broken.revoked-in-time.waits")
		}
		return
	}
	if e.Kind == event.OpSent && h.stayed(c, e) {
		r.blame(c, h, e, "broken.revoked-in-time.idle")
		return
	}
	if !h.heard && r.tells(h, e) {
		h.heard, h.heardAt = true, e.At
	}
	if e.Kind == event.OpSent || e.Kind == event.OpDone {
		h.asks = e.Kind == event.OpSent
	}
	h.last = e.At
}

// tells reports whether the holder learns by e that it is asked to leave.
func (r *revoked) tells(h *hold, e event.Event) bool {
	word, ok := r.asked[h.path]
	if !ok || e.Path != h.path || word.by == e.Actor {
		return false
	}
	switch e.Kind {
	case event.WatchDelivered:
		return zoo.EventType(e.Type) == zoo.NodeDataChanged
	case event.OpDone:
		return e.Op == event.Get && e.Code == 0 && e.Zxid >= word.zxid
	}
	return false
}

// stayed reports whether a holder that knows has let time pass without asking anything. On a real server nobody can
// tell: there every step takes time.
func (h *hold) stayed(c *Checker, e event.Event) bool {
	return h.heard && !h.asks && !c.late && e.At > h.last
}

// leave judges a holder that leaves: it should have listened, and not have stayed.
func (r *revoked) leave(c *Checker, h *hold, e event.Event) {
	word, ok := r.asked[h.path]
	if p := c.client(e.Actor); !ok || word.by == e.Actor || !p.lives() {
		return
	}
	switch {
	case !h.listens && !h.heard:
		r.blame(c, h, e, "broken.revoked-in-time.unread")
	case h.stayed(c, e):
		r.blame(c, h, e, "broken.revoked-in-time.stays")
	}
}

func (r *revoked) blame(c *Checker, h *hold, e event.Event, key string) {
	word, told := r.asked[h.path], h.heardAt
	*h = hold{}
	c.violate(broken(promise.RevokedInTime, e, []event.Actor{e.Actor, word.by}, sentence.Of(key,
		sentence.Client(word.by), sentence.Client(e.Actor), sentence.Time(word.at), sentence.Time(e.At),
		sentence.Time(told))))
}
