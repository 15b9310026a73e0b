package view

import (
	"strings"

	"github.com/zkviz/zkviz/engine/naming"
)

// Part is what a znode is among its siblings, as far as it can be seen from outside: what its owner knows of that is
// its Belief.
type Part uint8

const (
	Apart  Part = iota // nothing
	First              // of those with numbers; whether that means anything is not known
	Later              // likewise, and not the first
	Inside             // it holds what the others wait for, or a part of it
	Leads              // it is inside, and that is called to lead
	Waits              // for one before it
	Item               // of a queue: it waits for nobody
	Member             // it is there, and that is all
)

// Kin is what a znode is to its siblings.
type Kin struct {
	Part   Part
	Nth    int        // its place in their order, from 0
	All    int        // how many there are of them
	Inside int        // how many of them are Inside, lead or are members
	After  string     // the path of the one that it comes after, empty for none
	Use    naming.Use // what they are for, by their names; empty if nobody is known who names znodes like that
	Whose  string     // who does
}

// Shared reports whether several may be inside at a time.
func (k *Kin) Shared() bool { return k.Use.Shared() }

// Siblings are the children of one znode that are anything to each other, in their order.
type Siblings struct {
	Use    naming.Use
	Whose  string
	Inside int // how many of them are Inside, lead or are members
	Places []Sibling
}

// Sibling is one of them.
type Sibling struct {
	Path  string
	Part  Part
	After int // which of the places before it it comes after, -1 for none
}

// Siblings returns those below the znode at a path, as Kin takes them. They are good until the State changes.
func (s *State) Siblings(of string) *Siblings { return &s.family(of).Siblings }

// Kin returns what the znode at path is to its siblings. It is a guess by their names; where nobody is known who names
// znodes like that, it goes by their numbers.
func (s *State) Kin(path string) Kin {
	f := s.family(parent(path))
	i, there := f.find[path]
	if !there {
		return Kin{}
	}
	p := &f.Places[i]
	k := Kin{Part: p.Part, Nth: i, All: len(f.Places), Inside: f.Inside, Use: f.Use, Whose: f.Whose}
	if p.After >= 0 {
		k.After = f.Places[p.After].Path
	}
	return k
}

// family is siblings with an index.
type family struct {
	Siblings
	find map[string]int
}

// family finds out what the children of a znode are to each other. It stays until one comes or goes.
func (s *State) family(of string) *family {
	if f := s.families[of]; f != nil {
		return f
	}
	var nodes []*Node
	for _, list := range [2][]Node{s.below(of), s.strays.nodes} {
		for i := range list {
			if n := &list[i]; !n.Gone && parent(n.Path) == of {
				nodes = append(nodes, n)
			}
		}
	}
	f := &family{Siblings: among(of, nodes), find: map[string]int{}}
	for i := range f.Places {
		f.find[f.Places[i].Path] = i
	}
	if s.families == nil {
		s.families = map[string]*family{}
	}
	s.families[of] = f
	return f
}

// below are the nodes in order among which all children of a znode are.
func (s *State) below(parent string) []Node {
	prefix := strings.TrimSuffix(parent, "/") + "/"
	from, _ := s.findNode(prefix)
	to, _ := s.findNode(prefix[:len(prefix)-1] + "0") // what comes after the slash
	return s.Nodes[from:to]
}

// among are those of some children that have a place by their names, or at least by their numbers.
func among(parent string, nodes []*Node) Siblings {
	dir := strings.TrimSuffix(parent, "/") + "/"
	children := make([]naming.Child, len(nodes))
	for i, n := range nodes {
		children[i] = naming.Child{Name: n.Path[len(dir):], Owner: n.Owner}
	}
	g, known := naming.Of(children)
	f := Siblings{Use: g.Use, Whose: g.Whose}
	if !known {
		g = naming.ByNumber(children)
	}
	for i := range g.Places {
		p := &g.Places[i]
		if p.Inside && known {
			f.Inside++
		}
		f.Places = append(f.Places, Sibling{Path: dir + p.Child.Name, Part: partOf(g.Use, p), After: p.After})
	}
	return f
}

func partOf(use naming.Use, p *naming.Place) Part {
	switch {
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
	case p.After < 0:
		return First
	}
	return Waits
}

// regroup forgets what the siblings of a path are to each other.
func (s *State) regroup(path string) { delete(s.families, parent(path)) }
