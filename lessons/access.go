package lessons

import (
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// nobody is the value where no client gets in.
const nobody = "nobody"

// access holds the measures about who gets in, and when.
var access = map[string]measure{
	// holder is the n-th client to get in.
	"holder": ofPlace(func(r *Run, n int) string { return r.client(r.gotIn().nth(n)) }),

	// in-order tells whether the clients enter in the order of their first requests.
	"in-order": plainly(func(r *Run) string {
		var asked, in []event.Actor
		for _, e := range r.of(event.TxnApplied).op(event.Create).byClients().events() {
			if !slices.Contains(asked, e.Peer) {
				asked = append(asked, e.Peer)
			}
		}
		for _, e := range r.gotIn().events() {
			in = append(in, e.Actor)
		}
		return yesNo(slices.Equal(in, asked))
	}),

	// in-after is the first client to get in after a client's report that it has left, until somebody's session
	// expires.
	"in-after": ofClient(func(r *Run, client int) string {
		left := r.reports(program.Released).by(client).first()
		next, expired := r.gotIn().after(left).first(), r.of(event.SessionExpired).after(left).first()
		switch {
		case left == nowhere:
			return ""
		case next == nowhere, expired != nowhere && expired < next:
			return nobody
		}
		return r.client(next)
	}),

	// let-in-after counts the clients that got in because a client's znode went.
	"let-in-after": ofClient(func(r *Run, client int) string {
		for _, h := range r.End.Wakeups.Releases {
			if int(h.By) == client {
				return strconv.Itoa(h.Woken - h.Wasted)
			}
		}
		return ""
	}),

	// The most clients that were inside at once, by their belief and by the server's account.
	"most-believing": count(func(r *Run) int { return r.mostInside() }),
	"most-inside":    count(func(r *Run) int { return r.mostInside(event.SessionExpired, event.SessionClosed) }),
}

// mostInside returns how many clients were inside at once. A client is inside until it reports something else,
// ends, or meets one of these events.
func (x *index) mostInside(ends ...event.Kind) (most int) {
	inside := map[event.Actor]bool{}
	kinds := append([]event.Kind{event.RecipePhase, event.ClientCrashed, event.ClientExited}, ends...)
	for _, e := range x.of(kinds...).events() {
		if e.Kind == event.RecipePhase && program.Phase(e.Text).Inside() {
			inside[e.Actor] = true
			most = max(most, len(inside))
		} else {
			delete(inside, about(e))
		}
	}
	return most
}
