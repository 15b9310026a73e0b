package view

import (
	"strings"

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
	if f := s.families[of]; f != nil {
		return f
	}
	f := &family{find: map[string]int{}}
	f.Siblings, f.doubtful = s.among(of)
	for i := range f.Places {
		f.find[f.Places[i].Path] = i
	}
	if s.families == nil {
		s.families = map[string]*family{}
	}
	s.families[of] = f
	return f
}

// below returns the range of Nodes, in order, that contains all children of a znode.
func (s *State) below(parent string) []Node {
	prefix := strings.TrimSuffix(parent, "/") + "/"
	from, _ := s.findNode(prefix)
	to, _ := s.findNode(prefix[:len(prefix)-1] + "0") // '0' is the character after the slash
	return s.Nodes[from:to]
}

// children returns the children of a znode.
func (s *State) children(of string) (list []naming.Child) {
	dir := strings.TrimSuffix(of, "/") + "/"
	for _, nodes := range [2][]Node{s.below(of), s.strays.nodes} {
		for i := range nodes {
			if n := &nodes[i]; !n.Gone && !n.Untold && parent(n.Path) == of {
				list = append(list, naming.Child{Name: n.Path[len(dir):], Owner: n.Owner, Zxid: n.Czxid,
					Plain: naming.Plain(n.Mode, n.Owner)})
			}
		}
	}
	return list
}

// among returns the children of a znode that have a place by their names, or at least by their numbers.
func (s *State) among(of string) (f Siblings, doubtful bool) {
	up := s.Node(of)
	g := naming.Of(s.children(of), s.door(of), up != nil && up.readers)
	known := g.Whose != ""
	f.Whose = g.Whose
	if known {
		f.Use = g.Use
	}
	home, _ := naming.Home(of)
	isDoor := known && g.Use.Line() && s.opens(home, of)
	dir := strings.TrimSuffix(of, "/") + "/"
	for i := range g.Places {
		p := &g.Places[i]
		if isDoor {
			p.Inside = false // it is the next to get a permit
		}
		doubtful = doubtful || p.Doubt != ""
		s.resolve(dir, g.Places, p)
		if p.Inside && s.doubted(dir+p.Child.Name) {
			p.Inside, p.Doubt = false, naming.Overdue
		}
		if p.Inside && known {
			f.Inside++
		}
		f.Places = append(f.Places, Sibling{dir + p.Child.Name, partOf(g.Use, p), p.After, p.Doubt, p.Watches,
			p.Stray})
	}
	return f, doubtful
}

// door returns who waits at the door of the semaphore whose permits are in a folder, if the folder is one.
func (s *State) door(of string) (d naming.Door) {
	n := s.Node(of)
	d.Open = n != nil && !n.Gone && naming.Permits(n.Data)
	for _, at := range naming.Doors(of) {
		if n := s.Node(at); at == "" || n == nil || n.Gone {
			continue
		}
		d.Open = true
		if line := naming.Of(s.children(at), naming.Door{}, false); len(line.Places) > 0 {
			d.Session, d.Zxid = line.Places[0].Child.Owner, line.Places[0].Child.Zxid
		}
	}
	return d
}

// Group returns the path of what the children of a folder belong to: the semaphore if they are its permits or wait
// at its door, else the folder itself.
func (s *State) Group(folder string) (at string, waits bool) {
	home, ok := naming.Home(folder)
	switch {
	case !ok:
	case s.opens(home, folder):
		return home, true
	case folder == naming.Seats(home) && s.family(folder).Use == naming.Semaphore:
		return home, false
	}
	return folder, false
}

// opens reports whether a folder is the door of the semaphore at a path.
func (s *State) opens(at, folder string) bool {
	for _, seats := range [...]string{at, naming.Seats(at)} {
		for _, door := range naming.Doors(seats) {
			if at != "" && door == folder && s.hasPermits(seats) {
				return true
			}
		}
	}
	return false
}

// hasPermits reports whether the children of a znode are permits of a semaphore, if it has a door. The result stays
// until a child comes or goes.
func (s *State) hasPermits(of string) bool {
	is, known := s.permits[of]
	if !known {
		is = naming.Of(s.children(of), naming.Door{Open: true}, false).Use == naming.Semaphore
		if s.permits == nil {
			s.permits = map[string]bool{}
		}
		s.permits[of] = is
	}
	return is
}

// resolve settles a doubt by the client's watches, where they are known: a client that still waits watches another
// znode of the line.
func (s *State) resolve(dir string, places []naming.Place, p *naming.Place) {
	if p.Doubt == "" || p.Doubt == naming.Gathering {
		return
	}
	n, up := s.Node(dir+p.Child.Name), s.Node(strings.TrimSuffix(dir, "/"))
	who := n.Creator
	c := s.Client(who)
	t := s.Header.Host.Traits()
	asked := s.Asked > 0 && n.Created < s.Asked && (up == nil || up.ChildGone < s.Asked)
	if c == nil || !t.Visitors && !asked {
		return
	}
	for i := range places {
		other := &places[i]
		at := dir + other.Child.Name
		if other.Child.Name != p.Child.Name && (s.armed(c, event.Event{Path: at, Peer: who}) > 0 || c.lapsed == at) {
			p.Doubt, p.After = "", i
			return
		}
	}
	if at := s.Node(c.lapsed); at != nil && !at.Gone {
		return // it may be waiting too
	}
	if t.Visitors || !s.AskedPart {
		p.Inside, p.Doubt = true, ""
	}
}

// doubted reports whether a znode's session may have expired before its client could get in by it.
func (s *State) doubted(path string) bool {
	n := s.Node(path)
	c := s.Client(n.Creator)
	return c != nil && c.Overdue && c.Session == n.Owner && !n.Held
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

// regroup forgets the relations among the siblings of a path, and among those of a semaphore that it may belong to.
func (s *State) regroup(path string) {
	delete(s.families, path)
	up := parent(path)
	delete(s.families, up)
	if _, known := s.permits[up]; known {
		delete(s.permits, up)
		for _, door := range naming.Doors(up) {
			delete(s.families, door)
		}
	}
	for _, folder := range [...]string{path, up} {
		if home, ok := naming.Home(folder); ok {
			delete(s.families, home)
			delete(s.families, naming.Seats(home))
			delete(s.families, folder)
		}
	}
}

// rethink forgets the relations among siblings that depend on watches.
func (s *State) rethink() {
	for of, f := range s.families {
		if f.doubtful {
			delete(s.families, of)
		}
	}
}
