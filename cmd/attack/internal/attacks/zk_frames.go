package attacks

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// The sizes of zk-frames.
const (
	announcers    = 400 // sessions that announce a large frame and send half of it
	frameSenders  = 16  // connections that send bad and large frames again and again
	framesASecond = 40
	largeWrites   = 4000 // requests of a megabyte, bad ones in between
)

func frames(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	half := append(binary.BigEndian.AppendUint32(nil, wire.MaxFrame), make([]byte, wire.MaxFrame/2)...)
	for i := range w.n(announcers) {
		p, done, err := w.session(ctx, from[i%len(from)])
		if err != nil {
			t.add("not connected")
			continue
		}
		defer done()
		_ = p.Conn().SetWriteDeadline(time.Now().Add(time.Second)) // the server need not take it all
		_, _ = p.Conn().Write(half)
		t.add("half a frame of a megabyte")
	}
	bad := [][]byte{
		binary.BigEndian.AppendUint32(nil, 0x7fffffff), binary.BigEndian.AppendUint32(nil, 0xffffffff),
		binary.BigEndian.AppendUint32(nil, wire.MaxFrame+1), {0, 0, 0, 4, 0xde, 0xad, 0xbe, 0xef},
		wire.AppendFrame(nil, garbage{}),
	}
	paced(ctx, w.n(largeWrites), framesASecond, frameSenders, func(ctx context.Context, i int) {
		p, done, err := w.session(ctx, from[i%len(from)])
		if err != nil {
			t.add("not connected")
			return
		}
		defer done()
		p.Timeout = sessionTimeout
		if i%2 == 0 {
			a, _, err := p.Do(create(fmt.Sprintf("%s-large-%d", Root, i%frameSenders), make([]byte, wire.MaxFrame-200),
				zoo.Ephemeral))
			if err != nil {
				t.add("large frame cut off")
				return
			}
			t.add("large frame answered with " + a.Code.Error())
			closing(p)
			return
		}
		_ = p.Conn().SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = p.Conn().Write(bad[i/2%len(bad)])
		if _, err := p.Recv(); err != nil {
			t.add("bad frame cut off")
		} else {
			t.add("bad frame answered")
		}
	})
	w.note("%s", &t)
	return nil
}

// garbage is a request that claims a list of two thousand million strings.
type garbage struct{}

// Append implements wire.Record.
func (garbage) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, 1)
	dst = binary.BigEndian.AppendUint32(dst, uint32(wire.OpSetWatches))
	dst = binary.BigEndian.AppendUint64(dst, 0)
	return binary.BigEndian.AppendUint32(dst, 0x7fffffff)
}
