package apache

import (
	"bytes"
	"encoding/binary"
)

// Packet is a message between two servers. Between a learner and its leader it is what ZooKeeper calls a QuorumPacket.
type Packet struct {
	From, To int   // servers, from 1
	Type     int32 // see Leader.java: 1 REQUEST, 2 PROPOSAL, 3 ACK, 4 COMMIT, …; or Notification
	Zxid     int64
	Vote     Vote // if it is a Notification
}

// Vote is the content of a Notification: a server's vote in an election, or the result of a past one.
type Vote struct {
	Looking bool // the election is still going on
	Leader  int  // the server that it votes for; less than 1 for an observer
	Round   int64
	Epoch   int64 // the epoch of that server
}

// Notification is the type of messages on the election ports, which have a format of their own.
const Notification = 0x100

// The types of packets that tests look for.
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

// Name returns ZooKeeper's name for the packet's type.
func (p *Packet) Name() string {
	switch {
	case p.Type == Notification:
		return "NOTIFICATION"
	case p.Type > 0 && int(p.Type) < len(packetNames):
		return packetNames[p.Type]
	}
	return ""
}

// maxPacket limits the size of a packet.
const maxPacket = 4 << 20

// packetReader takes packets out of a stream. A snapshot has no length but ends with a word of its own.
type packetReader struct {
	votes    bool // it reads an election port's stream
	rest     []byte
	snapshot bool // rest is inside a snapshot
	blind    bool
}

// snapshotEnds is the same word, encoded as a string.
var snapshotEnds = []byte("\x00\x00\x00\x0aBenWasHere")

// take returns the packets that these bytes complete.
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

// skipSnapshot drops a snapshot, or as much of it as has arrived. It reports whether the snapshot has ended.
func (r *packetReader) skipSnapshot() bool {
	if at := bytes.Index(r.rest, snapshotEnds); at >= 0 {
		r.rest, r.snapshot = r.rest[at+len(snapshotEnds):], false
		return true
	}
	r.rest = r.rest[max(0, len(r.rest)-len(snapshotEnds)+1):]
	return false
}

// packetOf reads a packet: type, zxid, data, and a list of identities. It returns the packet's length, 0 if it is
// incomplete, and -1 if it is invalid.
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

// notificationOf reads a notification like packetOf: length, state, leader, zxid, round and epoch, and ignores the
// rest.
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
