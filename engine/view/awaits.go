package view

import "github.com/zkviz/zkviz/engine/event"

// Awaits returns which of the places in a line the one at an index waits for, -1 for none, and by which watch that's
// known. A client waits for the one whose znode it watches; if it watches the list of all, it waits for those who are
// inside. Without a known watch it's the one ahead: whether that's so is up to Sibling.Watches.
func (s *State) Awaits(line *Siblings, i int) (at int, by Watched) {
	p := &line.Places[i]
	n := s.Node(p.Path)
	c := s.Client(n.Creator)
	if p.After < 0 || c == nil {
		return p.After, WatchUnknown
	}
	armed := func(path string, kind event.Watch) bool {
		return s.armed(c, event.Event{Path: path, Peer: n.Creator, Watch: kind}) > 0
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

// Behind reports whether the one at an index may wait for others than the one that it comes after: that one isn't
// inside, and not everybody who names znodes like that watches who is ahead.
func (f *Siblings) Behind(i int) bool {
	p := &f.Places[i]
	return !p.Watches && p.After != f.lastInside(p.After)
}

// lastInside returns the last of those at the front of a line who don't wait, up to a place; the first if all wait.
func (f *Siblings) lastInside(most int) (i int) {
	for i < most && f.Places[i+1].Part != Waits && f.Places[i+1].Part != Later {
		i++
	}
	return i
}
