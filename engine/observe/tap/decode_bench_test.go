package tap

import (
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// BenchmarkDecode decodes reads by one client, each with its answer: of paths that all have rows, and of too many.
func BenchmarkDecode(b *testing.B) {
	for _, paths := range []int{100, 20 * MaxRows} {
		b.Run(fmt.Sprintf("paths=%d", paths), func(b *testing.B) { decode(b, paths) })
	}
}

func decode(b *testing.B, paths int) {
	l := newListener([]string{"a:1"}, time.UnixMilli(0), nil)
	p := &pipe{from: "client:1"}
	at := time.UnixMilli(1)
	pass := func(w direction, bytes []byte) {
		l.take(&piece{pipe: p, kind: passed, direction: w, at: at, bytes: bytes})
	}
	l.take(&piece{pipe: p, kind: opened, at: at})
	pass(up, framesOf(&wire.ConnectRequest{}))
	pass(down, framesOf(&wire.ConnectResponse{Session: 1, TimeoutMS: 4000}))
	asks, answers := make([][]byte, paths), make([][]byte, paths)
	for i := range asks {
		asks[i] = framesOf(&wire.Request{Xid: int32(i + 1), Op: wire.OpGetData, Path: fmt.Sprintf("/app/lock/%d", i)})
		answers[i] = framesOf(&wire.Response{Xid: int32(i + 1), Op: wire.OpGetData, Zxid: 5})
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		at = at.Add(20 * time.Microsecond)
		pass(up, asks[i])
		pass(down, answers[i])
		i = (i + 1) % len(asks)
	}
}
