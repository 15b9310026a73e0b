package panes

import (
	"sort"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// crowd is what stands at one path: znodes that may be a queue, a lock, members and so on, or an ephemeral znode
// without a number.
type crowd struct {
	path string
	n    int
}

// maxSingles is the maximum number of ephemeral siblings without numbers, and of unknown names, that count separately.
const maxSingles = 5

// crowdsOf returns the crowds, the largest first.
func crowdsOf(s *view.State) []crowd {
	numbered, named := map[string]int{}, map[string][]string{}
	for i := range s.Tree.Nodes {
		n := &s.Tree.Nodes[i]
		p := parentOf(n.Path)
		group, waits := s.Group(p)
		switch {
		case n.Gone || p == "" || waits:
		case n.Number >= 0:
			numbered[group]++
		case n.Owner != 0:
			named[group] = append(named[group], n.Path)
		}
	}
	var all []crowd
	for p, n := range numbered {
		all = append(all, crowd{p, n})
	}
	for p, paths := range named {
		switch {
		case numbered[p] > 0: // they are secondary
		case len(paths) > maxSingles || s.Siblings(p).Use.AtOnce():
			all = append(all, crowd{p, len(paths)})
		default:
			for _, path := range paths {
				all = append(all, crowd{path, 1})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].n != all[j].n {
			return all[i].n > all[j].n
		}
		return all[i].path < all[j].path
	})
	return all
}

// choose returns the path of the crowd to show: the one at the selection, or the one shown before unless another is far
// larger; initially the largest.
func choose(s *view.State, all []crowd, selected, shown string) string {
	if at := standsAt(s, all, selected); at != "" {
		return at
	}
	if len(all) == 0 {
		return shown
	}
	if most := all[0]; shown == "" || shown != selected && (!there(s, shown) || most.n >= far*max(2, sizeOf(all, shown))) {
		return most.path
	}
	return shown
}

// far is how many times as large another crowd must be.
const far = 2

func there(s *view.State, path string) bool {
	n := s.Tree.Node(path)
	return n != nil && !n.Gone
}

func sizeOf(all []crowd, path string) int {
	for _, c := range all {
		if c.path == path {
			return c.n
		}
	}
	return 0
}

// standsAt returns the crowd of the selection, or "".
func standsAt(s *view.State, all []crowd, selected string) string {
	if a, ok := ParseClient(selected); ok {
		return ownsAt(s, s.Clients.Get(a))
	}
	if sizeOf(all, selected) > 0 {
		return selected
	}
	n := s.Tree.Node(selected)
	switch {
	case n == nil:
		return ""
	case n.Number >= 0:
		group, _ := s.Group(parentOf(selected))
		return group
	case n.Owner == 0:
		return ""
	}
	if s.Siblings(parentOf(selected)).Use.AtOnce() {
		return parentOf(selected)
	}
	return selected
}

// ownsAt returns the crowd of a client's znode, preferably of a sequential one.
func ownsAt(s *view.State, c *view.Client) (at string) {
	if c == nil || c.Session == 0 {
		return ""
	}
	for i := range s.Tree.Nodes {
		n := &s.Tree.Nodes[i]
		if n.Gone || n.Owner != c.Session {
			continue
		}
		if n.Number >= 0 {
			group, _ := s.Group(parentOf(n.Path))
			return group
		}
		if at == "" {
			at = n.Path
		}
	}
	return at
}
