// Package learnertest has the leader of an ensemble, for tests of those who join one: it sends everybody who comes a
// tree, and then each transaction that the test has happen.
//
// It is no ZooKeeper: it takes no writes, serves no clients, and sends its tree again to who comes back.
package learnertest

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/txnlog/txnlogtest"
	"github.com/zkviz/zkviz/engine/wire"
)

// Leader is a leader without an ensemble.
type Leader struct {
	// Addr is where it takes learners, host:port.
	Addr string

	tree []byte
	zxid int64
	all  sync.WaitGroup

	mu    sync.Mutex
	txns  [][]byte
	news  chan struct{} // closed when there is one more
	conns map[net.Conn]struct{}
	over  bool
}

// pingEvery is shorter than any learner waits for a leader that says nothing.
const pingEvery = time.Second

// Start has a leader take learners until the test ends. It begins with a tree, as it is after the transaction zxid.
func Start(t testing.TB, tree txnlogtest.Tree, zxid int64) *Leader {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Leader{Addr: ln.Addr().String(), tree: tree.Append(nil), zxid: zxid, news: make(chan struct{}),
		conns: map[net.Conn]struct{}{}}
	l.all.Go(func() { l.accept(ln) })
	t.Cleanup(func() {
		_ = ln.Close()
		l.hangUp(true)
		l.all.Wait()
	})
	return l
}

// Happen has a transaction happen.
func (l *Leader) Happen(t wire.Txn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.txns = append(l.txns, txnlogtest.Latest().Txn(t))
	close(l.news)
	l.news = make(chan struct{})
}

// HangUp ends all connections. It takes others at once.
func (l *Leader) HangUp() { l.hangUp(false) }

func (l *Leader) hangUp(over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close()
	}
	if over && !l.over {
		l.over = true
		close(l.news)
	}
}

func (l *Leader) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		if l.conns[conn] = struct{}{}; l.over {
			_ = conn.Close()
		}
		l.mu.Unlock()
		l.all.Go(func() { _, _ = io.Copy(io.Discard, conn) }) // who it is, and that it's there
		l.all.Go(func() {
			l.teach(conn)
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.conns, conn)
			_ = conn.Close()
		})
	}
}

// What a leader says.
const (
	newLeader  = 10
	upToDate   = 12
	ping       = 5
	inform     = 8
	snap       = 15
	leaderInfo = 17
)

// teach sends all that there is, and then all that comes.
func (l *Leader) teach(conn net.Conn) {
	epoch := l.zxid >> 32 << 32
	hello := AppendPacket(nil, leaderInfo, epoch, []byte{0, 1, 0, 0})
	hello = append(AppendPacket(hello, snap, l.zxid, nil), l.tree...)
	hello = append(hello, "\x00\x00\x00\x0aBenWasHere"...)
	hello = AppendPacket(hello, newLeader, epoch, nil)
	if _, err := conn.Write(AppendPacket(hello, upToDate, -1, nil)); err != nil {
		return
	}
	for next := 0; ; {
		l.mu.Lock()
		txns, news, over := l.txns[next:], l.news, l.over
		l.mu.Unlock()
		var b []byte
		for _, txn := range txns {
			b = AppendPacket(b, inform, 0, txn)
		}
		next += len(txns)
		if _, err := conn.Write(AppendPacket(b, ping, 0, nil)); err != nil || over {
			return
		}
		select {
		case <-news:
		case <-time.After(pingEvery):
		}
	}
}

// AppendPacket puts a packet of a leader at the end of b.
func AppendPacket(b []byte, typ int32, zxid int64, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(typ))
	b = binary.BigEndian.AppendUint64(b, uint64(zxid))
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(data))), data...)
	return binary.BigEndian.AppendUint32(b, 1<<32-1) // and no identities
}
