package attacks

import (
	"context"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// ephemerals is how many a session has.
const ephemerals = 200_000

// owned opens a session and makes its ephemeral znodes, which takes half of the time at most.
func (w *World) owned(ctx context.Context) (p *peerOf, err error) {
	session, done, err := w.sessionFor(ctx, loner(), longSession)
	if err != nil {
		return nil, err
	}
	early, cancel := part(ctx, setUpShare)
	defer cancel()
	if err := root(session); err != nil {
		done()
		return nil, err
	}
	made, refused := many(early, session, w.n(ephemerals), func(i int) wire.Request {
		return create(ephemeralName(i), nil, zoo.Ephemeral)
	})
	w.note("%d of %d ephemeral znodes were made (%v)", made, w.n(ephemerals), refused)
	return &peerOf{session, done, made}, nil
}

func ephemeralName(i int) string { return Root + "/e" + strconv.Itoa(i) }

func deleteEphemerals(ctx context.Context, w *World) error {
	p, err := w.owned(ctx)
	if err != nil {
		return err
	}
	defer p.done()
	start, deleted := time.Now(), 0
	const underWay = 1000
	for sent := 0; deleted < p.made && ctx.Err() == nil; {
		for sent < p.made && sent-deleted < underWay {
			p.Queue(&wire.Request{Xid: int32(sent + 1), Op: wire.OpDelete, Path: ephemeralName(p.made - 1 - sent), Version: -1})
			sent++
		}
		if p.Flush() != nil {
			break
		}
		for deleted < sent && (p.Ready() || sent-deleted >= underWay || sent == p.made) {
			if _, err := p.Recv(); err != nil {
				w.note("cut off after %d", deleted)
				return nil
			}
			deleted++
		}
	}
	w.note("%d of them were deleted, from the last, in %v", deleted, time.Since(start).Round(time.Millisecond))
	closing(p.Peer)
	return nil
}

// sessionsEnded is how many sessions end, one after the other.
const sessionsEnded = 5

func sessionEnd(ctx context.Context, w *World) error {
	for range w.n(sessionsEnded) {
		p, err := w.owned(ctx)
		if err != nil {
			return err
		}
		start := time.Now()
		closing(p.Peer)
		p.done()
		if ctx.Err() == nil {
			w.note("the session was closed in %v", time.Since(start).Round(time.Millisecond))
		}
		if p.made == 0 || !sleep(ctx, time.Second) {
			break
		}
	}
	return nil
}
