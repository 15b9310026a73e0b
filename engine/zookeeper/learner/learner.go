// Package learner joins an ensemble of ZooKeeper servers as an observer. It receives the tree, and then every
// transaction in the ensemble's order.
//
// It never votes and sends only its introduction, acknowledgements and pings, so it can write nothing and delays
// nobody. It doesn't interpret transactions. See Learner.java and Observer.java in ZooKeeper's source.
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

	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Config says which leader to read from, and what is known already.
type Config struct {
	Leader string // host:port of its quorum port: the first of the two ports of server.N in its configuration
	// Dial connects to the leader; nil for plain TCP.
	Dial func(ctx context.Context, addr string) (net.Conn, error)
	// Zxid is the last known transaction; 0 for none.
	Zxid int64
	// Silence is how long to wait for a silent leader. A leader pings every half tick; 0: DefaultSilence.
	Silence time.Duration
}

// DefaultSilence is the wait of a learner with ticks of two seconds and a syncLimit of five.
const DefaultSilence = 10 * time.Second

// dialWithin is the time limit for connecting.
const dialWithin = 5 * time.Second

// anybody is the id of an observer that the ensemble's configuration doesn't name.
const anybody = -1

// protocolVersion is the protocol version of ZooKeeper 3.4 and later. Its upper half changes when older learners
// can no longer join.
const protocolVersion = 0x10000

// To receives what is read. An error of a function ends the reading.
type To struct {
	// Begin is called first. It says whether the known state is kept, and up to which transaction. If it is not,
	// the whole tree follows.
	Begin func(Beginning) error
	Tree  txnlog.Tree
	// Txn receives a transaction, which is valid until it returns.
	Txn func(*wire.Txn) error
	// Synced reports that every transaction decided so far has arrived.
	Synced func() error
}

// Beginning is the start of a leader's stream.
type Beginning struct {
	Epoch int64 // of the leader
	// Kept says that the known state is right up to Zxid. Transactions known beyond it never happened.
	Kept bool
	Zxid int64
}

// ErrNotLeader reports a server that accepts no learners: it doesn't lead, or the port is a different one.
var ErrNotLeader = errors.New("it takes no learners: it isn't the ensemble's leader, or this isn't its quorum port " +
	"(the first of the two in server.N=host:2888:3888), or it requires TLS (sslQuorum) or SASL")

// Learn joins and reads until the connection or ctx ends, or a function of to returns an error. It always returns
// the reason. Call it again with the last transaction received to continue.
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

// dial connects to the leader within a time limit, because a host that has vanished doesn't even refuse.
func (c *Config) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	return c.Dial(ctx, c.Leader)
}

// patient is a connection whose other side may be silent for that long.
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
	pending [][]byte // uncommitted proposals, during catch-up
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

// greet introduces the observer and returns the leader's epoch.
func (l *learner) greet() (epoch int64, err error) {
	known := l.cfg.Zxid >> 32
	info := binary.BigEndian.AppendUint64(nil, 1<<64+anybody)
	info = binary.BigEndian.AppendUint32(info, protocolVersion)
	info = binary.BigEndian.AppendUint64(info, 0) // the version of the configuration
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

// errOld reports a leader that begins without asking for an introduction.
var errOld = errors.New("it is older than ZooKeeper 3.4, and observers can join only newer ones")

// understood returns what is wrong with a leader's first packet, or nil.
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
		return fmt.Errorf("its servers speak version %#x of the protocol, newer than %#x, the latest that this program knows",
			v, protocolVersion)
	}
	return nil
}

// begin handles the start of the stream: missed transactions, a truncation, or the whole tree.
func (l *learner) begin(epoch int64) error {
	if err := l.p.read(l.in); err != nil {
		return err
	}
	b := Beginning{Epoch: epoch, Zxid: l.p.zxid}
	switch l.p.typ {
	case diff: // missed transactions follow
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

// treeEnds follows a tree.
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

// take handles a packet.
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
	case proposal: // sent to observers only during catch-up
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
	case commitAndActivate, informAndActivate: // a new configuration, after the id of the suggested leader
		const id = 8
		if len(p.data) < id {
			return errPacket
		}
		return l.learned(p.data[id:])
	}
	return nil
}

// maxPending bounds uncommitted proposals. A leader sends the commit at once.
const maxPending = 10_000

func (l *learner) learned(data []byte) error {
	if err := wire.DecodeTxn(data, &l.txn); err != nil {
		return errPacket
	}
	if l.txn.Zxid <= l.cfg.Zxid {
		return nil // already known
	}
	l.cfg.Zxid = l.txn.Zxid
	return l.to.Txn(&l.txn)
}

func (l *learner) say(p packet) error {
	_, err := l.conn.Write(p.append(nil))
	return err
}
