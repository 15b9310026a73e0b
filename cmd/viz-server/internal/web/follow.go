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
	f := nowhere()
	for {
		mine, rooms := c.bell.Next(), f.room.bell.Next()
		sent, err := c.flush(ctx, &f)
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

// nowhere is the follower of an empty room: until the page has asked for something, and when its room is gone.
func nowhere() follower {
	return follower{entry: entry{room: &room{bell: new(hub.Bell)}}}
}

// flush sends what there is: refusals, then the room's state, then events.
func (c *conn) flush(ctx context.Context, f *follower) (sent bool, err error) {
	turn, errs := c.take()
	if turn != nil {
		*f = follower{entry: *turn, known: nothing, seen: nothing}
	}
	n := f.room.newsSince(f.known, f.seen)
	if n.gone {
		if c.here() == f.room {
			errs = append(errs, sayError{Say: "error", Do: doResume, Text: errGone.Error()})
		}
		*f = nowhere()
	} else if n.generation != f.seen {
		f.next = nil
	}
	var says []any
	for _, e := range errs {
		says = append(says, e)
	}
	for _, say := range append(says, n.says...) {
		if err := c.s.writeText(ctx, encode(say)); err != nil {
			return sent, err
		}
		sent = true
	}
	if n.gone {
		return sent, nil
	}
	f.known, f.seen = n.version, n.generation
	events, err := c.sendEvents(ctx, f, n.branches)
	return sent || events, err
}

func (c *conn) take() (turn *entry, errs []sayError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	turn, errs = c.turn, c.errs
	c.turn, c.errs = nil, nil
	return turn, errs
}

// sendEvents sends the next frames of each branch that the page was told of.
func (c *conn) sendEvents(ctx context.Context, f *follower, branches int) (sent bool, err error) {
	if branches == 0 {
		return false, nil
	}
	frame := c.frames.get()
	defer c.frames.put(frame)
	for id := len(f.next); id < branches; id++ {
		f.next = append(f.next, f.firstOf(id))
	}
	for id := range branches {
		for range framesAtOnce {
			var next event.Seq
			*frame, next = f.room.appendFrame((*frame)[:0], f.seen, id, f.next[id])
			if next == f.next[id] {
				break
			}
			if err := c.s.writeBinary(ctx, *frame); err != nil {
				return sent, err
			}
			f.next[id] = next
			sent = true
		}
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
