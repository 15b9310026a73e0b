package apache

import (
	"bytes"
	"encoding/binary"
)

// Packet is what one server says to another. What a learner and its leader say is a QuorumPacket, as ZooKeeper calls
// it.
type Packet struct {
	From, To int   // servers, from 1
	Type     int32 // see Leader.java: 1 REQUEST, 2 PROPOSAL, 3 ACK, 4 COMMIT, …; or Notification
	Zxid     int64
	Vote     Vote // of a Notification
}

// Vote is what a server says in an election, or of one that is over.
type Vote struct {
	Looking bool // it still is
	Leader  int  // whom it is for; less than 1 of an observer
	Round   int64
	Epoch   int64 // of the one whom it is for
}

// Notification is the type of what is said on the election ports, which is a message of its own.
const Notification = 0x100

// The types of packets that tests ask for.
const (
	Request = 1 + iota
	Proposal
	Ack
	Commit
	Ping
	Revalidate
	Sync
	Inform
	_
	NewLeader
	FollowerInfo
	UpToDate
	Diff
	Trunc
	Snap
	ObserverInfo
	LeaderInfo
	AckEpoch
)

var packetNames = [...]string{
	Request: "REQUEST", Proposal: "PROPOSAL", Ack: "ACK", Commit: "COMMIT", Ping: "PING", Revalidate: "REVALIDATE",
	Sync: "SYNC", Inform: "INFORM", NewLeader: "NEWLEADER", FollowerInfo: "FOLLOWERINFO", UpToDate: "UPTODATE",
	Diff: "DIFF", Trunc: "TRUNC", Snap: "SNAP", ObserverInfo: "OBSERVERINFO", LeaderInfo: "LEADERINFO",
	AckEpoch: "ACKEPOCH",
}

// Name is what ZooKeeper calls the packet's type.
func (p *Packet) Name() string {
	switch {
	case p.Type == Notification:
		return "NOTIFICATION"
	case p.Type > 0 && int(p.Type) < len(packetNames):
		return packetNames[p.Type]
	}
	return ""
}

// maxPacket bounds what a packet may hold.
const maxPacket = 4 << 20

// packetReader takes packets out of a stream. A snapshot, which has no length, ends with a word of its own.
type packetReader struct {
	votes    bool // it is that of an election port
	rest     []byte
	snapshot bool // rest is in the middle of one
	blind    bool
}

// snapshotEnds is that word, as a string in a stream.
var snapshotEnds = []byte("\x00\x00\x00\x0aBenWasHere")

// take is the packets that are complete with these bytes.
func (r *packetReader) take(b []byte) (list []Packet) {
	if r.blind {
		return nil
	}
	r.rest = append(r.rest, b...)
	for {
		if r.snapshot && !r.skipSnapshot() {
			return list
		}
		of := packetOf
		if r.votes {
			of = notificationOf
		}
		p, n := of(r.rest)
		if n == 0 {
			return list
		}
		if n < 0 {
			r.blind, r.rest = true, nil
			return list
		}
		r.rest = r.rest[n:]
		list = append(list, p)
		r.snapshot = p.Type == Snap
	}
}

// skipSnapshot drops a snapshot, or as much of it as there is. It reports whether that was its end.
func (r *packetReader) skipSnapshot() bool {
	if at := bytes.Index(r.rest, snapshotEnds); at >= 0 {
		r.rest, r.snapshot = r.rest[at+len(snapshotEnds):], false
		return true
	}
	r.rest = r.rest[max(0, len(r.rest)-len(snapshotEnds)+1):]
	return false
}

// packetOf reads a packet: its type, its zxid, data, and a list of identities. It returns its length, 0 if it is not
// complete, and -1 if it is none.
func packetOf(b []byte) (p Packet, n int) {
	if len(b) < 4+8+4 {
		return p, 0
	}
	p.Type, p.Zxid = int32(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint64(b[4:]))
	n = 12
	skip := func() bool { // a buffer or a string
		if len(b) < n+4 {
			return false
		}
		size := max(int32(binary.BigEndian.Uint32(b[n:])), 0)
		if size > maxPacket {
			n = -1
			return false
		}
		n += 4 + int(size)
		return n <= len(b)
	}
	if p.Type < 1 || p.Type > 19 {
		return p, -1
	}
	if !skip() {
		return p, min(n, 0)
	}
	if len(b) < n+4 {
		return p, 0
	}
	ids := int32(binary.BigEndian.Uint32(b[n:]))
	n += 4
	for range max(ids, 0) {
		if !skip() || !skip() {
			return p, min(n, 0)
		}
	}
	return p, n
}

// notificationOf reads a notification as packetOf does a packet: its length, state, leader, zxid, round and epoch, and
// more that nobody asks for.
func notificationOf(b []byte) (p Packet, n int) {
	const least = 4 + 8 + 8 + 8 + 8
	if len(b) < 4 {
		return p, 0
	}
	size := int32(binary.BigEndian.Uint32(b))
	if size < least || size > maxPacket {
		return p, -1
	}
	if n = 4 + int(size); len(b) < n {
		return p, 0
	}
	number := func(at int) int64 { return int64(binary.BigEndian.Uint64(b[at:])) }
	return Packet{Type: Notification, Zxid: number(16), Vote: Vote{
		Looking: binary.BigEndian.Uint32(b[4:]) == 0, Leader: int(max(number(8), 0)), Round: number(24), Epoch: number(32),
	}}, n
}
