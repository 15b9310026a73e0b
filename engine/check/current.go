package check

import (
	"fmt"
	"slices"
	"time"

	"maps"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// current compares what subscribers saw last with what was published last. Which was last is the server's
// account: the order of the writes, not of the reports.
type current struct {
	wrote  map[event.Actor]int64 // the zxid of each client's last write
	topics map[string]*topic
}

type topic struct {
	value int64
	zxid  int64
	at    time.Duration
	by    event.Actor
	seen  map[event.Actor]int64
}

func newCurrent() *current {
	return &current{wrote: make(map[event.Actor]int64), topics: make(map[string]*topic)}
}

func (u *current) append(c *Checker, e event.Event) {
	switch {
	case e.Kind == event.TxnApplied && e.Code == 0:
		u.wrote[e.Peer] = e.Zxid
	case e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Published:
		u.publish(e)
	case e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Saw:
		u.topic(e.Path).seen[e.Actor] = e.N
	case unfinished(e):
		u.end(c, e)
	}
}

func (u *current) topic(path string) *topic {
	t := u.topics[path]
	if t == nil {
		t = &topic{seen: make(map[event.Actor]int64)}
		u.topics[path] = t
	}
	return t
}

func (u *current) publish(e event.Event) {
	t := u.topic(e.Path)
	if _, subscribes := t.seen[e.Actor]; subscribes {
		t.seen[e.Actor] = e.N
	}
	if zxid := u.wrote[e.Actor]; zxid >= t.zxid {
		t.value, t.zxid, t.at, t.by = e.N, zxid, e.At, e.Actor
	}
}

func (u *current) end(c *Checker, e event.Event) {
	for _, path := range slices.Sorted(maps.Keys(u.topics)) {
		t := u.topics[path]
		if t.by == 0 {
			continue
		}
		var behind []event.Actor
		for a, saw := range t.seen {
			if p := c.client(a); saw != t.value && p != nil && p.lives() {
				behind = append(behind, a)
			}
		}
		if len(behind) == 0 {
			continue
		}
		slices.Sort(behind)
		c.violate(Violation{
			Rule: Current, At: e.At, Seq: e.Seq, Clients: behind[:min(len(behind), mostListed)],
			Text: fmt.Sprintf("in the end %s had seen %d of %s, and %s had published %d at %s",
				actors(behind), t.seen[behind[0]], name(path), t.by, t.value, seconds(t.at)),
		})
	}
}
