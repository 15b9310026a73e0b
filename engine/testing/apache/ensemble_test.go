package apache

import (
	"encoding/binary"
	"slices"
	"testing"
)

// frame encodes a packet as in a stream, with data and identities of the given lengths; a negative length means none.
func frame(kind int32, zxid int64, data int, ids ...int) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(kind))
	b = binary.BigEndian.AppendUint64(b, uint64(zxid))
	b = binary.BigEndian.AppendUint32(b, uint32(data))
	b = append(b, make([]byte, max(data, 0))...)
	if len(ids) == 0 {
		return binary.BigEndian.AppendUint32(b, 0xffffffff)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(ids)))
	for _, n := range ids {
		for range 2 { // the scheme and the ID
			b = binary.BigEndian.AppendUint32(b, uint32(n))
			b = append(b, make([]byte, n)...)
		}
	}
	return b
}

// TestPackets takes packets out of a stream in pieces of any size, before a snapshot and after it.
func TestPackets(t *testing.T) {
	stream := slices.Concat(frame(FollowerInfo, 1, 20), frame(Proposal, 2, 0, 3, 0), frame(Ack, 2, -1), frame(Snap, 3, -1),
		[]byte("whatever a snapshot may be, this is it\x00\x00\x00\x0aBenWasHere"), frame(NewLeader, 4, -1))
	want := []Packet{{Type: FollowerInfo, Zxid: 1}, {Type: Proposal, Zxid: 2}, {Type: Ack, Zxid: 2}, {Type: Snap, Zxid: 3},
		{Type: NewLeader, Zxid: 4}}
	for size := 1; size <= len(stream); size++ {
		var r packetReader
		var got []Packet
		for piece := range slices.Chunk(stream, size) {
			got = append(got, r.take(piece)...)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("in pieces of %d bytes: got %v, want %v", size, got, want)
		}
	}
	for name, bad := range map[string][]byte{
		"no type": frame(0, 1, -1), "a type that is not": frame(77, 1, -1), "too much data": frame(Ack, 1, maxPacket+1)[:20],
	} {
		var r packetReader
		if got := append(r.take(bad), r.take(frame(Ack, 1, -1))...); len(got) != 0 || !r.blind {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestNotifications takes the votes out of an election port's stream, in pieces of any size.
func TestNotifications(t *testing.T) {
	vote := func(size uint32, state uint32, leader, zxid, round, epoch uint64) []byte {
		b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, size), state)
		for _, x := range []uint64{leader, zxid, round, epoch} {
			b = binary.BigEndian.AppendUint64(b, x)
		}
		return append(b, make([]byte, max(int(size)-36, 0))...)
	}
	none := uint64(1) << 63 // an observer votes for this
	stream := slices.Concat(vote(36, 0, 3, 7, 2, 1), vote(44, 2, 1, 8, 3, 2), vote(60, 0, none, none, 1, none))
	want := []Packet{
		{Type: Notification, Zxid: 7, Vote: Vote{Looking: true, Leader: 3, Round: 2, Epoch: 1}},
		{Type: Notification, Zxid: 8, Vote: Vote{Leader: 1, Round: 3, Epoch: 2}},
		{Type: Notification, Zxid: -1 << 63, Vote: Vote{Looking: true, Round: 1, Epoch: -1 << 63}},
	}
	for size := 1; size <= len(stream); size++ {
		r := packetReader{votes: true}
		var got []Packet
		for piece := range slices.Chunk(stream, size) {
			got = append(got, r.take(piece)...)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("in pieces of %d bytes: got %v, want %v", size, got, want)
		}
	}
	r := packetReader{votes: true}
	if got := append(r.take(vote(35, 0, 1, 1, 1, 1)), r.take(stream)...); len(got) != 0 || !r.blind {
		t.Errorf("a notification that is too short: got %v", got)
	}
}

// FuzzPackets checks that a stream cut into two yields the same packets.
func FuzzPackets(f *testing.F) {
	f.Add(slices.Concat(frame(Ack, 1, -1), frame(Proposal, 2, 3, 1)), 5)
	f.Fuzz(func(t *testing.T, stream []byte, at int) {
		at = max(0, min(at, len(stream)))
		var whole, pieces packetReader
		want := whole.take(stream)
		got := append(pieces.take(stream[:at]), pieces.take(stream[at:])...)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
