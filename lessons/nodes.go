package lessons

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// never is the reason for an entry that is never removed.
const never = "never"

// nodes holds the measures about what nodes of other systems keep for clients.
var nodes = map[string]measure{
	// why-removed is the reason why a client's first entry was removed.
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

	// set-at-first is the number of nodes where a client's first try set an entry: before the first was removed again.
	"set-at-first": ofClient(func(r *Run, client int) string {
		sets := r.of(event.EntrySet).by(client)
		gone := r.of(event.EntryGone).by(client).after(sets.first()).first()
		if gone != nowhere {
			sets = sets.before(gone)
		}
		return countAt(sets.count(), sets.first())
	}),

	// number-of is the last value of the entry of a name, up to the first comma: its number.
	"number-of": ofName(func(r *Run, name string) string {
		number, _, _ := strings.Cut(r.at(r.of(event.EntrySet).named(name).last()).Text, ",")
		return strings.TrimPrefix(number, "n=")
	}),

	// deletes is the owner of the entry that a client's first deletion removes.
	"deletes": ofClient(func(r *Run, client int) string {
		gone := r.of(event.EntryGone).by(client).first()
		return r.client(r.of(event.EntrySet).before(gone).where(sameEntry(r.at(gone))).last())
	}),

	// why-freed is the reason why the first lock that a node gave to a client ends.
	"why-freed": ofClient(func(r *Run, client int) string {
		taken := r.of(event.LockTaken).by(client).first()
		freed := r.of(event.LockFreed).by(client).after(taken).where(sameEntry(r.at(taken))).first()
		switch {
		case taken == nowhere:
			return ""
		case freed == nowhere:
			return never
		}
		return reasonOf(r.at(freed))
	}),

	// rows-locked is the number of rows that a client's first transaction locks, without what lies between them.
	"rows-locked": ofClient(func(r *Run, client int) string {
		began := r.of(event.TxBegan).by(client).first()
		taken := r.of(event.LockTaken).by(client).after(began).where(func(e event.Event) bool {
			row := r.of(event.EntrySet).where(sameEntry(e)).first() != nowhere
			return row && e.Session == r.at(began).Session
		})
		return countAt(taken.count(), began)
	}),

	// told-after-release counts the messages that wake clients between a client's first release and the next entry;
	// told-after-crash counts those after its crash.
	"told-after-release": ofClient(func(r *Run, client int) string {
		released := r.reports(program.Released).by(client).first()
		told := r.wakeups().after(released)
		if next := r.gotIn().after(released).first(); next != nowhere {
			told = told.before(next)
		}
		return countAt(told.count(), released)
	}),
	"told-after-crash": ofClient(func(r *Run, client int) string {
		crashed := r.of(event.ClientCrashed).by(client).first()
		return countAt(r.wakeups().after(crashed).count(), crashed)
	}),

	// asks-when-resumed is the first command that a client sends after its pause.
	"asks-when-resumed": ofClient(func(r *Run, client int) string {
		resumed := r.of(event.ClientResumed).by(client).first()
		command, _, _ := strings.Cut(r.at(r.of(event.OpSent).by(client).after(resumed).first()).Text, " ")
		return command
	}),
}

// wakeups returns the messages that wake clients, from ZooKeeper or another system.
func (x *index) wakeups() places { return x.of(event.WatchDelivered, event.PushDelivered) }

// sameEntry returns a test for events about the same entry as e.
func sameEntry(e event.Event) func(event.Event) bool {
	return func(o event.Event) bool { return o.Actor == e.Actor && o.Path == e.Path }
}
