// Package learner joins an ensemble of ZooKeeper servers as an observer: it gets the tree, and then every transaction
// in the order in which the ensemble has decided on them.
//
// It never votes, and it says nothing but that it is there, so it can write nothing and holds nobody up. What
// transactions lead to is not its matter. See Learner.java and Observer.java in ZooKeeper's source.
package learner

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/txnlog"
	"github.com/zkviz/zkviz/engine/wire"
)

// Config says whom to learn from, and what is known.
type Config struct {
	Leader string // host:port where others follow it: the first of the two ports of server.N in its configuration
	// Dial connects to it; nil for plain TCP.
	Dial func(ctx context.Context, addr string) (net.Conn, error)
	// Zxid is the last transaction that is known; 0 for nothing.
	Zxid int64
	// Silence is how long to wait for a leader that says nothing, which pings every half tick; 0: DefaultSilence.
	Silence time.Duration
}

// DefaultSilence is what a learner waits with ticks of two seconds and a syncLimit of five.
const DefaultSilence = 10 * time.Second

// dialWithin is how long a server may take to be connected to.
const dialWithin = 5 * time.Second

// anybody is the id of an observer that is not in the ensemble's configuration.
const anybody = -1

// protocolVersion is that of ZooKeeper 3.4 and later. Its upper half changes when others can no longer join.
const protocolVersion = 0x10000

// To takes what is learned. An error of a function ends the learning.
type To struct {
	// Begin is called first: whether what is known is Kept, and up to which transaction. Else the whole tree comes, or
	// nothing if there is nothing.
	Begin func(Beginning) error
	Tree  txnlog.Tree
	// Txn takes a transaction, which is good until it returns.
	Txn func(*wire.Txn) error
	// Synced is that all has come that had been decided on by then.
	Synced func() error
}

// Beginning is how a leader begins.
type Beginning struct {
	Epoch int64 // of the leader
	// Kept says that what is known is right up to Zxid. What is known beyond never happened.
	Kept bool
	Zxid int64
}

// ErrNotLeader is a server that takes no learners: it does not lead, or its port is another one.
var ErrNotLeader = errors.New("it takes no learners: it isn't the ensemble's leader, or this isn't its quorum port " +
	"(the first of the two in server.N=host:2888:3888), or it wants TLS of others (sslQuorum) or SASL")

// Learn joins and learns until the connection ends, or ctx, or a function of to returns an error; it always returns
// why. Then it can be called again, with the last transaction that has come.
func Learn(ctx context.Context, cfg Config, to To) error {
	if cfg.Dial == nil {
		cfg.Dial = func(ctx context.Context, addr string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "tcp", addr)
		}
	}
	if cfg.Silence <= 0 {
		cfg.Silence = DefaultSilence
	}
	conn, err := cfg.dial(ctx)
	if err != nil {
		return fmt.Errorf("join as an observer: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	at := patient{conn, cfg.Silence}
	l := &learner{conn: at, in: bufio.NewReaderSize(at, 1<<16), cfg: cfg, to: to}
	err = l.learn()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("observe the ensemble at %s: %w", cfg.Leader, err)
}

// dial connects to the leader. What is gone from the network doesn't even refuse that.
func (c *Config) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	return c.Dial(ctx, c.Leader)
}

// patient is a connection whose other side may be silent for so long.
type patient struct {
	net.Conn
	silence time.Duration
}

func (p patient) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(p.silence)); err != nil {
		return 0, err
	}
	return p.Conn.Read(b)
}

func (p patient) Write(b []byte) (int, error) {
	if err := p.SetWriteDeadline(time.Now().Add(p.silence)); err != nil {
		return 0, err
	}
	return p.Conn.Write(b)
}

// learner is one connection to a leader.
type learner struct {
	conn io.Writer
	in   *bufio.Reader
	cfg  Config
	to   To

	p       packet
	txn     wire.Txn
	pending [][]byte // proposals that were not committed yet, while it catches up
}

func (l *learner) learn() error {
	epoch, err := l.greet()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrNotLeader
	}
	if err != nil {
		return err
	}
	if err := l.begin(epoch); err != nil {
		return err
	}
	for {
		if err := l.p.read(l.in); err != nil {
			return err
		}
		if err := l.take(); err != nil {
			return err
		}
	}
}

// greet says who comes, and returns the leader's epoch.
func (l *learner) greet() (epoch int64, err error) {
	known := l.cfg.Zxid >> 32
	info := binary.BigEndian.AppendUint64(nil, 1<<64+anybody)
	info = binary.BigEndian.AppendUint32(info, protocolVersion)
	info = binary.BigEndian.AppendUint64(info, 0) // the configuration's version
	if err := l.say(packet{observerInfo, known << 32, info}); err != nil {
		return 0, err
	}
	if err := l.p.read(l.in); err != nil {
		return 0, err
	}
	if err := understood(&l.p); err != nil {
		return 0, err
	}
	epoch = l.p.zxid >> 32
	return epoch, l.say(packet{ackEpoch, l.cfg.Zxid, binary.BigEndian.AppendUint32(nil, uint32(known))})
}

// errOld is a leader that begins at once, without asking who comes.
var errOld = errors.New("it is older than ZooKeeper 3.4, which nobody can join")

// understood reports what is wrong with a leader's first words.
func understood(p *packet) error {
	switch p.typ {
	case leaderInfo:
	case diff, trunc, snap, newLeader:
		return errOld
	default:
		return errPacket
	}
	if len(p.data) != 4 {
		return errPacket
	}
	if v := binary.BigEndian.Uint32(p.data); v>>16 != protocolVersion>>16 {
		return fmt.Errorf("its servers speak version %#x of their protocol, and known is %#x: it is newer than this program",
			v, protocolVersion)
	}
	return nil
}

// begin takes what the leader begins with: nothing, the end of what was missed, or all.
func (l *learner) begin(epoch int64) error {
	if err := l.p.read(l.in); err != nil {
		return err
	}
	b := Beginning{Epoch: epoch, Zxid: l.p.zxid}
	switch l.p.typ {
	case diff: // what was missed follows as transactions
		b.Kept, b.Zxid = true, l.cfg.Zxid
		return l.to.Begin(b)
	case trunc:
		b.Kept, l.cfg.Zxid = true, b.Zxid
		return l.to.Begin(b)
	case snap:
		l.cfg.Zxid = b.Zxid
		if err := l.to.Begin(b); err != nil {
			return err
		}
		return l.tree()
	}
	return errPacket
}

// treeEnds stands behind a tree.
const treeEnds = "\x00\x00\x00\x0aBenWasHere"

func (l *learner) tree() error {
	if err := txnlog.ReadTree(l.in, l.to.Tree); err != nil {
		return err
	}
	var end [len(treeEnds)]byte
	if _, err := io.ReadFull(l.in, end[:]); err != nil {
		return err
	}
	if string(end[:]) != treeEnds {
		return errPacket
	}
	return nil
}

// take does what the packet says.
func (l *learner) take() error {
	switch p := &l.p; p.typ {
	case ping:
		return l.say(packet{ping, p.zxid, []byte{}})
	case newLeader:
		return l.say(packet{ack, p.zxid, nil})
	case upToDate:
		if err := l.say(packet{ack, p.zxid, nil}); err != nil {
			return err
		}
		return l.to.Synced()
	case proposal: // to observers only while they catch up
		l.pending = append(l.pending, append([]byte{}, p.data...))
		if len(l.pending) > maxPending {
			return errPacket
		}
	case commit:
		if len(l.pending) == 0 {
			return nil
		}
		data := l.pending[0]
		l.pending = l.pending[1:]
		return l.learned(data)
	case inform:
		return l.learned(p.data)
	case commitAndActivate, informAndActivate: // a new configuration, behind the id of the leader that is suggested
		const id = 8
		if len(p.data) < id {
			return errPacket
		}
		return l.learned(p.data[id:])
	}
	return nil
}

// maxPending bounds the proposals without a commit. A leader sends the commit at once.
const maxPending = 10_000

func (l *learner) learned(data []byte) error {
	if err := wire.DecodeTxn(data, &l.txn); err != nil {
		return errPacket
	}
	if l.txn.Zxid <= l.cfg.Zxid {
		return nil // it is known
	}
	l.cfg.Zxid = l.txn.Zxid
	return l.to.Txn(&l.txn)
}

func (l *learner) say(p packet) error {
	_, err := l.conn.Write(p.append(nil))
	return err
}
