// Package naming tells what the children of a znode are probably for, by the names that libraries and systems give
// them: a lock, a queue, members and so on; whose names they are; and who is inside.
//
// It is a guess, and says what it goes by. It is pure, and knows nothing but names, owners and data.
package naming

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
)

// Use is what znodes are used for.
type Use string

// The uses.
const (
	Lock      Use = "lock"       // the first is inside
	ReadWrite Use = "read-write" // those who only read are inside together
	Election  Use = "election"   // the first leads
	Semaphore Use = "permits"    // all are inside: those who wait are elsewhere
	Queue     Use = "queue"      // nobody is inside: they are items
	Members   Use = "members"    // all are there
	Barrier   Use = "rendezvous" // all have come
)

// Child is a znode, as far as it matters.
type Child struct {
	Name  string
	Owner int64 // the session that it is of if it is ephemeral, else 0
}

// Place is what a child is in a Guess.
type Place struct {
	Child  Child
	Number int64 // by which it is ordered; -1 for none
	Reads  bool  // it asks to read, not to write
	Inside bool  // it holds, leads, or is a member
}

// Guess is what children are taken for.
type Guess struct {
	Use    Use
	Whose  string  // the library or system that names znodes like that; several with commas
	Places []Place // in their order; other children are left out
	Others int     // how many those are
}

// convention is how somebody names znodes.
type convention struct {
	use   Use
	whose string
	name  *regexp.Regexp // its group "read", if there is one, matches only what asks to read
	lasts bool           // the znodes are persistent
}

// Of guesses what children are for: what most of them are named for. It returns nothing if nobody is known who names
// znodes like that.
func Of(children []Child) (best Guess, ok bool) {
	for i := range conventions {
		c := &conventions[i]
		g := Guess{Use: c.use, Whose: c.whose}
		for _, child := range children {
			if p, ok := c.place(child); ok {
				g.Places = append(g.Places, p)
			}
		}
		g.Others = len(children) - len(g.Places)
		if len(g.Places) > len(best.Places) {
			best = g
		}
	}
	if len(best.Places) == 0 || best.Others > len(best.Places) {
		return Guess{}, false
	}
	best.settle()
	return best, true
}

// place is what a child is if it is named like that.
func (c *convention) place(child Child) (Place, bool) {
	if c.lasts != (child.Owner == 0) {
		return Place{}, false
	}
	m := c.name.FindStringSubmatch(child.Name)
	if m == nil {
		return Place{}, false
	}
	p := Place{Child: child, Number: event.Number("/" + child.Name)}
	if i := c.name.SubexpIndex("read"); i > 0 {
		p.Reads = m[i] != ""
	}
	return p, true
}

// settle puts the places in order, and says who is inside.
func (g *Guess) settle() {
	slices.SortStableFunc(g.Places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Child.Name, b.Child.Name))
	})
	written := false // somebody before asks to write
	for i := range g.Places {
		p := &g.Places[i]
		switch g.Use {
		case Lock, Election:
			p.Inside = i == 0
		case ReadWrite:
			p.Inside = i == 0 || p.Reads && !written
			written = written || !p.Reads
		case Semaphore, Members, Barrier:
			p.Inside = true
		}
	}
}
