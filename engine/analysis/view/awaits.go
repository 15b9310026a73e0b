package view

import "github.com/zkviz/zkviz/engine/event"

// Awaits returns the place in a line that the one at index i waits for, or -1, and the watch that shows it. A client
// waits for the owner of the znode that it watches; if it watches the list of children, it waits for those who are
// inside. Without a known watch Awaits assumes the place ahead; Sibling.Watches tells whether the recipe does that.
func (s *State) Awaits(line *Siblings, i int) (at int, by Watched) {
	p := &line.Places[i]
	n := s.Tree.Node(p.Path)
	c := s.Clients.Get(n.Creator)
	if p.After < 0 || c == nil {
		return p.After, WatchUnknown
	}
	armed := func(path string, kind event.Watch) bool {
		return s.Watches.armed(c, event.Event{Path: path, Peer: n.Creator, Watch: kind}) > 0
	}
	list := parent(p.Path)
	switch {
	case armed(line.Places[p.After].Path, event.NoWatch):
		return p.After, WatchThere
	case armed(line.Places[0].Path, event.NoWatch):
		return 0, WatchFirst
	case armed(list, event.ChildWatch), armed(list, event.PersistentWatch):
		return line.lastInside(p.After), WatchList
	}
	for at := list; at != ""; at = parent(at) {
		if armed(at, event.RecursiveWatch) {
			return line.lastInside(p.After), WatchList
		}
	}
	return p.After, WatchUnknown
}

// Behind reports whether the client at index i may wait for others than the one ahead of it: the one ahead isn't
// inside, and some recipes with such znode names don't watch their predecessor.
func (f *Siblings) Behind(i int) bool {
	p := &f.Places[i]
	return !p.Watches && p.After != f.lastInside(p.After)
}

// lastInside returns the last place at the front of the line, up to most, that doesn't wait; the first if all wait.
func (f *Siblings) lastInside(most int) (i int) {
	for i < most && f.Places[i+1].Part != Waits && f.Places[i+1].Part != Later {
		i++
	}
	return i
}
