// Package naming tells what the children of a znode are probably for, by the names that libraries and systems give
// them: a lock, a queue, members and so on; whose names they are; and who is inside.
//
// It is a guess, and says what it goes by. It is pure, and knows nothing but names, owners and data. engine/view asks
// for what there is at a moment; engine/handover follows a Family as children come and go.
package naming

import (
	"regexp"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// Use is what znodes are used for.
type Use string

// The uses.
const (
	Unknown   Use = ""           // nobody is known who names znodes like that: perhaps the first of them is inside
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
	After  int   // which of the places before it it waits for, -1 for none
}

// Line reports whether znodes for a use stand in line: those that aren't inside wait for one before them.
func (u Use) Line() bool { return u == Lock || u == ReadWrite || u == Election }

// Excludes reports whether those who are inside keep others out, in line or elsewhere.
func (u Use) Excludes() bool { return u.Line() || u == Semaphore }

// Shared reports whether several may be inside at a time.
func (u Use) Shared() bool { return u == ReadWrite || u == Semaphore || u == Members || u == Barrier }

// AtOnce reports whether one is inside as soon as one's znode is there.
func (u Use) AtOnce() bool { return u == Semaphore || u == Members || u == Barrier }

// Guess is what children are taken for.
type Guess struct {
	Use    Use
	Whose  string  // the library or system that names znodes like that; empty if it goes by their numbers alone
	Places []Place // in their order; other children are left out
	Others int     // how many those are, without one that is there for the others
}

// convention is how somebody names znodes.
type convention struct {
	use     Use
	whose   string
	name    *regexp.Regexp // its group "read", if there is one, matches only what asks to read
	has     string         // a part of all such names
	lasts   bool           // the znodes are persistent
	sibling string         // of a persistent znode that is beside them, empty if none needs to be
}

// Of guesses what children are for: what most of them are named for. It returns nothing if nobody is known who names
// znodes like that.
func Of(children []Child) (best Guess, ok bool) {
	most := 0
	for i := range conventions {
		c := &conventions[i]
		if !c.followed(children) {
			continue
		}
		if g, n := c.guess(children); n > most {
			best, most = g, n
		}
		if most == len(children) {
			break // no other explains more
		}
	}
	if most == 0 || len(children)-most > most {
		return Guess{}, false
	}
	best.settle()
	return best, true
}

// ByNumber takes children for what their numbers alone tell, where nobody is known who names znodes like that: those
// that live as long as a session are a line of Unknown use, or if there are more that stay, these are items of a queue.
func ByNumber(children []Child) Guess {
	var live, stay []Place
	for _, c := range children {
		switch p := (Place{Child: c, Number: event.Number(c.Name)}); {
		case p.Number < 0:
		case c.Owner != 0:
			live = append(live, p)
		default:
			stay = append(stay, p)
		}
	}
	g := Guess{Places: live}
	if len(stay) > len(live) {
		g = Guess{Use: Queue, Places: stay}
	}
	g.Others = len(children) - len(g.Places)
	g.settle()
	return g
}

// maxSampled is among how many children one looks for a convention. It is for all of them if there are no more.
const maxSampled = 64

// followed reports whether any of the children, or of a sample from all parts of a long list, is named like that, and
// what needs to be beside them is.
func (c *convention) followed(children []Child) bool {
	if c.sibling != "" && !slices.ContainsFunc(children, c.needs) {
		return false
	}
	step := max(1, (len(children)+maxSampled-1)/maxSampled)
	for i := 0; i < len(children); i += step {
		if c.lasts == (children[i].Owner == 0) && c.matches(children[i].Name) {
			return true
		}
	}
	return false
}

// guess is what children are if they follow a convention, and how many do. In a line a persistent znode of such a name
// has its place, too: the next one waits for it.
func (c *convention) guess(children []Child) (g Guess, n int) {
	g = Guess{Use: c.use, Whose: c.whose}
	for _, child := range children {
		p, named := c.place(child)
		if alike := c.lasts == (child.Owner == 0); named && (alike || c.use.Line()) {
			g.Places = append(g.Places, p)
			if alike {
				n++
			}
		}
	}
	g.Others = len(children) - len(g.Places)
	if c.sibling != "" {
		g.Others--
	}
	return g, n
}

// needs reports whether a child is what has to be beside those that are named like that.
func (c *convention) needs(child Child) bool {
	return child.Owner == 0 && c.sibling != "" && child.Name == c.sibling
}

func (c *convention) matches(name string) bool {
	return strings.Contains(name, c.has) && c.name.MatchString(name)
}

// place is what a child is if it is named like that.
func (c *convention) place(child Child) (Place, bool) {
	if !c.matches(child.Name) {
		return Place{}, false
	}
	p := Place{Child: child, Number: event.Number(child.Name)}
	if read := c.name.SubexpIndex("read"); read >= 0 {
		p.Reads = c.name.FindStringSubmatchIndex(child.Name)[2*read] >= 0
	}
	return p, true
}

// settle puts the places in order, and says who is inside and who waits for whom. A znode without an owner lets nobody
// in.
func (g *Guess) settle() {
	slices.SortStableFunc(g.Places, func(a, b Place) int { return a.key().compare(b.key()) })
	l := newLine(g.Use)
	for i := range g.Places {
		l.next(&g.Places[i])
	}
}

// line says of one place after the other who is inside, and who waits for whom.
type line struct {
	use    Use
	n      int // places before
	writes int // which of them is the last that asks to write; -1 for none
}

func newLine(use Use) line { return line{use: use, writes: -1} }

func (l *line) next(p *Place) {
	p.After = -1
	switch {
	case l.use == ReadWrite && p.Reads:
		p.After = l.writes
	case l.use.ordered():
		p.After, l.writes = l.n-1, l.n
	}
	p.Inside = l.use != Queue && p.After < 0 && p.Child.Owner != 0
	l.n++
}

// ordered reports whether at most those at the front are inside.
func (u Use) ordered() bool { return u == Unknown || u.Line() }
