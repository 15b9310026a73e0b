package panes

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// line returns everybody in line for the group's lock, with what the log tells of their watches.
func (r *roster) line() handover.Line {
	l := handover.Line{Use: r.family.Use}
	add := func(path string, p naming.Place) *handover.Contender {
		c := handover.Contender{Node: handover.Node{Path: path, Session: r.state.Tree.Node(path).Owner}, Place: p}
		l.All = append(l.All, c)
		return &l.All[len(l.All)-1]
	}
	own := r.state.Tree.Node(r.g.path)
	switch {
	case own != nil && !own.Gone && own.Owner != 0:
		add(own.Path, naming.Place{Inside: true})
	case r.items():
		l.Use = naming.Queue
	case len(r.family.Places) == 0 && l.Use != naming.Semaphore:
		l.Use = naming.Members
		for _, path := range r.owned() {
			add(path, naming.Place{Inside: true})
		}
	}
	if len(l.All) == 0 && l.Use != naming.Queue {
		for i := range r.family.Places {
			p := &r.family.Places[i]
			inside := p.Part == view.Inside || p.Part == view.Leads || p.Part == view.Member ||
				p.Part == view.First && l.Use == naming.Unknown
			if l.Use == naming.Semaphore && !inside && p.Doubt == "" {
				continue // it is at the door
			}
			c := add(p.Path, naming.Place{Inside: inside, Doubt: p.Doubt, After: p.After, Stray: p.Stray})
			c.Held = p.Doubt != "" && r.g.holds(p.Path, r.seq)
		}
		for _, p := range r.door() {
			add(p.Path, naming.Place{}).AtDoor = true
		}
	}
	r.watches(&l)
	return l
}

// watches adds the watches, if they are known. A log has every watch that its clients set, or what servers reported.
// Once a child is deleted after the last report, another one may have the lock.
func (r *roster) watches(l *handover.Line) {
	t := r.state.Header.Host.Traits()
	every := t.Visitors || t.Recipe
	if len(l.All) == 0 || !every && r.state.Watches.Asked == 0 {
		return
	}
	list := parentOf(l.All[0].Path)
	l.Outdated = !every && slices.ContainsFunc(append(r.folders(), list), func(at string) bool {
		n := r.state.Tree.Node(at)
		return n != nil && n.ChildGone >= r.state.Watches.Asked || n == nil && at == list
	})
	on := r.watchers(list, l.All)
	l.Others = on[list]
	l.Watchers = func(c *handover.Contender) []int64 { return on[c.Path] }
}

// watchers returns the sessions notified of the end of each contender that may be inside, and under their parent's path
// those notified of all.
func (r *roster) watchers(list string, line []handover.Contender) map[string][]int64 {
	all := map[string][]int64{list: nil}
	for i := range line {
		if c := &line[i]; i == 0 || c.Inside || c.Doubt != "" {
			all[c.Path] = nil
		}
	}
	for i := range r.state.Watches.List {
		w := &r.state.Watches.List[i]
		path := w.Path
		switch {
		case w.Kind == event.RecursiveWatch && strings.HasPrefix(list+"/", strings.TrimSuffix(path, "/")+"/"):
			path = list
		case path == list && w.Kind != event.ChildWatch && w.Kind != event.PersistentWatch:
			continue // a watch on the parent's data
		}
		told, wanted := all[path]
		if c := r.state.Clients.Get(w.Client); wanted && !w.Over && c != nil && c.Session != 0 && c.Ended == view.Alive &&
			!slices.Contains(told, c.Session) {
			all[path] = append(told, c.Session)
		}
	}
	return all
}

// holders returns the paths of the holders' znodes.
func (r *roster) holders() (paths []string) {
	for _, i := range r.now.Holding {
		paths = append(paths, r.now.All[i].Path)
	}
	return paths
}

// unsure returns the first that may or may not hold it, and how many there are.
func (r *roster) unsure() (first handover.Contender, n int) {
	if n = len(r.now.Unsure); n > 0 {
		first = r.now.All[r.now.Unsure[0]]
	}
	return first, n
}

// door returns the clients at the door of a semaphore, in order. The first may already have created its permit's znode.
func (r *roster) door() []view.Sibling {
	for _, at := range r.folders() {
		if r.family.Use == naming.Semaphore && at != r.g.path && r.state.Siblings(at).Use.Line() {
			return r.state.Siblings(at).Places
		}
	}
	return nil
}

// folders returns the folders whose children matter: of a semaphore, those of its permits and its possible doors.
func (r *roster) folders() []string {
	seats := naming.Seats(r.g.path)
	if r.state.Tree.Node(seats) == nil {
		seats = r.g.path
	}
	doors := naming.Doors(seats)
	return slices.DeleteFunc(append(doors[:], seats, r.g.path), func(at string) bool { return at == "" })
}
