package view

import (
	"math"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// addChild counts a znode that was created below its parent. ZooKeeper numbers sequential znodes by that count,
// which never falls. A log that starts later can show a larger number. A smaller one is already included, since a
// log may hear of later znodes first.
func (t *Tree) addChild(e event.Event) {
	p := t.Node(parent(e.Path))
	if p == nil || p.Gone || e.Path == "" {
		return
	}
	if c := t.Node(e.Path); c == nil || c.Gone { // otherwise the log repeats it
		p.readers = naming.Recall(p.readers, naming.Child{Name: e.Path[strings.LastIndexByte(e.Path, '/')+1:],
			Owner: e.Session, Plain: naming.Plain(zoo.CreateMode(e.Mode), e.Session)}, p.Children == 0)
		p.Children++
	}
	n := event.Number(e.Path)
	switch sequential := n >= 0 && zoo.CreateMode(e.Mode).IsSequential(); {
	case sequential && n >= p.Next:
		p.Next, p.Numbers = n+1, true
	case !sequential:
		p.Next++
	}
	p.Next = min(p.Next, math.MaxInt32) // there are no greater ones
}

// removeChild counts a deleted child. What servers have forgotten never existed: a new leader counts on without it.
func (t *Tree) removeChild(e event.Event) {
	if p := t.Node(parent(e.Path)); p != nil && !p.Gone && e.Path != "" {
		p.Children = max(p.Children-1, 0)
		p.ChildGone = e.At
		if e.Reason == event.ByFailover {
			p.Next = max(p.Next-1, 0)
		}
	}
}

//go:noinline
func parent(path string) string {
	switch i := strings.LastIndexByte(path, '/'); {
	case i > 0:
		return path[:i]
	case i == 0 && path != "/":
		return "/"
	}
	return ""
}

// below returns the range of Nodes, in order, that contains all children of a znode.
func (t *Tree) below(parent string) []Node {
	prefix := strings.TrimSuffix(parent, "/") + "/"
	from, _ := t.index(prefix)
	to, _ := t.index(prefix[:len(prefix)-1] + "0") // '0' is the character after the slash
	return t.Nodes[from:to]
}

// children returns the children of a znode.
func (t *Tree) children(of string) (list []naming.Child) {
	dir := strings.TrimSuffix(of, "/") + "/"
	for _, nodes := range [2][]Node{t.below(of), t.strays.nodes} {
		for i := range nodes {
			if n := &nodes[i]; !n.Gone && !n.Untold && parent(n.Path) == of {
				list = append(list, naming.Child{Name: n.Path[len(dir):], Owner: n.Owner, Zxid: n.Czxid,
					Plain: naming.Plain(n.Mode, n.Owner)})
			}
		}
	}
	return list
}

// door returns who waits at the door of the semaphore whose permits are in a folder, if the folder is one.
func (t *Tree) door(of string) (d naming.Door) {
	n := t.Node(of)
	d.Open = n != nil && !n.Gone && naming.Permits(n.Data)
	for _, at := range naming.Doors(of) {
		if n := t.Node(at); at == "" || n == nil || n.Gone {
			continue
		}
		d.Open = true
		if line := naming.Of(t.children(at), naming.Door{}, false); len(line.Places) > 0 {
			d.Session, d.Zxid = line.Places[0].Child.Owner, line.Places[0].Child.Zxid
		}
	}
	return d
}

// opens reports whether a folder is the door of the semaphore at a path.
func (t *Tree) opens(at, folder string) bool {
	for _, seats := range [...]string{at, naming.Seats(at)} {
		for _, door := range naming.Doors(seats) {
			if at != "" && door == folder && t.hasPermits(seats) {
				return true
			}
		}
	}
	return false
}

// hasPermits reports whether the children of a znode are permits of a semaphore, if it has a door. The result stays
// until a child comes or goes.
func (t *Tree) hasPermits(of string) bool {
	is, known := t.permits[of]
	if !known {
		is = naming.Of(t.children(of), naming.Door{Open: true}, false).Use == naming.Semaphore
		if t.permits == nil {
			t.permits = map[string]bool{}
		}
		t.permits[of] = is
	}
	return is
}

// regroup forgets the relations among the siblings of a path, and among those of a semaphore that it may belong to.
func (t *Tree) regroup(path string) {
	delete(t.families, path)
	up := parent(path)
	delete(t.families, up)
	if _, known := t.permits[up]; known {
		delete(t.permits, up)
		for _, door := range naming.Doors(up) {
			delete(t.families, door)
		}
	}
	for _, folder := range [...]string{path, up} {
		if home, ok := naming.Home(folder); ok {
			delete(t.families, home)
			delete(t.families, naming.Seats(home))
			delete(t.families, folder)
		}
	}
}

// rethink forgets the relations among siblings that depend on watches.
func (t *Tree) rethink() {
	for of, f := range t.families {
		if f.doubtful {
			delete(t.families, of)
		}
	}
}
