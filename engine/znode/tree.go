// Package znode is ZooKeeper's state machine, pure: the tree of znodes, which session owns which, and the
// watches on them. Transactions go in one after the other; results, changes and watch events come out.
//
// It knows no clock, no network and no client: engine/sim feeds it. What it does follows Apache ZooKeeper
// 3.8.
package znode

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Tree is the replicated state. Apply is the only way to change it.
type Tree struct {
	nodes map[string]*node
	owned map[int64][]string // session to its ephemerals, in the order they were made
	zxid  int64
}

type node struct {
	parent  *node
	data    []byte
	stat    zoo.Stat // without the fields that derive from the children
	creates int32    // children ever created here: the sequence counter
	kids    []string // names, sorted
	lent    bool     // kids was handed out and must be copied before it changes
	mode    zoo.CreateMode
}

// New is a tree as a fresh server has it.
func New() *Tree {
	t := &Tree{nodes: make(map[string]*node), owned: make(map[int64][]string)}
	root := &node{}
	t.nodes["/"] = root
	for _, path := range []string{"/zookeeper", "/zookeeper/config", "/zookeeper/quota"} {
		dir, name := split(path)
		parent := t.nodes[dir]
		t.nodes[path] = &node{parent: parent}
		parent.addKid(name)
	}
	return t
}

// Zxid is the number of the last transaction.
func (t *Tree) Zxid() int64 { return t.zxid }

// Stat is the znode's metadata, and whether there is one at path.
func (t *Tree) Stat(path string) (zoo.Stat, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return zoo.Stat{}, false
	}
	return n.status(), true
}

// Data is the znode's data, shared: nil and empty are kept apart.
func (t *Tree) Data(path string) ([]byte, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return nil, false
	}
	return n.data, true
}

// Children is the names of the znode's children, sorted. The slice stays as it is when the tree changes.
func (t *Tree) Children(path string) ([]string, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return nil, false
	}
	n.lent = true
	return n.kids, true
}

// Ephemerals is the paths that the session owns, in the order they were made.
func (t *Tree) Ephemerals(session int64) []string { return slices.Clone(t.owned[session]) }

// status fills in what a reader sees of the counters. The child version counts creations and deletions,
// and only creations are stored.
func (n *node) status() zoo.Stat {
	s := n.stat
	s.NumChildren = int32(len(n.kids))
	s.Cversion = 2*n.creates - s.NumChildren
	s.DataLength = int32(len(n.data))
	return s
}

// addKid and dropKid leave every list that was handed out as it is. Queues grow at the end and shrink at
// the front, and for these two nothing need be copied.

func (n *node) addKid(name string) {
	i, _ := slices.BinarySearch(n.kids, name)
	if i == len(n.kids) {
		n.kids = append(n.kids, name)
		return
	}
	n.ownKids()
	n.kids = slices.Insert(n.kids, i, name)
}

func (n *node) dropKid(name string) {
	i, ok := slices.BinarySearch(n.kids, name)
	switch {
	case !ok:
	case i == 0:
		n.kids = n.kids[1:]
	default:
		n.ownKids()
		n.kids = slices.Delete(n.kids, i, i+1)
	}
}

func (n *node) ownKids() {
	if n.lent {
		n.kids, n.lent = slices.Clone(n.kids), false
	}
}

// split cuts a path that has a slash into its parent's path and its name.
func split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	if i == 0 {
		return "/", path[1:]
	}
	return path[:i], path[i+1:]
}
