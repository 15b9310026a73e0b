package attacks

import (
	"context"
	"fmt"
	"strings"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
	"github.com/zkviz/zkviz/engine/zoo"
)

// The sizes of unread-lists.
const (
	listed     = 200_000 // children
	listedName = 60      // bytes of each name: a list of them all is just short enough to be answered
	listers    = 50      // connections
	listsEach  = 20      // requests that each sends
	setUpShare = 0.5     // of the time, at most, goes into the children
)

func unreadLists(ctx context.Context, w *World) error {
	owner, done, err := w.sessionFor(ctx, loner(), longSession)
	if err != nil {
		return err
	}
	defer done()
	wide := Root + "/wide"
	if err := root(owner); err != nil {
		return err
	}
	if _, _, err := owner.Do(create(wide, nil, zoo.Persistent)); err != nil {
		return err
	}
	early, cancel := part(ctx, setUpShare)
	defer cancel()
	made, refused := many(early, owner, w.n(listed), func(i int) wire.Request {
		name := fmt.Sprintf("%08d", i)
		return create(wide+"/"+name+strings.Repeat("x", listedName-len(name)), nil, zoo.Persistent)
	})
	w.note("%d of %d children were made (%v)", made, w.n(listed), refused)
	var t tally
	w.sessions(ctx, w.n(listers), &t, func(ctx context.Context, _ int, p *peer.Peer) {
		for range listsEach {
			if err := p.Send(wire.Request{Op: wire.OpGetChildren, Path: wide}); err != nil {
				t.add("cut off")
				return
			}
		}
		t.add("that asked and never read")
		w.held(ctx)
	})
	w.note("connections: %s", &t)
	return nil
}
