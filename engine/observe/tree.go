package observe

import (
	"path"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// tree holds the znodes that were found.
type tree struct {
	observer *observer
	root     string
	nodes    map[string]*observed // in the log, or to be read
	missing  bool                 // there is nothing at root
}

// observed is a znode that was found. It is in the log once it was read.
type observed struct {
	read       bool
	secret     bool // it may not be read
	wanted     bool // its data is wanted, where data is only read on request
	stat       zoo.Stat
	owner      *owner    // nil if none
	recalled   *recalled // unless this observer has read it itself
	children   []string  // known names, sorted
	childCount           // see its type
}

// put returns the znode, marked as unread if it is new.
func (t *tree) put(path string) *observed {
	n := t.nodes[path]
	if n == nil {
		n = &observed{}
		t.nodes[path] = n
	}
	return n
}

// addChild adds a znode to its parent's children.
func (t *tree) addChild(at string) {
	if n := t.nodes[parent(at)]; n != nil && at != t.root {
		if i, there := slices.BinarySearch(n.children, path.Base(at)); !there {
			n.children = slices.Insert(n.children, i, path.Base(at))
		}
	}
}

// dropChild removes a znode from its parent's children.
func (t *tree) dropChild(at string) {
	if n := t.nodes[parent(at)]; n != nil && at != t.root {
		if i, there := slices.BinarySearch(n.children, path.Base(at)); there {
			n.children = slices.Delete(n.children, i, i+1)
		}
	}
}

// remove logs the deletion of a znode and of everything below it. count says whether to count it as a change of the
// parent; a watch event has counted it already.
func (t *tree) remove(at string, count bool) {
	o := t.observer
	n := t.nodes[at]
	if n == nil {
		return
	}
	for _, name := range slices.Clone(n.children) {
		t.remove(path.Join(at, name), true)
	}
	delete(t.nodes, at)
	delete(o.lists.skipped, at)
	delete(o.omissions.byPath, at)
	delete(o.lists.unlisted, at)
	o.initial.done(at)
	t.dropChild(at)
	if n.read {
		if count {
			o.missed.countChild(at)
		}
		t.logDeletion(at, n.owner)
	}
}

// logDeletion logs that a znode is gone. An observer doesn't learn whether a client deleted it or its owner's session
// ended.
func (t *tree) logDeletion(at string, who *owner) {
	t.observer.log.emit(event.Event{Kind: event.ZnodeDeleted, Path: valid(at), Reason: event.ByUnknown,
		Peer: who.client()})
	t.observer.owners.removeZnode(who)
}

// mostSince bounds the siblings that can have come since the parent was read.
const mostSince = 100_000

// childrenMade returns the greatest number of children that a znode's parent can have had, 0 if unknown. Its cversion
// counts those that came and those that went.
func (t *tree) childrenMade(at string, found bool) int64 {
	up := t.nodes[parent(at)]
	if up == nil || !up.read || at == t.root {
		return 0
	}
	n := (int64(up.stat.Cversion) + int64(up.stat.NumChildren)) / 2
	if !found {
		n += mostSince
	}
	return max(n, 0)
}

func parent(p string) string { return path.Dir(p) }

// below reports whether the path is the observed znode's, or below it.
func (t *tree) below(p string) bool {
	rest, ok := strings.CutPrefix(p, strings.TrimSuffix(t.root, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// depth returns how many levels below the observed znode a path is.
func (t *tree) depth(p string) int {
	if p == t.root {
		return 0
	}
	return strings.Count(strings.TrimPrefix(p, strings.TrimSuffix(t.root, "/")), "/")
}

// valid returns the path as UTF-8, for the log.
func valid(path string) string { return strings.ToValidUTF8(path, "\uFFFD") }
