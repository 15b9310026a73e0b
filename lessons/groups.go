package lessons

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// groups holds the measures about queues, barriers, counters, groups and stores.
var groups = map[string]measure{
	"taken-twice": count(func(r *Run) int {
		return repeated(r.reports(program.Consumed), func(e event.Event) string { return e.Path })
	}),
	"counted-twice": count(func(r *Run) int {
		return repeated(r.reports(program.Counted), func(e event.Event) int64 { return e.N })
	}),
	"worked-off": count(func(r *Run) int { return r.reports(program.Done).count() }),
	"published":  count(func(r *Run) int { return r.reports(program.Published).count() }),

	// finishes tells which of two znodes with one name, an item and its mark, goes first when the work is done:
	// "item", "mark", or "together" if one transaction removes both.
	"finishes": ofName(func(r *Run, name string) string {
		gone := r.of(event.ZnodeDeleted).named(name)
		ephemeral := func(e event.Event) bool { return r.creation(e.Path).Session != 0 }
		mark := r.at(gone.where(ephemeral).last()).Zxid
		item := r.at(gone.where(func(e event.Event) bool { return !ephemeral(e) }).last()).Zxid
		switch {
		case item == 0 || mark == 0:
			return ""
		case item == mark:
			return "together"
		case item < mark:
			return "item"
		}
		return "mark"
	}),

	// passed-before-last counts the clients that passed a barrier before every client had created its znode.
	"passed-before-last": count(func(r *Run) int {
		return r.reports(program.Passed).before(r.arrival(r.Log.Header.Clients)).count()
	}),
	"left-early": count(func(r *Run) int { return r.leftEarly() }),

	// sees-last is the last client to see the n-th version of what is followed.
	"sees-last": ofPlace(func(r *Run, n int) string {
		return r.client(r.reports(program.Saw).where(func(e event.Event) bool { return e.N == int64(n) }).last())
	}),

	// saw counts how often a client saw something new; id-of is the first id that it gets.
	"saw": ofClient(func(r *Run, client int) string { return strconv.Itoa(r.reports(program.Saw).by(client).count()) }),
	"id-of": ofClient(func(r *Run, client int) string {
		named := r.reports(program.Named).by(client).first()
		return countAt(int(r.at(named).N), named)
	}),

	// fence-of is the number with which a client first gets in, for stores to compare.
	"fence-of": ofClient(func(r *Run, client int) string {
		in := r.reports(program.Holding).by(client).first()
		return countAt(int(r.at(in).N), in)
	}),

	"stores-refused": count(func(r *Run) int { return r.of(event.StoreRefused).count() }),

	// late-write is the outcome of a client's last write to a store.
	"late-write": ofClient(func(r *Run, client int) string {
		switch r.at(r.of(event.StoreWritten, event.StoreRefused).by(client).last()).Kind {
		case event.StoreWritten:
			return "taken"
		case event.StoreRefused:
			return "refused"
		}
		return ""
	}),

	// fence-is-sequence tells whether the number of the first write to a store is the sequence number of its
	// client's znode.
	"fence-is-sequence": plainly(func(r *Run) string {
		write := r.of(event.StoreWritten).first()
		numbered := func(e event.Event) bool { return strings.Contains(e.Path, "-0") }
		made := r.of(event.ZnodeCreated).by(int(r.at(write).Actor)).where(numbered).first()
		name := r.at(made).Path
		number, err := strconv.ParseInt(name[strings.LastIndex(name, "-")+1:], 10, 64)
		return yesNo(err == nil && number == r.at(write).N, write, made)
	}),
}

// arrival returns where the n-th client creates its first znode, or the end of the log if that never happens.
func (x *index) arrival(n int) int {
	arrived := map[event.Actor]bool{}
	made := x.of(event.ZnodeCreated).byClients()
	for i, e := range made.events() {
		if arrived[e.Peer] = true; len(arrived) == n {
			return made.nth(i + 1)
		}
	}
	return len(x.events)
}

// leftEarly returns how many clients left a double barrier while another that had passed was still at work.
func (x *index) leftEarly() (n int) {
	busy := map[event.Actor]bool{}
	for _, e := range x.of(event.RecipePhase, event.ClientCrashed, event.ClientExited).events() {
		switch phase := program.Phase(e.Text); {
		case e.Kind != event.RecipePhase, phase == program.Leaving:
			delete(busy, e.Actor)
		case phase == program.Passed:
			busy[e.Actor] = true
		case phase == program.Left && len(busy) > 0:
			n++
		}
	}
	return n
}
