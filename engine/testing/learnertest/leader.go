// Package learnertest provides the leader of an ensemble for tests of observers. It sends each a tree, and then the
// transactions that the test creates.
//
// It is no ZooKeeper: it accepts no writes and serves no clients.
package learnertest

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Leader is a leader without an ensemble.
type Leader struct {
	// Addr is the host:port at which it accepts learners.
	Addr string

	tree []byte
	zxid int64
	all  sync.WaitGroup

	mu    sync.Mutex
	txns  [][]byte
	news  chan struct{} // closed when there is another transaction
	conns map[net.Conn]struct{}
	over  bool
}

// pingEvery is shorter than any learner's wait for a silent leader.
const pingEvery = time.Second

// Start starts a leader that accepts learners until the test ends. It begins with a tree as of transaction zxid.
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

// Happen adds a transaction.
func (l *Leader) Happen(t wire.Txn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.txns = append(l.txns, txnlogtest.Latest().Txn(t))
	close(l.news)
	l.news = make(chan struct{})
}

// HangUp closes all connections. It accepts new ones at once.
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
		l.all.Go(func() {
			l.teach(conn)
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.conns, conn)
			_ = conn.Close()
		})
	}
}

// The packets of a leader.
const (
	newLeader  = 10
	upToDate   = 12
	ping       = 5
	inform     = 8
	diff       = 13
	snap       = 15
	leaderInfo = 17
)

// greet reads the observer's introduction and its last transaction. It returns the start of the answer: the tree,
// if the observer knows nothing.
func (l *Leader) greet(conn net.Conn) (b []byte, err error) {
	epoch := l.zxid >> 32 << 32
	if _, err := hear(conn); err != nil {
		return nil, err
	}
	if _, err := conn.Write(AppendPacket(nil, leaderInfo, epoch, []byte{0, 1, 0, 0})); err != nil {
		return nil, err
	}
	known, err := hear(conn)
	if err != nil {
		return nil, err
	}
	if known != 0 {
		b = AppendPacket(nil, diff, known, nil)
	} else {
		b = append(AppendPacket(nil, snap, l.zxid, nil), l.tree...)
		b = append(b, "\x00\x00\x00\x0aBenWasHere"...)
	}
	return AppendPacket(b, newLeader, epoch, nil), nil
}

// hear reads a packet and returns its zxid.
func hear(conn net.Conn) (zxid int64, err error) {
	var head [16]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return 0, err
	}
	const most, identities = 1 << 10, 4
	size := min(int64(binary.BigEndian.Uint32(head[12:])), most) + identities
	_, err = io.CopyN(io.Discard, conn, size)
	return int64(binary.BigEndian.Uint64(head[4:])), err
}

// teach sends an observer everything, from the first transaction on. The observer skips what it knows.
func (l *Leader) teach(conn net.Conn) {
	b, err := l.greet(conn)
	if err != nil {
		return
	}
	l.all.Go(func() { _, _ = io.Copy(io.Discard, conn) }) // acknowledgements and pings
	for next, synced := 0, false; ; {
		l.mu.Lock()
		txns, news, over := l.txns[next:], l.news, l.over
		l.mu.Unlock()
		for _, txn := range txns {
			b = AppendPacket(b, inform, 0, txn)
		}
		if next += len(txns); !synced {
			b, synced = AppendPacket(b, upToDate, -1, nil), true
		}
		if _, err := conn.Write(AppendPacket(b, ping, 0, nil)); err != nil || over {
			return
		}
		b = b[:0]
		select {
		case <-news:
		case <-time.After(pingEvery):
		}
	}
}

// AppendPacket appends a packet of a leader to b.
func AppendPacket(b []byte, typ int32, zxid int64, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(typ))
	b = binary.BigEndian.AppendUint64(b, uint64(zxid))
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(data))), data...)
	return binary.BigEndian.AppendUint32(b, 1<<32-1) // with no identities
}
