package lessons

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
)

// telling holds the measures about who watches what, who is notified, and the watched znodes.
var telling = map[string]measure{
	// watched-by is the owner of the first znode that a client watches, or "root"; waits-for is the owner of the last.
	"watched-by": ofClient(func(r *Run, client int) string {
		set := r.at(r.of(event.WatchSet).by(client).first())
		if set.Path == r.Log.Header.Root {
			return "root"
		}
		return letter(r.maker(set.Path))
	}),
	"waits-for": ofClient(func(r *Run, client int) string {
		return letter(r.maker(r.at(r.of(event.WatchSet).by(client).last()).Path))
	}),

	// hears tells whether a watch event ever reaches a client.
	"hears": ofClient(func(r *Run, client int) string {
		return yesNo(r.of(event.WatchDelivered).by(client).count() > 0)
	}),

	// The first znode of a name: its creator, how many clients are notified, how many watch events have reached
	// clients by then, and whether it exists at the end.
	"creator": ofName(func(r *Run, name string) string { return r.client(r.creationOf(name)) }),
	"told-of": ofName(func(r *Run, name string) string { return r.toldOf(r.creationOf(name)) }),
	"told-before": ofName(func(r *Run, name string) string {
		made := r.creationOf(name)
		return countAt(r.of(event.WatchDelivered).before(made).count(), made)
	}),
	"stays": ofName(func(r *Run, name string) string {
		made := r.creationOf(name)
		same := func(e event.Event) bool { return e.Path == r.at(made).Path }
		return yesNo(r.of(event.ZnodeDeleted).after(made).where(same).count() == 0, made)
	}),

	// told-of-end counts the clients that are notified when the first znode of a name goes.
	"told-of-end": ofName(func(r *Run, name string) string {
		return r.toldOf(r.of(event.ZnodeDeleted).named(name).first())
	}),

	// The n-th change of a znode's data: how many clients are notified, and what the first of them requests next.
	"told-of-change": ofPlace(func(r *Run, n int) string { return r.toldOf(r.of(event.ZnodeChanged).nth(n)) }),
	"does-when-told": ofPlace(func(r *Run, n int) string { return r.asksWhenTold(r.of(event.ZnodeChanged).nth(n)) }),

	// The first of a client's znodes to go: why, and what the first client that is notified requests next.
	"why-gone":    ofClient(func(r *Run, client int) string { return reasonOf(r.at(r.endOf(client))) }),
	"does-at-end": ofClient(func(r *Run, client int) string { return r.asksWhenTold(r.endOf(client)) }),
}

// creationOf returns where a client creates the first znode whose path ends in name.
func (x *index) creationOf(name string) int {
	return x.of(event.ZnodeCreated).byClients().named(name).first()
}

// endOf returns where the first znode of a client goes.
func (x *index) endOf(client int) int {
	own := func(e event.Event) bool { return int(x.maker(e.Path)) == client }
	return x.of(event.ZnodeDeleted).where(own).first()
}

// deliveries returns the watch events that reached clients because of the event at a place.
func (x *index) deliveries(i int) places {
	if i == nowhere {
		return places{x: x}
	}
	return places{x, x.told[x.events[i].Seq]}
}

func (x *index) toldOf(i int) string { return countAt(x.deliveries(i).count(), i) }

// asksWhenTold returns the next request of the first client that is notified of the event at a place.
func (x *index) asksWhenTold(i int) string {
	told := x.deliveries(i).first()
	asks := x.of(event.OpSent).by(int(x.at(told).Actor)).after(told).first()
	if asks == nowhere {
		return ""
	}
	return x.at(asks).Op.String()
}

// countAt returns a count, if what it refers to is there.
func countAt(n, i int) string {
	if i == nowhere {
		return ""
	}
	return strconv.Itoa(n)
}

// reasonOf returns the name of the reason why something ended, empty if there is none.
func reasonOf(e event.Event) string {
	if e.Reason == event.NoReason {
		return ""
	}
	return e.Reason.String()
}
