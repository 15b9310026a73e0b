package lessons

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// never is why an entry was removed that is there to the end.
const never = "never"

// nodes are the measures of what nodes of other systems than ZooKeeper keep for clients.
var nodes = map[string]measure{
	// why-removed is why the first entry of a client was removed.
	"why-removed": ofClient(func(r *Run, client int) string {
		set := r.of(event.EntrySet).by(client).first()
		gone := r.of(event.EntryGone).after(set).where(sameEntry(r.at(set))).first()
		switch {
		case set == nowhere:
			return ""
		case gone == nowhere:
			return never
		}
		return reasonOf(r.at(gone))
	}),

	// deletes is whose entry a client's first deletion removes.
	"deletes": ofClient(func(r *Run, client int) string {
		gone := r.of(event.EntryGone).by(client).first()
		return r.client(r.of(event.EntrySet).before(gone).where(sameEntry(r.at(gone))).last())
	}),

	// asks-when-resumed is the command that a client sends first after its pause.
	"asks-when-resumed": ofClient(func(r *Run, client int) string {
		resumed := r.of(event.ClientResumed).by(client).first()
		command, _, _ := strings.Cut(r.at(r.of(event.OpSent).by(client).after(resumed).first()).Text, " ")
		return command
	}),
}

// sameEntry accepts the events that are about the same entry as e.
func sameEntry(e event.Event) func(event.Event) bool {
	return func(o event.Event) bool { return o.Actor == e.Actor && o.Path == e.Path }
}
