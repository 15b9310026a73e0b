package learner

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// packet is a message between a learner and its leader; see QuorumPacket in ZooKeeper's zookeeper.jute.
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

// MaxPacket bounds a packet's data, in bytes. By default (jute.maxbuffer) a ZooKeeper accepts a thousandth of that
// from a client.
const MaxPacket = 64 << 20

// errPacket reports data that no leader sends.
var errPacket = errors.New("its messages are not those of an ensemble's leader")

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

// read reads the next packet, whose data is valid until the next call. Whatever length it claims, it takes no more
// memory than about twice the data that arrives.
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
	const most = 1000 // identities, which a leader never sends
	n := int32(binary.BigEndian.Uint32(head[:4]))
	if n > most {
		return errPacket
	}
	for range 2 * max(n, 0) { // the scheme and the id of each
		if _, err := io.ReadFull(in, head[:4]); err != nil {
			return err
		}
		if _, err := readBuffer(in, head[:4], nil); err != nil {
			return err
		}
	}
	return nil
}

// readBuffer reads as many bytes as length says, into b if they fit.
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
