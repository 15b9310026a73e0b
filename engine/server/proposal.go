package server

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/znode"
	"github.com/zkviz/zkviz/engine/zoo"
)

// proposalKind is what a proposal is about.
type proposalKind uint8

const (
	toWrite proposalKind = iota
	toFail               // a write that never reaches the tree, but takes a zxid
	toOpen
	toEnd
)

// Proposal is a transaction that is to be agreed on. Nobody changes it once it was proposed. It is a zab.Txn.
type Proposal struct {
	kind    proposalKind
	txn     znode.Txn
	op      event.Op
	code    zoo.Code // of toFail
	actor   event.Actor
	timeout time.Duration // of toOpen
	reason  event.Reason  // of toEnd and toWrite: why
	origin  int           // the server that was asked, 0 for the leader itself
	token   int64         // of that server

	// Told are the events that the transaction and its changes were told of by, for those who tell of what follows
	// from them: the first is the transaction's.
	Told []event.Seq
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

// Bytes is about how much room the proposal takes in a log.
func (p *Proposal) Bytes() int {
	n := 64 + len(p.txn.Path) + len(p.txn.Data)
	for i := range p.txn.Ops {
		n += 64 + len(p.txn.Ops[i].Path) + len(p.txn.Ops[i].Data)
	}
	return n
}

// Describe says in an event what is proposed.
func (p *Proposal) Describe(e *event.Event) {
	e.Op, e.Path, e.Session, e.Peer = p.op, p.txn.Path, p.txn.Session, p.actor
	if p.kind == toOpen || p.kind == toEnd {
		e.Path = ""
	}
}
