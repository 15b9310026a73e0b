package learner

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// packet is what a learner and its leader say to each other; see QuorumPacket in ZooKeeper's zookeeper.jute.
type packet struct {
	typ  int32
	zxid int64
	data []byte // nil is null
}

// The types of packets, as in ZooKeeper's Leader.java.
const (
	proposal          = 2
	ack               = 3
	commit            = 4
	ping              = 5
	sync              = 7
	inform            = 8
	commitAndActivate = 9
	newLeader         = 10
	upToDate          = 12
	diff              = 13
	trunc             = 14
	snap              = 15
	observerInfo      = 16
	leaderInfo        = 17
	ackEpoch          = 18
	informAndActivate = 19
)

// MaxPacket bounds a packet's data, in bytes. What a ZooKeeper takes from a client is a thousandth of it unless
// jute.maxbuffer says more.
const MaxPacket = 64 << 20

// errPacket is what comes from something that is no leader.
var errPacket = errors.New("what it says is not what the leader of an ensemble says")

func (p *packet) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(p.typ))
	b = binary.BigEndian.AppendUint64(b, uint64(p.zxid))
	if p.data == nil {
		b = binary.BigEndian.AppendUint32(b, 1<<32-1)
	} else {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(p.data))), p.data...)
	}
	return binary.BigEndian.AppendUint32(b, 1<<32-1) // no identities
}

// read reads the next packet, whose data is good until the next call. However much it says that it has, it takes no
// more room than about twice of what comes.
func (p *packet) read(in *bufio.Reader) error {
	var head [4 + 8 + 4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return err
	}
	p.typ = int32(binary.BigEndian.Uint32(head[:]))
	p.zxid = int64(binary.BigEndian.Uint64(head[4:]))
	if p.typ < 1 || p.typ > informAndActivate {
		return errPacket
	}
	var err error
	if p.data, err = readBuffer(in, head[12:], p.data[:0]); err != nil {
		return err
	}
	if _, err := io.ReadFull(in, head[:4]); err != nil {
		return err
	}
	const most = 1000 // identities, of which there are none in what a leader says
	n := int32(binary.BigEndian.Uint32(head[:4]))
	if n > most {
		return errPacket
	}
	for range 2 * max(n, 0) { // of each the scheme and the id
		if _, err := io.ReadFull(in, head[:4]); err != nil {
			return err
		}
		if _, err := readBuffer(in, head[:4], nil); err != nil {
			return err
		}
	}
	return nil
}

// readBuffer reads as many bytes as length says, into b if there is room.
func readBuffer(in *bufio.Reader, length, b []byte) ([]byte, error) {
	n := int(int32(binary.BigEndian.Uint32(length)))
	if n < 0 {
		return nil, nil
	}
	if n > MaxPacket {
		return nil, fmt.Errorf("%w: a packet of %d bytes", errPacket, n)
	}
	if b == nil {
		b = []byte{}
	}
	for len(b) < n {
		const step = 1 << 20
		more := min(n-len(b), max(step, len(b)))
		if cap(b)-len(b) < more {
			b = append(make([]byte, 0, len(b)+more), b...)
		}
		got, err := io.ReadFull(in, b[len(b):len(b)+more])
		if b = b[:len(b)+got]; err != nil {
			return nil, err
		}
	}
	return b, nil
}
