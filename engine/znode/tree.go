// Package znode is ZooKeeper's state machine, pure: the tree of znodes with their ACLs, which session owns
// which, and the watches on them. Transactions go in one after the other; results, changes and watch events
// come out.
//
// It knows no clock, no network and no client: engine/server feeds it. What it does follows Apache ZooKeeper
// 3.8, to the error code.
package znode

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Tree is the replicated state. Apply is the only way to change it. It is for one goroutine at a time.
type Tree struct {
	// NoTTL refuses znodes with a time to live, as a ZooKeeper does that was not told extendedTypesEnabled.
	// It is not part of the state: set it before the first Apply.
	NoTTL bool
	// Limits bound what the tree may hold. They are not part of the state either: a tree that holds more when
	// they are set keeps it, and takes nothing more.
	Limits Limits

	nodes     map[string]*node // the root under "" as well, which clients may read it by
	owned     map[int64]owned  // by session
	mortal    map[string]*node // containers and those with a TTL
	counted   map[string]bool  // what has limits, by /zookeeper/quota
	zxid      int64
	ephemeral int    // of all sessions
	bytes     int64  // of all paths and data
	held      int64  // see Limits.Bytes
	undone    []undo // room for a multi's
}

type node struct {
	parent  *node
	data    []byte
	acl     []zoo.ACL // nil lets everybody do everything
	stat    zoo.Stat  // without the fields that derive from the children and the data
	ttl     int64     // ms, 0 for none
	kids    *children
	creates int32 // children ever created here: the sequence counter
	below   int32 // znodes at any depth below
	place   int32 // of an ephemeral, in its owner's list
	mode    zoo.CreateMode

	belowBytes int64 // of data in those below
}

// New is a tree as a fresh server has it.
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

// fixtures are the znodes that a server comes with and that cannot be deleted.
func fixtures() []string { return []string{"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"} }

func empty() *Tree {
	return &Tree{
		nodes:  make(map[string]*node),
		owned:  make(map[int64]owned),
		mortal: make(map[string]*node),
	}
}

// add and drop keep the figures and the lists of what may go by itself.

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

// weight is what a znode adds to the data size: Java counts the characters of a path, not the bytes. The root's
// data count once.
func weight(path string, n *node) int64 {
	if path == "" {
		return 0
	}
	return int64(utf8.RuneCountInString(path) + len(n.data))
}

// tellAbove adds to the figures that the znodes above keep of what is below them.
func (n *node) tellAbove(count int32, bytes int) {
	for n = n.parent; n != nil; n = n.parent {
		n.below += count
		n.belowBytes += int64(bytes)
	}
}

// refill gives a znode of the tree other data.
func (t *Tree) refill(n *node, data []byte) {
	more := len(data) - len(n.data)
	n.data = data
	if more != 0 {
		t.bytes += int64(more)
		t.held += int64(more)
		n.tellAbove(0, more)
	}
}

// Zxid is the number of the last transaction.
func (t *Tree) Zxid() int64 { return t.zxid }

// SkipTo has the next transaction be the one after zxid: a new leader's begin anew, in an epoch of their own.
func (t *Tree) SkipTo(zxid int64) { t.zxid = zxid }

// NodeCount is how many znodes there are, the root counted twice, as ZooKeeper counts.
func (t *Tree) NodeCount() int { return len(t.nodes) }

// EphemeralCount is how many of them go with a session.
func (t *Tree) EphemeralCount() int { return t.ephemeral }

// DataSize is the characters of all paths and the bytes of all data, which ZooKeeper calls the approximate
// data size.
func (t *Tree) DataSize() int64 { return t.bytes }

// status fills in what a reader sees of the counters. The child version counts creations and deletions,
// and only creations are stored.
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

// cut divides a path that has a slash into its parent, "" for the root, and its name.
func cut(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:i], path[i+1:]
}

// parentOf is the path of the znode above, with the root's usual name.
func parentOf(path string) string {
	dir, _ := cut(path)
	return cmp.Or(dir, "/")
}
