package lessons

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// What the measures of the pitfalls find: who waits for what, who is never let in, what a store takes.

// nobody is who gets in where nobody does.
const nobody = "nobody"

// hears tells whether a watch event ever reaches a client.
func hears(r *Run, client int) string {
	_, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.WatchDelivered && int(e.Actor) == client
	})
	if i < 0 {
		return no
	}
	return yes
}

// waitsFor is whose znode the last watch that a client set lies on.
func waitsFor(r *Run, client int) string {
	path := ""
	for _, e := range r.Log.Events {
		if e.Kind == event.WatchSet && int(e.Peer) == client {
			path = e.Path
		}
	}
	return letter(creatorOf(r, path))
}

// inAfter is who gets in first after a client's report that it has left, until somebody's session expires.
func inAfter(r *Run, client int) string {
	_, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.RecipePhase && int(e.Actor) == client && zoo.Phase(e.Text) == zoo.Released
	})
	if i < 0 {
		return ""
	}
	for _, e := range r.Log.Events[i:] {
		switch {
		case gotIn(e):
			return letter(e.Actor)
		case e.Kind == event.SessionExpired:
			return nobody
		}
	}
	return nobody
}

// stores counts the writes to stores that ended in such a way.
func stores(r *Run, kind event.Kind) (n int) {
	for _, e := range r.Log.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// lateWrite is what became of a client's last write to a store.
func lateWrite(r *Run, client int) (what string) {
	for _, e := range r.Log.Events {
		switch {
		case int(e.Actor) != client:
		case e.Kind == event.StoreWritten:
			what = "taken"
		case e.Kind == event.StoreRefused:
			what = "refused"
		}
	}
	return what
}

// fenceIsSequence tells whether the number of the first write to a store is the one at the end of the name of
// its client's znode.
func fenceIsSequence(r *Run) string {
	w, i := first(r.Log.Events, 0, func(e event.Event) bool { return e.Kind == event.StoreWritten })
	made, j := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.ZnodeCreated && e.Peer == w.Actor && strings.Contains(e.Path, "-0")
	})
	if i < 0 || j < 0 {
		return ""
	}
	number, err := strconv.ParseInt(made.Path[strings.LastIndex(made.Path, "-")+1:], 10, 64)
	if err == nil && number == w.N {
		return yes
	}
	return no
}
