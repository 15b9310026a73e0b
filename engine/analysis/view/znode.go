package view

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

func (s *State) applyZnode(e event.Event) {
	switch e.Kind {
	case event.ZnodeCreated:
		s.made = append(s.made, arrival{e.Seq, e.Peer})
		s.addChild(e)
		s.putNode(nodeOf(e))
	case event.ZnodeChanged:
		n := s.Node(e.Path)
		if n == nil { // it existed before the log began
			n = s.putNode(Node{Path: e.Path, Number: event.Number(e.Path), Untold: true})
		}
		if naming.Permits(n.Data) != naming.Permits(e.Text) {
			s.regroup(e.Path)
		}
		n.Mzxid, n.Changed, n.Data, n.Bytes = e.Zxid, e.At, e.Text, e.N
		n.Version++
	case event.ZnodeDeleted:
		s.deleteNode(e)
	case event.ZnodeFound:
		n := s.Node(e.Path)
		if e.Introduces() {
			s.addChild(e)
			n = s.putNode(nodeOf(e))
			n.Bytes = int64(e.Code)
		}
		if n != nil {
			n.Made = e.N
		}
	}
}

// nodeOf returns the znode that an event describes.
func nodeOf(e event.Event) Node {
	return Node{
		Path: e.Path, Mode: zoo.CreateMode(e.Mode), Owner: e.Session, Creator: e.Peer,
		Czxid: e.Zxid, Mzxid: e.Zxid, Bytes: e.N, Data: e.Text, Number: event.Number(e.Path),
		Created: e.At, Changed: e.At,
	}
}

// findNode returns the node's index in Nodes, or the index where it would go.
func (s *State) findNode(path string) (int, bool) {
	return slices.BinarySearchFunc(s.Nodes, path, func(n Node, p string) int { return strings.Compare(n.Path, p) })
}

// Node returns the znode at path, or nil; it may be Gone.
func (s *State) Node(path string) *Node {
	if i, there := s.findNode(path); there {
		return &s.Nodes[i]
	}
	return s.strays.find(path)
}

// farBack is how many nodes move up at most to make room for a new one.
const farBack = 256

// putNode adds a node, or replaces one that is gone.
func (s *State) putNode(n Node) *Node {
	s.regroup(n.Path)
	i, there := s.findNode(n.Path)
	old := s.strays.find(n.Path)
	switch {
	case there:
		old = &s.Nodes[i]
	case old != nil:
	case len(s.strays.nodes) == 0 && len(s.Nodes)-i <= farBack:
		s.Nodes = slices.Insert(s.Nodes, i, n)
		return &s.Nodes[i]
	default:
		if len(s.strays.nodes) > len(s.Nodes) {
			s.Order()
		}
		return s.strays.add(n)
	}
	if old.Gone {
		s.gone--
	}
	*old = n
	return old
}

func (s *State) deleteNode(e event.Event) {
	if n := s.Node(e.Path); n != nil && !n.Gone {
		n.Gone, n.GoneAt, n.Why = true, e.At, e.Reason
		s.regroup(e.Path)
		s.gone++
		s.removeChild(e)
	}
	if s.inside > 0 {
		s.evict(e.Path)
	}
	s.release(e)
}

// release starts a new release-over, unless the deletion belongs to the previous one: the nodes of one session or
// of one multi go together.
func (s *State) release(e event.Event) {
	if e.Peer == event.ZooKeeper && e.Reason == event.ByOp {
		return // the host sets up or cleans up
	}
	if n := len(s.Releases); n > 0 {
		h := &s.Releases[n-1]
		if h.By == e.Peer && h.At == e.At && h.Why == e.Reason && h.cause == e.Cause && e.Cause != 0 {
			h.last = e.Seq
			return
		}
	}
	s.Releases = append(s.Releases, Release{Seq: e.Seq, At: e.At, By: e.Peer, Why: e.Reason, last: e.Seq, cause: e.Cause})
}
