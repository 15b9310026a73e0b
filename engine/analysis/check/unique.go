package check

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// unique remembers what was given out. A number is given out only once; a name without one is free again when its
// owner's session is over or the owner has released it.
type unique struct {
	numbers map[string]*numbers // by phase and path
	names   map[string]event.Actor
}

func newUnique() *unique {
	return &unique{numbers: make(map[string]*numbers), names: make(map[string]event.Actor)}
}

func (*unique) reads() []event.Kind { return []event.Kind{event.RecipePhase} }

func (u *unique) append(c *Checker, e event.Event) {
	switch p := program.Phase(e.Text); {
	case p == program.Released:
		if u.names[e.Path] == e.Actor {
			delete(u.names, e.Path)
		}
	case p == program.Named && e.N == 0:
		u.name(c, e)
	case p == program.Named, p == program.Counted:
		u.number(c, e)
	}
}

func (u *unique) name(c *Checker, e event.Event) {
	old := u.names[e.Path]
	u.names[e.Path] = e.Actor
	if p := c.client(old); p == nil || old == e.Actor || !p.lives() {
		return
	}
	c.accuse(broken(promise.Unique, e, []event.Actor{e.Actor, old}, sentence.Of("broken.unique.name",
		sentence.Client(e.Actor), sentence.Path(e.Path), sentence.Time(e.At), sentence.Client(old))), 2, e.Actor, old)
}

func (u *unique) number(c *Checker, e event.Event) {
	key := e.Text + " " + e.Path
	if program.Phase(e.Text) == program.Named { // the path of an id is unique to it
		key = e.Text
	}
	if u.numbers[key] == nil {
		u.numbers[key] = new(numbers)
	}
	if !u.numbers[key].has(e.N) {
		u.numbers[key].add(e.N)
		return
	}
	got := "broken.unique.id"
	if program.Phase(e.Text) == program.Counted {
		got = "broken.unique.count"
	}
	c.violate(broken(promise.Unique, e, []event.Actor{e.Actor}, sentence.Of(got,
		sentence.Client(e.Actor), sentence.Number(e.N), sentence.Time(e.At))))
}
