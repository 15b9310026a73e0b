package event_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
)

// TestValidAtItsBounds checks Valid at each of its bounds and one beyond.
func TestValidAtItsBounds(t *testing.T) {
	for _, c := range []struct {
		name     string
		in, out  func(*event.Event)
		complain string
	}{
		{"the first kind", func(e *event.Event) { e.Kind = 1 }, func(e *event.Event) { e.Kind = 0 },
			"event 7: there is no kind 0"},
		{"the last kind", func(e *event.Event) { e.Kind = event.WatchesAsked },
			func(e *event.Event) { e.Kind = event.WatchesAsked + 1 },
			"event 7: there is no kind 85"},
		{"the last operation", func(e *event.Event) { e.Op = event.Replicate },
			func(e *event.Event) { e.Op = event.Replicate + 1 },
			"event 7: there is no operation 45"},
		{"the last watch", func(e *event.Event) { e.Watch = event.RecursiveWatch },
			func(e *event.Event) { e.Watch = event.RecursiveWatch + 1 },
			"event 7: there is no watch table 6"},
		{"the last reason", func(e *event.Event) { e.Reason = event.LeftHidden },
			func(e *event.Event) { e.Reason = event.LeftHidden + 1 },
			"event 7: there is no reason 68"},
		{"the first server", func(e *event.Event) { e.Actor = event.Server(1) },
			func(e *event.Event) { e.Actor = event.Server(0) },
			"event 7: clients have numbers from 1 to 10000"},
		{"the last server", func(e *event.Event) { e.Peer = event.Server(1000) },
			func(e *event.Event) { e.Peer = event.Server(1001) },
			"event 7: clients have numbers from 1 to 10000"},
		{"the first store", func(e *event.Event) { e.Actor = event.Store(1) },
			func(e *event.Event) { e.Actor = event.Store(0) },
			"event 7: clients have numbers from 1 to 10000"},
		{"the last store", func(e *event.Event) { e.Peer = event.Store(1000) },
			func(e *event.Event) { e.Peer = event.Store(1001) },
			"event 7: clients have numbers from 1 to 10000"},
		{"the first number", func(e *event.Event) { e.Seq = 1 }, func(e *event.Event) { e.Seq = 0 },
			"event 0: sequence numbers start at 1"},
		{"the cause", func(e *event.Event) { e.Cause = 6 }, func(e *event.Event) { e.Cause = 7 },
			"event 7: its cause 7 does not come before it"},
		{"the time", func(e *event.Event) { e.At = 0 }, func(e *event.Event) { e.At = -1 },
			"event 7: it is 1ns before the start of the run"},
		{"the first actor", func(e *event.Event) { e.Actor = 0 }, func(e *event.Event) { e.Actor = -1 },
			"event 7: clients have numbers from 1 to 10000"},
		{"the last actor", func(e *event.Event) { e.Actor = 10_000 }, func(e *event.Event) { e.Actor = 10_001 },
			"event 7: clients have numbers from 1 to 10000"},
		{"the first peer", func(e *event.Event) { e.Peer = 0 }, func(e *event.Event) { e.Peer = -1 },
			"event 7: clients have numbers from 1 to 10000"},
		{"the last peer", func(e *event.Event) { e.Peer = 10_000 }, func(e *event.Event) { e.Peer = 10_001 },
			"event 7: clients have numbers from 1 to 10000"},
		{"the path", func(e *event.Event) { e.Path = strings.Repeat("a", 1<<20) },
			func(e *event.Event) { e.Path = strings.Repeat("a", 1<<20+1) },
			"event 7: a path of 1048577 bytes, more than 1048576"},
		{"the text", func(e *event.Event) { e.Text = strings.Repeat("a", 256) },
			func(e *event.Event) { e.Text = strings.Repeat("a", 257) },
			"event 7: a text of 257 bytes, more than 256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event.Event{Seq: 7, Kind: event.OpSent}
			c.in(&e)
			if err := e.Valid(); err != nil {
				t.Errorf("at the bound: %v", err)
			}
			if got, _, err := event.DecodeBinary(event.AppendBinary(nil, e)); err != nil || got != e {
				t.Errorf("at the bound: decoded as %v, %v", got, err)
			}
			e = event.Event{Seq: 7, Kind: event.OpSent}
			c.out(&e)
			if err := e.Valid(); err == nil || err.Error() != c.complain {
				t.Errorf("beyond the bound: %v", err)
			}
			if e.Cause == e.Seq && e.Seq != 0 { // such a cause is written as none
				return
			}
			if got, rest, err := event.DecodeBinary(event.AppendBinary(nil, e)); err == nil || len(rest) == 0 ||
				got != (event.Event{}) {
				t.Errorf("beyond the bound: decoded as %v", got)
			}
		})
	}
}

// Bits of the mask, in the order of the fields.
const (
	seqBit = 1 << iota
	atBit
	causeBit
	actorBit
	peerBit
	pathBit
	nBit
	opBit
	zxidBit
	sessionBit
	textBit
	watchBit
	typeBit
	lineBit
	modeBit
	codeBit
	reasonBit
)

// forged returns the bytes of event 7 with numbers that no encoder writes.
func forged(mask uint64, numbers ...uint64) []byte {
	b := binary.AppendUvarint([]byte{byte(event.OpSent)}, mask)
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// TestDecodeAtItsBounds checks the decoder at the bound of each field's number and one beyond.
func TestDecodeAtItsBounds(t *testing.T) {
	const huge = math.MaxUint64
	for _, c := range []struct {
		name  string
		bit   uint64
		bound uint64
		got   func(event.Event) bool
	}{
		{"at", atBit, math.MaxInt64, func(e event.Event) bool { return e.At == math.MaxInt64 }},
		{"cause", causeBit, 7, func(e event.Event) bool { return e.Cause == 0 }},
		{"actor", actorBit, 10_000, func(e event.Event) bool { return e.Actor == 10_000 }},
		{"peer", peerBit, 10_000, func(e event.Event) bool { return e.Peer == 10_000 }},
		{"op", opBit, uint64(event.Replicate), func(e event.Event) bool { return e.Op == event.Replicate }},
		{"watch", watchBit, uint64(event.RecursiveWatch),
			func(e event.Event) bool { return e.Watch == event.RecursiveWatch }},
		{"type", typeBit, 255, func(e event.Event) bool { return e.Type == 255 }},
		{"mode", modeBit, 255, func(e event.Event) bool { return e.Mode == 255 }},
		{"zxid", zxidBit, huge, func(e event.Event) bool { return e.Zxid == math.MinInt64 }},
		{"session", sessionBit, huge, func(e event.Event) bool { return e.Session == -1 }},
		{"n", nBit, huge, func(e event.Event) bool { return e.N == math.MinInt64 }},
		{"the lowest code", codeBit, 1<<32 - 1, func(e event.Event) bool { return e.Code == math.MinInt32 }},
		{"the highest code", codeBit, 1<<32 - 2, func(e event.Event) bool { return e.Code == math.MaxInt32 }},
		{"reason", reasonBit, uint64(event.LeftHidden),
			func(e event.Event) bool { return e.Reason == event.LeftHidden }},
		{"line", lineBit, 65535, func(e event.Event) bool { return e.Line == 65535 }},
	} {
		e, rest, err := event.DecodeBinary(forged(seqBit|c.bit, 7, c.bound))
		if err != nil || len(rest) != 0 || !c.got(e) {
			t.Errorf("%s of %d: %+v, %v", c.name, c.bound, e, err)
		}
		beyond := c.bound + 1
		switch {
		case c.bound == huge:
			continue
		case c.name == "the highest code":
			beyond = c.bound + 2
		case c.bit == actorBit || c.bit == peerBit:
			beyond = 40_000
		}
		// The field's type would cut off the extra 2^32.
		for _, n := range []uint64{beyond, beyond + 1<<32 + 1<<40} {
			if e, _, err := event.DecodeBinary(forged(seqBit|c.bit, 7, n)); err == nil {
				t.Errorf("%s of %d: %+v", c.name, n, e)
			}
		}
	}
	if e, _, err := event.DecodeBinary(forged(seqBit, math.MaxUint32)); err != nil || e.Seq != math.MaxUint32 {
		t.Errorf("the last sequence number: %+v, %v", e, err)
	}
	if e, _, err := event.DecodeBinary(forged(seqBit, 1<<32+7)); err == nil {
		t.Errorf("a sequence number of more than 32 bits: %+v", e)
	}
}

// TestDecodeErrors checks that the decoder reports the first error and consumes nothing.
func TestDecodeErrors(t *testing.T) {
	const (
		cutOff = "event: the data is cut off"
		length = "event: a string is too long"
		number = "event: a number is out of its range"
	)
	long := append(forged(seqBit|textBit, 7, 257), make([]byte, 257)...)
	for _, c := range []struct {
		name, want string
		src        []byte
	}{
		{"nothing", cutOff, nil},
		{"one byte", cutOff, []byte{1}},
		{"a mask that does not end", cutOff, []byte{1, 0x80}},
		{"a field that is not known", number, forged(seqBit|reasonBit<<1, 7)},
		{"no field", "event 0: sequence numbers start at 1", forged(0)},
		{"a number that does not end", cutOff, forged(seqBit)},
		{"a number of more than 64 bits", cutOff, append(forged(seqBit), "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02"...)},
		{"a string that does not end", cutOff, append(forged(seqBit|pathBit, 7, 5), "four"...)},
		{"a text too long", length, long},
		{"a text too long that is cut off", length, long[:20]},
		{"a path longer than a string can be", number, forged(seqBit|pathBit, 7, 1<<31)},
		{"a path longer than a path can be", length, forged(seqBit|pathBit, 7, 1<<20+1)},
		{"an actor, then a cut", number, forged(seqBit|actorBit|peerBit, 7, 40_000)},
		{"a code, then a cut", number, forged(seqBit|codeBit|reasonBit, 7, 1<<40)},
		{"an unknown kind", "event 7: there is no kind 99", append([]byte{99}, forged(seqBit, 7)[1:]...)},
	} {
		if e, rest, err := event.DecodeBinary(c.src); err == nil || err.Error() != c.want || len(rest) != len(c.src) ||
			e != (event.Event{}) {
			t.Errorf("%s: %+v, %d bytes left, %v", c.name, e, len(rest), err)
		}
	}
}

// TestOfTransaction checks that four kinds of messages count, but none that begins an epoch.
func TestOfTransaction(t *testing.T) {
	const zxid = 2<<32 | 1
	server := event.Server(1)
	for _, c := range []struct {
		e    event.Event
		want bool
	}{
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Proposal, Zxid: zxid}, true},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Ack, Zxid: zxid}, true},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Commit, Zxid: zxid}, true},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Inform, Zxid: zxid}, true},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Ack, Zxid: 2 << 32}, false},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.ServerPing, Zxid: zxid}, false},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Notification, Zxid: zxid}, false},
		{event.Event{Actor: server, Peer: 1, Op: event.Ack, Zxid: zxid}, false},
		{event.Event{Actor: 1, Peer: server, Op: event.Ack, Zxid: zxid}, false},
	} {
		if c.e.OfTransaction() != c.want {
			t.Errorf("%v from %v to %v with zxid %#x: %v", c.e.Op, c.e.Actor, c.e.Peer, c.e.Zxid, !c.want)
		}
	}
}
