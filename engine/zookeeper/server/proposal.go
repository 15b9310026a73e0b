package server

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// proposalKind tells what a proposal does.
type proposalKind uint8

const (
	toWrite proposalKind = iota
	toFail               // a write that takes a zxid but never reaches the tree
	toOpen
	toEnd
)

// Proposal is a transaction to agree on. It is immutable once proposed. It is a zab.Txn.
type Proposal struct {
	kind    proposalKind
	txn     znode.Txn
	op      event.Op
	code    zoo.Code // for toFail
	actor   event.Actor
	timeout time.Duration // for toOpen
	reason  event.Reason  // for toEnd and toWrite
	origin  int           // the server that received the request, 0 for the leader's own
	token   int64         // that server's number for the request

	// Facts holds the events that recorded the transaction and its changes, as causes of what follows. The first is the
	// transaction's.
	Facts []event.Seq
}

// Digest tells proposals apart.
func (p *Proposal) Digest() uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, v := range [...]int64{int64(p.kind), p.txn.Session, int64(p.txn.Kind), int64(p.txn.Version), p.txn.TimeMS,
		int64(p.origin), p.token, int64(len(p.txn.Ops))} {
		binary.BigEndian.PutUint64(b[:], uint64(v))
		_, _ = h.Write(b[:])
	}
	_, _ = h.Write([]byte(p.txn.Path))
	_, _ = h.Write(p.txn.Data)
	return h.Sum64()
}

// Bytes returns the approximate size of the proposal in a log.
func (p *Proposal) Bytes() int {
	n := 64 + len(p.txn.Path) + len(p.txn.Data)
	for i := range p.txn.Ops {
		n += 64 + len(p.txn.Ops[i].Path) + len(p.txn.Ops[i].Data)
	}
	return n
}

// Describe fills in an event's fields about the proposal.
func (p *Proposal) Describe(e *event.Event) {
	e.Op, e.Path, e.Session, e.Peer, e.Code = p.op, p.txn.Path, p.txn.Session, p.actor, int32(p.code)
	e.Text = event.Preview(p.txn.Data)
	if p.kind == toOpen || p.kind == toEnd {
		e.Path = ""
	}
}
