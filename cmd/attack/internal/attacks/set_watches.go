package attacks

import (
	"context"
	"strconv"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
)

// The sizes of set-watches.
const (
	watchesSet  = 100_000 // in one request
	setters     = handful
	settersEach = 20 // requests
)

func setWatches(ctx context.Context, w *World) error {
	var t tally
	w.sessions(ctx, setters, &t, func(ctx context.Context, _ int, p *peer.Peer) {
		defer closing(p)
		for k := range w.n(settersEach) {
			set := wire.Request{Xid: wire.XidSetWatches, Op: wire.OpSetWatches}
			for n := range w.n(watchesSet) {
				path := "/" + strconv.FormatInt(int64(n), 36) // 9 bytes in the frame at most, so that all fit into one
				if k%2 == 0 {
					set.ExistWatches = append(set.ExistWatches, path)
				} else {
					set.DataWatches = append(set.DataWatches, path) // there is no such znode: an event for each
				}
			}
			if a, _, err := p.Do(set); err != nil {
				t.add("cut off")
				return
			} else {
				t.add("answered with " + a.Code.Error())
			}
		}
	})
	w.note("requests: %s", &t)
	return nil
}
