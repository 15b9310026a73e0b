package attacks

import (
	"context"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
	"github.com/zkviz/zkviz/engine/zoo"
)

// The sizes of multi-read.
const (
	bigData      = 1_000_000 // bytes of one znode
	multiReaders = handful
)

// multiReads are how many reads one request has.
var multiReads = []int{1000, 4000}

func multiRead(ctx context.Context, w *World) error {
	owner, done, err := w.session(ctx, loner())
	if err != nil {
		return err
	}
	defer done()
	if err := root(owner); err != nil {
		return err
	}
	big := Root + "/big"
	if a, _, err := owner.Do(create(big, make([]byte, w.n(bigData)), zoo.Ephemeral)); err != nil || a.Code != zoo.OK {
		w.note("a znode of %d bytes was refused: %v %v", w.n(bigData), a.Code, err)
		return nil
	}
	defer closing(owner)
	for _, size := range multiReads {
		ask := wire.Request{Op: wire.OpMultiRead}
		for range w.n(size) {
			ask.Ops = append(ask.Ops, wire.Request{Op: wire.OpGetData, Path: big})
		}
		var t tally
		w.sessions(ctx, multiReaders, &t, func(_ context.Context, _ int, p *peer.Peer) {
			defer closing(p)
			if answer, _, err := p.Do(ask); err != nil {
				t.add("cut off")
			} else {
				t.add("answered with " + answer.Code.Error())
			}
		})
		w.note("multiRead of %d: %s", len(ask.Ops), &t)
		if err := owner.Ping(); err != nil {
			return nil // the time is over, or the server is dead: others see that
		}
	}
	return nil
}
