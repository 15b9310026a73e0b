package apache

import "encoding/binary"

// Packet is what a learner and its leader say to each other: a QuorumPacket, as ZooKeeper calls it.
type Packet struct {
	From, To int   // servers, from 1
	Type     int32 // see Leader.java: 1 REQUEST, 2 PROPOSAL, 3 ACK, 4 COMMIT, …
	Zxid     int64
}

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
	if p.Type > 0 && int(p.Type) < len(packetNames) {
		return packetNames[p.Type]
	}
	return ""
}

// maxPacket bounds what a packet may hold.
const maxPacket = 4 << 20

// packetReader takes packets out of a stream, up to a snapshot, which has no length.
type packetReader struct {
	rest  []byte
	blind bool
}

// take is the packets that are complete with these bytes.
func (r *packetReader) take(b []byte) (list []Packet) {
	if r.blind {
		return nil
	}
	r.rest = append(r.rest, b...)
	for {
		p, n := packetOf(r.rest)
		if n == 0 {
			return list
		}
		if n < 0 {
			r.blind, r.rest = true, nil
			return list
		}
		r.rest = r.rest[n:]
		list = append(list, p)
		if p.Type == Snap {
			r.blind, r.rest = true, nil
			return list
		}
	}
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
