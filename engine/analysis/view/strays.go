package view

import "slices"

// strays holds nodes whose insertion into Tree.Nodes would move many others. Order inserts them all at once. The
// zero value is empty.
type strays struct {
	nodes []Node
	index map[string]int // by path
}

func (s *strays) find(path string) *Node {
	if len(s.nodes) == 0 {
		return nil
	}
	if i, ok := s.index[path]; ok {
		return &s.nodes[i]
	}
	return nil
}

func (s *strays) add(n Node) *Node {
	if s.index == nil {
		s.index = make(map[string]int)
	}
	s.index[n.Path] = len(s.nodes)
	s.nodes = append(s.nodes, n)
	return &s.nodes[len(s.nodes)-1]
}

// Order sorts Nodes. Callers of Apply call it before they read Nodes; copies and the States of a History are in order.
func (t *Tree) Order() {
	if len(t.strays.nodes) == 0 {
		return
	}
	var paths []string
	for i := range t.strays.nodes {
		paths = append(paths, t.strays.nodes[i].Path)
	}
	slices.Sort(paths)
	i := len(t.Nodes) - 1
	t.Nodes = append(t.Nodes, t.strays.nodes...)
	for k := len(t.Nodes) - 1; len(paths) > 0; k-- { // from the end, where there is room
		last := paths[len(paths)-1]
		if i >= 0 && t.Nodes[i].Path > last {
			t.Nodes[k] = t.Nodes[i]
			i--
			continue
		}
		t.Nodes[k] = *t.strays.find(last)
		paths = paths[:len(paths)-1]
	}
	t.strays = strays{}
}
