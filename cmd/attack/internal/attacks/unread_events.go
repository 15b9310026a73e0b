package attacks

import (
	"context"
	"strings"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// The sizes of unread-events.
const (
	unread    = 200    // connections that watch and do not read
	eventPath = 900    // bytes of the path that each event names
	changes   = 12_000 // of the znode
)

func unreadEvents(ctx context.Context, w *World) error {
	writer, done, err := w.sessionFor(ctx, loner(), longSession)
	if err != nil {
		return err
	}
	defer done()
	if err := root(writer); err != nil {
		return err
	}
	path := Root + "/" + strings.Repeat("e", eventPath)
	if _, _, err := writer.Do(create(path, nil, zoo.Ephemeral)); err != nil {
		return err
	}
	defer closing(writer)
	from := sources()
	var t tally
	for i := range w.n(unread) {
		p, done, err := w.sessionFor(ctx, from[i%len(from)], longSession)
		if err != nil {
			t.add("not connected")
			continue
		}
		defer done()
		if _, _, err := p.Do(wire.Request{Op: wire.OpAddWatch, Path: path, Mode: wire.WatchPersistentRecursive}); err != nil {
			t.add("cut off")
			continue
		}
		t.add("watching and not reading")
	}
	made, refused := many(ctx, writer, w.n(changes), func(int) wire.Request {
		return wire.Request{Op: wire.OpSetData, Path: path, Version: -1}
	})
	w.note("%s; %d of %d changes (%v)", &t, made, w.n(changes), refused)
	return nil
}
