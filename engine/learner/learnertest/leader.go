// Package learnertest has the leader of an ensemble, for tests of those who join one: it sends everybody who comes a
// tree, and then each transaction that the test has happen.
//
// It is no ZooKeeper: it takes no writes and serves no clients.
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
	diff       = 13
	snap       = 15
	leaderInfo = 17
)

// greet asks who comes and what that has, and returns how the answer begins: with the tree, if it has nothing.
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

// hear reads a packet, and returns its zxid.
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

// teach sends what who comes lacks, and then all that comes. What it has already it leaves out by itself.
func (l *Leader) teach(conn net.Conn) {
	b, err := l.greet(conn)
	if err != nil {
		return
	}
	l.all.Go(func() { _, _ = io.Copy(io.Discard, conn) }) // that it's there
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

// AppendPacket puts a packet of a leader at the end of b.
func AppendPacket(b []byte, typ int32, zxid int64, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(typ))
	b = binary.BigEndian.AppendUint64(b, uint64(zxid))
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(data))), data...)
	return binary.BigEndian.AppendUint32(b, 1<<32-1) // and no identities
}
