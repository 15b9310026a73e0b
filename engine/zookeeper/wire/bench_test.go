package wire_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// BenchmarkDecodeRequest measures a server's work for each request, BenchmarkAppendResponse its work for each answer.
// Only data that a request leaves in the tree may take memory.
func BenchmarkDecodeRequest(b *testing.B) {
	for _, r := range []wire.Request{
		{Op: wire.OpGetData, Path: "/bench/node"},
		{Op: wire.OpSetData, Path: "/bench/node", Data: make([]byte, 100), Version: -1},
		{Op: wire.OpCreate, Path: "/bench/node", Data: make([]byte, 100), ACL: zoo.OpenACL()},
		{Xid: wire.XidPing, Op: wire.OpPing},
	} {
		frame := r.Append(nil)
		b.Run(r.Op.String(), func(b *testing.B) {
			b.ReportAllocs()
			var into wire.Request
			for b.Loop() {
				if err := wire.DecodeRequest(frame, &into); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendResponse(b *testing.B) {
	for _, r := range []wire.Response{
		{Op: wire.OpGetData, Data: make([]byte, 100), Stat: stat},
		{Op: wire.OpCreate, Path: "/bench/node"},
	} {
		b.Run(r.Op.String(), func(b *testing.B) {
			b.ReportAllocs()
			var frame []byte
			for b.Loop() {
				frame = wire.AppendFrame(frame[:0], &r)
			}
		})
	}
}

func BenchmarkDecodeResponse(b *testing.B) {
	r := wire.Response{Op: wire.OpGetData, Data: make([]byte, 100), Stat: stat}
	frame := r.Append(nil)
	b.ReportAllocs()
	var into wire.Response
	for b.Loop() {
		if err := wire.DecodeResponse(frame, r.Op, &into); err != nil {
			b.Fatal(err)
		}
	}
}
