package view

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
)

// Part is a znode's role among its siblings, as far as it shows from outside. What its owner knows about that is
// its Belief.
type Part uint8

const (
	Apart  Part = iota // nothing
	First              // first of numbered siblings, whose meaning isn't known
	Later              // likewise, but not the first
	Inside             // it holds what the others wait for, or a share of it
	Leads              // it is inside, in an election
	Waits              // for one before it
	Item               // an item of a queue: it waits for nobody
	Member             // a member of a group
	Unsure             // nobody can tell whether it is inside: see Kin.Doubt
)

// Kin describes a znode's relation to its siblings.
type Kin struct {
	Part   Part
	Nth    int        // its place in their order, from 0
	All    int        // how many siblings there are
	Inside int        // how many of them are Inside, lead or are members
	After  string     // the path of the znode that it comes after, empty for none
	Use    naming.Use // their purpose, judging by their names; empty if no known recipe names znodes like that
	Whose  string     // the recipe that names znodes like that
	Doubt  naming.Doubt
}

// Shared reports whether several clients may be inside at a time.
func (k *Kin) Shared() bool { return k.Use.Shared() }

// Siblings lists the children of one znode that are related to each other, in their order.
type Siblings struct {
	Use    naming.Use
	Whose  string
	Inside int // how many of them are Inside, lead or are members
	Places []Sibling
}

// Sibling is one of the Siblings.
type Sibling struct {
	Path  string
	Part  Part
	After int // the index of the place that it comes after, -1 for none
	Doubt naming.Doubt
	// Watches means that by its recipe it watches the znode that it comes after.
	Watches bool
	Stray   bool // it has no session and can't hold anything: it waits for nobody
}

// Siblings returns the children of the znode at a path, as Kin sees them. For a semaphore with a folder for its
// permits, it returns the permits. The result is valid until the State changes.
func (s *State) Siblings(of string) *Siblings {
	if f := s.family(of); len(f.Places) > 0 {
		return &f.Siblings
	}
	return &s.family(naming.Seats(of)).Siblings
}

// Kin returns how the znode at path relates to its siblings. It guesses by their names; if no known recipe names
// znodes like that, it goes by their numbers.
func (s *State) Kin(path string) Kin {
	f := s.family(parent(path))
	i, there := f.find[path]
	if !there {
		return Kin{}
	}
	p := &f.Places[i]
	k := Kin{Part: p.Part, Nth: i, All: len(f.Places), Inside: f.Inside, Use: f.Use, Whose: f.Whose, Doubt: p.Doubt}
	if p.After >= 0 {
		k.After = f.Places[p.After].Path
	}
	return k
}

// family holds siblings with an index.
type family struct {
	Siblings
	find     map[string]int
	doubtful bool // their roles may change with the watches
}

// family works out how the children of a znode relate to each other. The result stays until a child comes or goes.
func (s *State) family(of string) *family {
	if f := s.Tree.families[of]; f != nil {
		return f
	}
	f := &family{find: map[string]int{}}
	f.Siblings, f.doubtful = s.among(of)
	for i := range f.Places {
		f.find[f.Places[i].Path] = i
	}
	if s.Tree.families == nil {
		s.Tree.families = map[string]*family{}
	}
	s.Tree.families[of] = f
	return f
}

// among returns the children of a znode that have a place by their names, or at least by their numbers.
func (s *State) among(of string) (f Siblings, doubtful bool) {
	up := s.Tree.Node(of)
	g := naming.Of(s.Tree.children(of), s.Tree.door(of), up != nil && up.readers)
	known := g.Whose != ""
	f.Whose = g.Whose
	if known {
		f.Use = g.Use
	}
	home, _ := naming.Home(of)
	isDoor := known && g.Use.Line() && s.Tree.opens(home, of)
	dir := strings.TrimSuffix(of, "/") + "/"
	for i := range g.Places {
		p := &g.Places[i]
		if isDoor {
			p.Inside = false // it is the next to get a permit
		}
		doubtful = doubtful || p.Doubt != ""
		s.resolve(dir, g.Places, p)
		if p.Inside && known {
			f.Inside++
		}
		f.Places = append(f.Places, Sibling{dir + p.Child.Name, partOf(g.Use, p), p.After, p.Doubt, p.Watches,
			p.Stray})
	}
	return f, doubtful
}

// Group returns the path of what the children of a folder belong to: the semaphore if they are its permits or wait
// at its door, else the folder itself.
func (s *State) Group(folder string) (at string, waits bool) {
	home, ok := naming.Home(folder)
	switch {
	case !ok:
	case s.Tree.opens(home, folder):
		return home, true
	case folder == naming.Seats(home) && s.family(folder).Use == naming.Semaphore:
		return home, false
	}
	return folder, false
}

// resolve decides whether one that may be inside is, as far as the log tells.
func (s *State) resolve(dir string, places []naming.Place, p *naming.Place) {
	if p.Doubt == "" && !p.Inside {
		return
	}
	c := handover.Contender{Place: *p}
	c.Overdue = s.Clients.doubts(s.Tree.Node(dir + p.Child.Name))
	if p.Doubt != "" {
		c.Awaits, c.Looked = s.looked(dir, places, p)
	}
	c.Settle()
	*p = c.Place
}

// looked returns the place, from 1, of another one of the line whose znode a client watches, 0 if none is known, and
// whether the client has had the time to look who is there and all that it watches is known.
func (s *State) looked(dir string, places []naming.Place, p *naming.Place) (awaits int, looked bool) {
	n, up := s.Tree.Node(dir+p.Child.Name), s.Tree.Node(strings.TrimSuffix(dir, "/"))
	c, t := s.Clients.Get(n.Creator), s.Header.Host.Traits()
	if c == nil || !t.Visitors && s.Watches.Asked == 0 {
		return 0, false
	}
	for i := range places {
		at := dir + places[i].Child.Name
		if places[i].Child.Name != p.Child.Name &&
			(s.Watches.armed(c, event.Event{Path: at, Peer: n.Creator}) > 0 || c.lapsed == at) {
			return i + 1, true
		}
	}
	if at := s.Tree.Node(c.lapsed); at != nil && !at.Gone {
		return 0, false // it may be waiting too
	}
	const look = handover.LookMS * time.Millisecond
	w := &s.Watches
	asked := !w.AskedPart && n.Created+look <= w.Asked && (up == nil || up.ChildGone+look <= w.Asked)
	return 0, t.Visitors || asked
}

func partOf(use naming.Use, p *naming.Place) Part {
	switch {
	case p.Doubt != "":
		return Unsure
	case use == naming.Unknown && p.After < 0:
		return First
	case use == naming.Unknown:
		return Later
	case use == naming.Queue:
		return Item
	case use == naming.Members || use == naming.Barrier:
		return Member
	case p.Inside && use == naming.Election:
		return Leads
	case p.Inside:
		return Inside
	case p.After < 0 && use.Line():
		return First
	}
	return Waits
}
