package lessons

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// What the measures find in a run. Each gives "" for what is not there.

const (
	yes = "yes"
	no  = "no"
)

// letter is what a client is called on the stage.
func letter(a event.Actor) string {
	if a < 1 {
		return ""
	}
	if a > 26 {
		return strconv.Itoa(int(a))
	}
	return string(rune('A' + a - 1))
}

// first is the first event from place i on that ok accepts, and its place, or -1.
func first(events []event.Event, i int, ok func(event.Event) bool) (event.Event, int) {
	for ; i >= 0 && i < len(events); i++ {
		if ok(events[i]) {
			return events[i], i
		}
	}
	return event.Event{}, -1
}

func failed(r *Run, op event.Op) (n int) {
	for _, e := range r.Log.Events {
		if e.Kind == event.TxnApplied && e.Op == op && e.Code != 0 {
			n++
		}
	}
	return n
}

func release(figure func(woken, wasted int) int) func(*Run, int) string {
	return func(r *Run, n int) string {
		if n > len(r.End.Hands) {
			return ""
		}
		h := r.End.Hands[n-1]
		return strconv.Itoa(figure(h.Woken, h.Wasted))
	}
}

func gotIn(e event.Event) bool {
	if e.Kind != event.RecipePhase {
		return false
	}
	p := zoo.Phase(e.Text)
	return p == zoo.Holding || p == zoo.Consumed || p == zoo.Passed
}

// holder is who gets in as the n-th.
func holder(r *Run, n int) string {
	for _, e := range r.Log.Events {
		if gotIn(e) {
			if n--; n == 0 {
				return letter(e.Actor)
			}
		}
	}
	return ""
}

// inOrder tells whether the clients get in in the order in which they asked first.
func inOrder(r *Run) string {
	var asked, in []event.Actor
	for _, e := range r.Log.Events {
		if e.Kind == event.TxnApplied && e.Op == event.Create && e.Peer != 0 && !slices.Contains(asked, e.Peer) {
			asked = append(asked, e.Peer)
		}
		if gotIn(e) {
			in = append(in, e.Actor)
		}
	}
	if slices.Equal(in, asked) {
		return yes
	}
	return no
}

// watchedBy is whose znode a client watches first, or "root".
func watchedBy(r *Run, client int) string {
	set, _ := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.WatchSet && int(e.Peer) == client
	})
	if set.Path == r.Log.Header.Root {
		return "root"
	}
	return letter(creatorOf(r, set.Path))
}

func creatorOf(r *Run, path string) event.Actor {
	e, _ := first(r.Log.Events, 0, func(e event.Event) bool { return e.Kind == event.ZnodeCreated && e.Path == path })
	return e.Peer
}

// named is the creation of the first znode whose path ends in name, and its place, or -1. It leaves out
// the set-up before anyone starts.
func named(r *Run, name string) (event.Event, int) {
	return first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.ZnodeCreated && e.Peer != 0 && strings.HasSuffix(e.Path, name)
	})
}

// creator is who creates the first znode of that name.
func creator(r *Run, name string) string {
	e, _ := named(r, name)
	return letter(e.Peer)
}

// toldOf is how many clients are told when the first znode of that name is created.
func toldOf(r *Run, name string) string {
	_, i := named(r, name)
	if i < 0 {
		return ""
	}
	return strconv.Itoa(len(deliveries(r, i)))
}

// toldBefore is how many watch events reach clients before the first znode of that name is created.
func toldBefore(r *Run, name string) string {
	_, i := named(r, name)
	if i < 0 {
		return ""
	}
	n := 0
	for _, e := range r.Log.Events[:i] {
		if e.Kind == event.WatchDelivered {
			n++
		}
	}
	return strconv.Itoa(n)
}

// stays tells whether the first znode of that name is still there at the end.
func stays(r *Run, name string) string {
	made, i := named(r, name)
	_, j := first(r.Log.Events, i, func(e event.Event) bool {
		return e.Kind == event.ZnodeDeleted && e.Path == made.Path
	})
	switch {
	case i < 0:
		return ""
	case j < 0:
		return yes
	}
	return no
}

// letInAfter is how many clients got in because a client's znode went.
func letInAfter(r *Run, client int) string {
	for _, h := range r.End.Hands {
		if int(h.By) == client {
			return strconv.Itoa(h.Woken - h.Wasted)
		}
	}
	return ""
}

// mostInside is how many clients were inside at once, as they believed and as the server knew.
func mostInside(r *Run) (believed, truly int) {
	believing, inside := map[event.Actor]bool{}, map[event.Actor]bool{}
	for _, e := range r.Log.Events {
		switch {
		case e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Holding:
			believing[e.Actor], inside[e.Actor] = true, true
		case e.Kind == event.RecipePhase || e.Kind == event.ClientCrashed || e.Kind == event.ClientExited:
			delete(believing, e.Actor)
			delete(inside, e.Actor)
		case e.Kind == event.SessionExpired || e.Kind == event.SessionClosed:
			delete(inside, e.Peer)
		}
		believed, truly = max(believed, len(believing)), max(truly, len(inside))
	}
	return believed, truly
}

// change is the place of the n-th change of a znode's data.
func change(r *Run, n int) int {
	i := -1
	for ; n > 0; n-- {
		_, i = first(r.Log.Events, i+1, func(e event.Event) bool { return e.Kind == event.ZnodeChanged })
		if i < 0 {
			return -1
		}
	}
	return i
}

// deliveries are the places of the watch events that an event, at place i, caused.
func deliveries(r *Run, i int) (out []int) {
	events := r.Log.Events
	for j := i + 1; i >= 0 && j < len(events); j++ {
		if e := events[j]; e.Kind == event.WatchDelivered && e.Cause > 0 && events[e.Cause-1].Cause == events[i].Seq {
			out = append(out, j)
		}
	}
	return out
}

// toldOfChange is how many clients are told of the n-th change.
func toldOfChange(r *Run, n int) string {
	i := change(r, n)
	if i < 0 {
		return ""
	}
	return strconv.Itoa(len(deliveries(r, i)))
}

// doesWhenTold is what the client that is told of the n-th change asks next.
func doesWhenTold(r *Run, n int) string {
	told := deliveries(r, change(r, n))
	if len(told) == 0 {
		return ""
	}
	return nextRequest(r, told[0])
}

func nextRequest(r *Run, i int) string {
	who := r.Log.Events[i].Actor
	e, at := first(r.Log.Events, i+1, func(e event.Event) bool { return e.Kind == event.OpSent && e.Actor == who })
	if at < 0 {
		return ""
	}
	return e.Op.String()
}

// whyGone is why a client's first znode to go went.
func whyGone(r *Run, client int) string {
	e, _ := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.ZnodeDeleted && int(creatorOf(r, e.Path)) == client
	})
	return e.Text
}

// outlivesCrash is how many whole seconds a client's session lives on after the client has crashed.
func outlivesCrash(r *Run, client int) string {
	crash, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.ClientCrashed && int(e.Actor) == client
	})
	end, j := expiry(r, client)
	if i < 0 || j < i {
		return ""
	}
	return seconds(end.At - crash.At)
}

func expiry(r *Run, client int) (event.Event, int) {
	return first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.SessionExpired && int(e.Peer) == client
	})
}

// learnt is when a client reports that it has lost its session, after it expired.
func learnt(r *Run, client int) (expired, lost event.Event, ok bool) {
	expired, i := expiry(r, client)
	lost, j := first(r.Log.Events, i, func(e event.Event) bool {
		return e.Kind == event.RecipePhase && int(e.Actor) == client && zoo.Phase(e.Text) == zoo.Lost
	})
	return expired, lost, i >= 0 && j >= 0
}

// knowsWhenExpired tells whether a client knows that its session has expired before anybody else gets in.
func knowsWhenExpired(r *Run, client int) string {
	_, lost, ok := learnt(r, client)
	_, i := expiry(r, client)
	next, j := first(r.Log.Events, i, gotIn)
	switch {
	case !ok || j < 0:
		return ""
	case lost.At < next.At:
		return yes
	}
	return no
}

// believesTooLong is how many whole seconds pass between a session's expiry and its client's learning it.
func believesTooLong(r *Run, client int) string {
	expired, lost, ok := learnt(r, client)
	if !ok {
		return ""
	}
	return seconds(lost.At - expired.At)
}

func seconds(d time.Duration) string { return fmt.Sprint(int(d.Round(time.Second).Seconds())) }

// goesOnWhenResumed tells whether a client still believes for a while, after its pause, what it believed
// before.
func goesOnWhenResumed(r *Run, client int) string {
	resumed, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.ClientResumed && int(e.Actor) == client
	})
	next, j := first(r.Log.Events, i, func(e event.Event) bool {
		return e.Kind == event.RecipePhase && int(e.Actor) == client
	})
	switch {
	case j < 0:
		return ""
	case next.At > resumed.At:
		return yes
	}
	return no
}

// refusedCostsZxid tells whether a create that is refused takes a number of ZooKeeper's log.
func refusedCostsZxid(r *Run) string {
	e, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.TxnApplied && e.Op == event.Create && e.Code != 0
	})
	switch {
	case i < 0:
		return ""
	case e.Zxid > 0:
		return yes
	}
	return no
}

// takenTwice is how many items were consumed more than once.
func takenTwice(r *Run) (n int) {
	times := map[string]int{}
	for _, e := range r.Log.Events {
		if e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Consumed {
			if times[e.Path]++; times[e.Path] == 2 {
				n++
			}
		}
	}
	return n
}

// passedBeforeLast is how many clients passed a barrier before every client had created its znode.
func passedBeforeLast(r *Run) (n int) {
	arrived := map[event.Actor]bool{}
	for _, e := range r.Log.Events {
		if e.Kind == event.ZnodeCreated && e.Peer != 0 {
			arrived[e.Peer] = true
		}
		if e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Passed && len(arrived) < r.Log.Header.Clients {
			n++
		}
	}
	return n
}
