package view

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// Txn is a transaction as its leader proposed it. It may be in no log, and it may be lost.
type Txn struct {
	_      Incomparable
	Zxid   int64
	Op     event.Op
	Who    event.Actor // the client that created the znode, for a delete; else the one that asked
	Path   string      // as asked: without its number if it was to get one
	Data   string      // the start of the data
	Was    string      // the data before, as of the proposal
	Failed bool        // it changes nothing
}

// mostTxns is the number of transactions that Txns holds.
const mostTxns = 24

// Txns holds the last transactions that were proposed, in the order of their proposals. It is small, so that a State
// can copy it.
type Txns struct {
	list [mostTxns]Txn
	n    int8
}

// Of returns the transaction with that zxid, if it is still kept.
func (t *Txns) Of(zxid int64) (Txn, bool) {
	for i := t.n - 1; i >= 0; i-- {
		if t.list[i].Zxid == zxid {
			return t.list[i], true
		}
	}
	return Txn{}, false
}

// add records a proposal.
func (t *Txns) add(e event.Event, tree *Tree) {
	x := Txn{Zxid: e.Zxid, Op: e.Op, Who: e.Peer, Path: e.Path, Data: e.Text, Failed: e.Code != 0}
	if n := tree.Node(e.Path); n != nil {
		x.Was = n.Data
		if e.Op == event.Delete && n.Creator != 0 {
			x.Who = n.Creator
		}
	}
	push(t.list[:], &t.n, x)
}

// carried reports whether a transaction has changed anything.
func (m *Ensemble) carried(x *Txn) bool { return !x.Failed && !m.InDoubt(x.Zxid) }

// Recalls reports whether every transaction that was proposed after z is kept, so that DataAt and HasAt know what a
// server had that has applied everything up to z.
func (m *Ensemble) Recalls(z int64) bool {
	first := m.Txns.list[0].Zxid
	return z >= m.agreed || first != 0 && (first <= z+1 || first == 1<<32|1)
}

// LastSet returns the znode whose data a transaction changed last, "" if none is known to have.
func (m *Ensemble) LastSet() string {
	for i := m.Txns.n - 1; i >= 0; i-- {
		if x := &m.Txns.list[i]; x.Op == event.Set && m.carried(x) {
			return x.Path
		}
	}
	return ""
}

// DataAt returns the data of a znode that LastSet named, as a server that has applied everything up to z has it if
// Recalls knows.
func (m *Ensemble) DataAt(path string, z int64) (data string) {
	for i := m.Txns.n - 1; i >= 0; i-- {
		x := &m.Txns.list[i]
		switch {
		case x.Op != event.Set || x.Path != path || !m.carried(x):
		case x.Zxid <= z:
			return x.Data
		default:
			data = x.Was
		}
	}
	return data
}

// HasAt reports whether a client has a znode below dir in the copy of a server, if Recalls knows.
func (s *State) HasAt(c event.Actor, dir string, at *Server) bool {
	m, has := &s.Ensemble, false
	for i := m.Txns.n - 1; i >= 0; i-- {
		x := &m.Txns.list[i]
		made := x.Op == event.Create && strings.HasPrefix(x.Path, dir+"/")
		gone := x.Op == event.Delete && strings.HasPrefix(x.Path, dir+"/")
		switch {
		case x.Who != c || !made && !gone && x.Op != event.CloseSession || !m.carried(x):
		case at.Applied(x.Zxid):
			return made
		default:
			has = gone // so it was there before
		}
	}
	for i := range s.Tree.Nodes {
		n := &s.Tree.Nodes[i]
		has = has || n.Creator == c && !n.Gone && at.Applied(n.Czxid) && strings.HasPrefix(n.Path, dir+"/")
	}
	return has
}
