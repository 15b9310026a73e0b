// Package znode implements ZooKeeper's state machine as pure code: the tree of znodes with their ACLs, the sessions
// that own them, and the watches on them. It takes transactions one at a time and returns results, changes and watch
// events.
//
// It has no clock, network or clients: engine/zookeeper/server feeds it. It behaves like Apache ZooKeeper 3.8,
// down to the error code.
package znode

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Tree is the replicated state. Only Apply changes it. It is not safe for concurrent use.
type Tree struct {
	// NoTTL refuses znodes with a time to live, like a ZooKeeper without extendedTypesEnabled. It is not part of the
	// state: set it before the first Apply.
	NoTTL bool
	// Limits limits the tree's size. They are not part of the state either. A tree that already exceeds them keeps its
	// znodes, but accepts nothing more.
	Limits Limits

	nodes     map[string]*node // includes the root as "", by which clients may read it
	owned     map[int64]owned  // by session
	mortal    map[string]*node // containers and znodes with a TTL
	counted   map[string]bool  // paths that /zookeeper/quota has limits for
	zxid      int64
	ephemeral int    // ephemerals of all sessions
	bytes     int64  // size of all paths and data
	held      int64  // see Limits.Bytes
	undone    []undo // scratch space for a multi
}

type node struct {
	parent  *node
	data    []byte
	acl     []zoo.ACL // nil grants everybody everything
	stat    zoo.Stat  // without the fields derived from the children and the data
	ttl     int64     // ms, 0 for none
	kids    *children
	creates int32 // children ever created: the sequence counter
	below   int32 // znodes at any depth below
	place   int32 // an ephemeral's index in its owner's list
	mode    zoo.CreateMode

	belowBytes int64 // data of the znodes below
}

// New returns the tree of a fresh server.
func New() *Tree {
	t := empty()
	for _, path := range fixtures() {
		n := &node{data: []byte{}}
		if path == "/" {
			t.add("", n)
		} else {
			dir, name := cut(path)
			n.parent = t.nodes[dir]
			n.parent.addKid(name)
		}
		t.add(path, n)
	}
	config := t.nodes["/zookeeper/config"]
	config.acl, config.stat.Aversion = zoo.ReadACL(), -1
	t.held += aclSize(config.acl)
	return t
}

// fixtures returns the znodes that every server has. They can't be deleted.
func fixtures() []string { return []string{"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"} }

func empty() *Tree {
	return &Tree{
		nodes:  make(map[string]*node),
		owned:  make(map[int64]owned),
		mortal: make(map[string]*node),
	}
}

// add and drop also update the counts, and the set of znodes that the timer may delete.

func (t *Tree) add(path string, n *node) {
	t.nodes[path] = n
	t.limits(path, true)
	t.bytes += weight(path, n)
	t.held += size(path, n)
	n.tellAbove(1, len(n.data))
	switch {
	case n.stat.EphemeralOwner != 0:
		t.ephemeral++
	case n.mode >= zoo.Container:
		t.mortal[path] = n
	}
}

func (t *Tree) drop(path string, n *node) {
	delete(t.nodes, path)
	t.limits(path, false)
	t.bytes -= weight(path, n)
	t.held -= size(path, n)
	n.tellAbove(-1, -len(n.data))
	switch {
	case n.stat.EphemeralOwner != 0:
		t.ephemeral--
	case n.mode >= zoo.Container:
		delete(t.mortal, path)
	}
}

// weight returns a znode's share of the data size. Java counts the characters of a path, not its bytes. The root
// counts once.
func weight(path string, n *node) int64 {
	if path == "" {
		return 0
	}
	return int64(utf8.RuneCountInString(path) + len(n.data))
}

// tellAbove updates the ancestors' counts of what is below them.
func (n *node) tellAbove(count int32, bytes int) {
	for n = n.parent; n != nil; n = n.parent {
		n.below += count
		n.belowBytes += int64(bytes)
	}
}

// refill replaces the data of a znode in the tree.
func (t *Tree) refill(n *node, data []byte) {
	more := len(data) - len(n.data)
	n.data = data
	if more != 0 {
		t.bytes += int64(more)
		t.held += int64(more)
		n.tellAbove(0, more)
	}
}

// Zxid returns the zxid of the last transaction.
func (t *Tree) Zxid() int64 { return t.zxid }

// SkipTo makes the next transaction's zxid the one after zxid, since each leader starts in an epoch of its own.
func (t *Tree) SkipTo(zxid int64) { t.zxid = zxid }

// NodeCount returns the number of znodes. Like ZooKeeper, it counts the root twice.
func (t *Tree) NodeCount() int { return len(t.nodes) }

// EphemeralCount returns the number of ephemeral znodes.
func (t *Tree) EphemeralCount() int { return t.ephemeral }

// DataSize returns the sum of the characters of all paths and the bytes of all data. ZooKeeper calls it the
// approximate data size.
func (t *Tree) DataSize() int64 { return t.bytes }

// status returns the Stat that readers see. Its child version counts creations and deletions, of which only creations
// are stored.
func (n *node) status() zoo.Stat {
	s := n.stat
	s.NumChildren = int32(n.kids.len())
	s.Cversion = 2*n.creates - s.NumChildren
	s.DataLength = int32(len(n.data))
	return s
}

func (n *node) addKid(name string) {
	if n.kids == nil {
		n.kids = new(children)
	}
	n.kids.add(name)
}

// cut splits a path that has a slash into its parent, "" for the root, and its name.
func cut(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:i], path[i+1:]
}

// parentOf returns the parent's path, "/" for the root.
func parentOf(path string) string {
	dir, _ := cut(path)
	return cmp.Or(dir, "/")
}
