package virtual

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// Word is a transaction.
type Word string

// Digest returns a hash of the word.
func (w Word) Digest() uint64 {
	h := fnv.New64a()
	h.Write([]byte(w))
	return h.Sum64()
}

// Bytes returns the length of the word.
func (w Word) Bytes() int { return len(w) }

// Words is the state of a server: a list of words.
type Words struct {
	List []zab.Entry
	w    *World
	id   zab.ID
}

// Restore loads the words of a snapshot.
func (a *Words) Restore(s zab.Snapshot) {
	a.List = nil
	for b := s.State; len(b) > 0; {
		n := int(b[8])
		a.List = append(a.List, zab.Entry{Zxid: zab.Zxid(binary.BigEndian.Uint64(b)), Txn: Word(b[9 : 9+n])})
		b = b[9+n:]
	}
}

// Snapshot encodes all words.
func (a *Words) Snapshot() (b []byte) {
	for _, e := range a.List {
		b = binary.BigEndian.AppendUint64(b, uint64(e.Zxid))
		w := string(e.Txn.(Word))
		b = append(append(b, byte(len(w))), w...)
	}
	return b
}

// Apply appends a word.
func (a *Words) Apply(e zab.Entry, _ event.Seq) { a.List = append(a.List, e) }

// Serve does nothing: there are no clients.
func (a *Words) Serve(event.Seq) {}

// Stop does nothing.
func (a *Words) Stop(event.Reason, event.Seq) {}

// Answered does nothing: no server asks anything.
func (a *Words) Answered(*zab.Message, event.Seq) {}

// TouchedBy does nothing: there are no sessions.
func (a *Words) TouchedBy([]zab.Touch, event.Seq) {}

// Asked proposes a word that another server forwarded to the leader.
func (a *Words) Asked(_ zab.ID, m *zab.Message, cause event.Seq) {
	if m.Type == zab.Request {
		a.w.Server(a.id).Propose(m.Txn, cause)
	}
}

// String lists the server's words, in the order of the zxids.
func (a *Words) String() string {
	var b strings.Builder
	for _, e := range a.List {
		fmt.Fprintf(&b, " %d.%d:%s", e.Zxid.Epoch(), e.Zxid.Counter(), e.Txn)
	}
	return b.String()
}
