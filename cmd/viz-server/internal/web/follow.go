package web

import (
	"context"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/hub"
)

// follower is where a conn's writer is in the room that it follows.
type follower struct {
	entry
	known, seen int         // version and generation of the room's state that the page was told
	next        []event.Seq // by branch, the first event that it was not sent
}

// write tells the page what is new, until ctx or stopping ends or the page takes nothing any more.
func (c *conn) write(ctx, stopping context.Context) {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	f := follower{}
	f.room = &room{bell: new(hub.Bell)} // an empty one until the page has asked for something
	var frame []byte
	for {
		mine, rooms := c.bell.Next(), f.room.bell.Next()
		sent, err := c.flush(ctx, &f, &frame)
		if err != nil {
			return
		}
		if stopping.Err() != nil {
			c.s.close(closeLeaving, "the server is stopping")
			return
		}
		if sent {
			hub.Rest(ctx)
			continue
		}
		select {
		case <-mine:
		case <-rooms:
		case <-ping.C:
			if c.s.ping(ctx) != nil {
				return
			}
		case <-ctx.Done():
			return
		case <-stopping.Done():
		}
	}
}

// flush sends what there is: refusals, then the room's state, then events.
func (c *conn) flush(ctx context.Context, f *follower, frame *[]byte) (sent bool, err error) {
	turn, errs := c.take()
	for _, e := range errs {
		if err := c.s.writeText(ctx, encode(e)); err != nil {
			return sent, err
		}
		sent = true
	}
	if turn != nil {
		*f = follower{entry: *turn, known: nothing, seen: nothing}
	}
	says, known, generation, logs := f.room.news(f.known, f.seen)
	if generation != f.seen {
		f.next = nil
	}
	f.known, f.seen = known, generation
	for _, say := range says {
		if err := c.s.writeText(ctx, encode(say)); err != nil {
			return sent, err
		}
		sent = true
	}
	events, err := c.sendEvents(ctx, f, logs, frame)
	return sent || events, err
}

func (c *conn) take() (turn *entry, errs []sayError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	turn, errs = c.turn, c.errs
	c.turn, c.errs = nil, nil
	return turn, errs
}

// sendEvents sends the next frame of each branch that the page was told of.
func (c *conn) sendEvents(ctx context.Context, f *follower, logs []eventLog, frame *[]byte) (sent bool, err error) {
	for id := len(f.next); id < len(logs); id++ {
		f.next = append(f.next, f.firstOf(id))
	}
	for id, log := range logs {
		var next event.Seq
		*frame, next = appendFrame((*frame)[:0], id, log, f.next[id])
		if next == f.next[id] {
			continue
		}
		if err := c.s.writeBinary(ctx, *frame); err != nil {
			return sent, err
		}
		f.next[id] = next
		sent = true
	}
	return sent, nil
}

// firstOf is the first event of a branch that is wanted.
func (f *follower) firstOf(branch int) event.Seq {
	if f.seen != f.generation {
		return 0
	}
	return f.from[branch]
}
