package live

import (
	"bytes"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// FuzzFrames feeds whatever may come over a connection to what reads it: it must come to an end.
func FuzzFrames(f *testing.F) {
	f.Add(closeFrame())
	f.Add(append([]byte{0, 0, 0, 5}, "hello"...))
	f.Add(bytes.Repeat([]byte{0xff}, 100))
	f.Add([]byte{0, 0, 0, 21, 0, 0, 0, 7, 0, 0, 0, 14, 0, 0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := readFrame(bytes.NewReader(b))
		if err != nil {
			return
		}
		if len(frame) > len(b) {
			t.Fatalf("a frame of %d bytes out of %d", len(frame), len(b))
		}
		payload := frame[4:]
		if r, ok := readRequest(payload); ok && len(r.path) > len(payload) {
			t.Fatalf("a path of %d bytes out of %d", len(r.path), len(payload))
		}
		if r, ok := readReply(payload); ok {
			r.notification()
			r, _ = readReply(payload)
			r.multiPaths()
		}
		readWelcome(payload)
		lastSeen(payload)
		setRelative(payload, 1)
	})
}

// TestReadRequest reads frames as clients send them.
func TestReadRequest(t *testing.T) {
	path := []byte{0, 0, 0, 2, '/', 'x'}
	for name, test := range map[string]struct {
		payload []byte
		want    request
	}{
		"delete":   {append(append([]byte{0, 0, 0, 1, 0, 0, 0, 2}, path...), 0xff, 0xff, 0xff, 0xff), request{xid: 1, op: event.Delete, path: "/x"}},
		"exists":   {append(append([]byte{0, 0, 0, 2, 0, 0, 0, 3}, path...), 1), request{xid: 2, op: event.Exists, path: "/x", watch: true}},
		"ping":     {[]byte{0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 11}, request{xid: xidPing, op: event.Ping}},
		"unknown":  {[]byte{0, 0, 0, 3, 0, 0, 1, 0}, request{xid: 3}},
		"our own":  {closeFrame()[4:], request{xid: xidExpire, op: event.CloseSession}},
		"children": {append(append([]byte{0, 0, 0, 4, 0, 0, 0, 12}, path...), 0), request{xid: 4, op: event.Children, path: "/x"}},
		"create": {append(append([]byte{0, 0, 0, 5, 0, 0, 0, 1}, path...), 0, 0, 0, 1, 'd', 0, 0, 0, 0, 0, 0, 0, 3),
			request{xid: 5, op: event.Create, path: "/x", data: []byte("d"), mode: zoo.EphemeralSequential}},
	} {
		got, ok := readRequest(test.payload)
		if !ok || got.xid != test.want.xid || got.op != test.want.op || got.path != test.want.path ||
			got.watch != test.want.watch || got.mode != test.want.mode || !bytes.Equal(got.data, test.want.data) {
			t.Errorf("%s: read %+v, %v", name, got, ok)
		}
		if _, ok := readRequest(test.payload[:len(test.payload)-1]); ok {
			t.Errorf("%s: read with its last byte missing", name)
		}
	}
}
