package wire_test

import (
	"bytes"
	"runtime"
	"testing"
	"unsafe"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// memoryPerByte limits the memory for decoding, per byte of a frame. The worst case is a multi of empty deletes, 17
// bytes each, whose list doubles as it grows.
const memoryPerByte = 3 * int(unsafe.Sizeof(wire.Request{})) / 17

// FuzzRequest decodes anything as a server does. A decoded request must survive encoding and decoding.
func FuzzRequest(f *testing.F) {
	for _, r := range requests() {
		f.Add(r.Append(nil))
	}
	f.Add((&wire.Request{Op: wire.OpSync, Path: "/\U0001f600\xff"}).Append(nil))
	var used wire.Request
	f.Fuzz(func(t *testing.T, frame []byte) {
		var first, again wire.Request
		within(t, len(frame), func() {
			if wire.DecodeRequest(frame, &first) != nil {
				first = wire.Request{}
			}
		})
		if first.Op == 0 {
			return
		}
		if err := wire.DecodeRequest(first.Append(nil), &first); err != nil { // surrogate pairs don't survive
			t.Fatalf("%+v: %v", first, err)
		}
		bytes1 := first.Append(nil)
		if err := wire.DecodeRequest(bytes1, &again); err != nil {
			t.Fatalf("%+v: %v", first, err)
		}
		if err := wire.DecodeRequest(bytes1, &used); err != nil {
			t.Fatalf("%+v, into a used record: %v", first, err)
		}
		if !bytes.Equal(again.Append(nil), bytes1) || !bytes.Equal(used.Append(nil), bytes1) {
			t.Fatalf("first\n%+v, then\n%+v and\n%+v", first, again, used)
		}
	})
}

// FuzzResponse does the same for the client's side.
func FuzzResponse(f *testing.F) {
	for _, r := range responses() {
		f.Add(r.Append(nil), int32(r.Op))
	}
	var used wire.Response
	f.Fuzz(func(t *testing.T, frame []byte, op int32) {
		var first, again wire.Response
		var err error
		within(t, len(frame), func() { err = wire.DecodeResponse(frame, wire.Op(op), &first) })
		if err != nil {
			return
		}
		bytes1 := first.Append(nil)
		if err := wire.DecodeResponse(bytes1, wire.Op(op), &again); err != nil {
			t.Fatalf("%+v: %v", first, err)
		}
		if err := wire.DecodeResponse(bytes1, wire.Op(op), &used); err != nil {
			t.Fatalf("%+v, into a used record: %v", first, err)
		}
		if !bytes.Equal(again.Append(nil), bytes1) || !bytes.Equal(used.Append(nil), bytes1) {
			t.Fatalf("first\n%+v, then\n%+v and\n%+v", first, again, used)
		}
	})
}

// FuzzStream splits a stream into frames and decodes each as everything it could be.
func FuzzStream(f *testing.F) {
	f.Add(framed("\x00\x00\x00\x01", "ruok"))
	f.Add(wire.AppendFrame(nil, &wire.ConnectRequest{TimeoutMS: 4000, Password: make([]byte, 16), HasReadOnly: true}))
	f.Add(wire.AppendFrame(nil, &wire.ConnectResponse{TimeoutMS: 4000, Session: 9, Password: make([]byte, 16)}))
	f.Add(wire.AppendFrame(nil, &wire.Notification{Type: 3, State: 3, Path: "/a", Zxid: -1}))
	f.Fuzz(func(t *testing.T, stream []byte) {
		frames := wire.NewFrameReader(bytes.NewReader(stream), wire.MaxFrame)
		for {
			frame, err := frames.Next()
			if err != nil {
				return
			}
			_ = wire.DecodeRequest(frame, &wire.Request{})
			roundTrip(t, frame)
		}
	})
}

func roundTrip(t *testing.T, frame []byte) {
	var hello wire.ConnectRequest
	if wire.DecodeConnectRequest(frame, &hello) == nil {
		var again wire.ConnectRequest
		if err := wire.DecodeConnectRequest(hello.Append(nil), &again); err != nil ||
			!bytes.Equal(hello.Append(nil), again.Append(nil)) {
			t.Fatalf("%+v, then %+v, %v", hello, again, err)
		}
	}
	var welcome wire.ConnectResponse
	if wire.DecodeConnectResponse(frame, &welcome) == nil {
		var again wire.ConnectResponse
		if err := wire.DecodeConnectResponse(welcome.Append(nil), &again); err != nil ||
			!bytes.Equal(welcome.Append(nil), again.Append(nil)) {
			t.Fatalf("%+v, then %+v, %v", welcome, again, err)
		}
	}
	var note wire.Notification
	if wire.DecodeNotification(frame, &note) == nil {
		var again wire.Notification
		if err := wire.DecodeNotification(note.Append(nil), &again); err != nil || note != again {
			t.Fatalf("%+v, then %+v, %v", note, again, err)
		}
	}
}

// within fails if f takes more memory than a frame of size bytes may cost.
func within(t *testing.T, size int, f func()) {
	var before, after runtime.MemStats
	if size < 64<<10 { // since measuring stops the world
		f()
		return
	}
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if took, limit := after.TotalAlloc-before.TotalAlloc, uint64(memoryPerByte*size); took > limit {
		t.Fatalf("%d bytes of memory for a frame of %d, more than %d", took, size, limit)
	}
}

// TestHostile decodes the frames that take the most memory for their length.
func TestHostile(t *testing.T) {
	multi := &wire.Request{Op: wire.OpMulti, Ops: make([]wire.Request, 60_000)}
	for i := range multi.Ops {
		multi.Ops[i].Op = wire.OpDelete
	}
	paths := &wire.Request{Op: wire.OpSetWatches, DataWatches: make([]string, 250_000)}
	huge := append(paths.Append(nil)[:16], "\x7f\xff\xff\xff"+"1234"...)
	for _, frame := range [][]byte{multi.Append(nil), paths.Append(nil), huge, bytes.Repeat([]byte{0x7f}, wire.MaxFrame)} {
		if len(frame) > wire.MaxFrame {
			t.Fatalf("a frame of %d bytes", len(frame))
		}
		within(t, max(len(frame), 64<<10), func() { _ = wire.DecodeRequest(frame, &wire.Request{}) })
	}
}
