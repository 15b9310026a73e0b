package room

import (
	"context"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// follower is the position of a visit's writer in the room that it follows.
type follower struct {
	entry
	known, seen int           // version and generation of the room's state that the page knows
	next        []event.Seq   // by branch, the next event to send
	told        []told        // by branch, what the page knows of the verdict
	again       time.Duration // when there may be another verdict, though nothing else happens; 0 for never
}

// write sends the page news until ctx or stopping ends or the page no longer reads.
func (c *visit) write(ctx, stopping context.Context) {
	ping := time.NewTicker(PingEvery)
	defer ping.Stop()
	f := nowhere()
	for {
		mine, rooms := c.bell.Next(), f.room.bell.Next()
		sent, err := c.flush(ctx, &f)
		if err != nil {
			return
		}
		if stopping.Err() != nil {
			c.v.Close(Leaving, "the server is stopping")
			return
		}
		if sent {
			hub.Rest(ctx)
			continue
		}
		var later <-chan time.Time
		if f.again > 0 {
			later = time.After(f.again)
		}
		select {
		case <-later:
		case <-mine:
		case <-rooms:
		case <-ping.C:
			if c.v.Ping(ctx) != nil {
				return
			}
		case <-ctx.Done():
			return
		case <-stopping.Done():
		}
	}
}

// nowhere returns the follower of an empty room, for a page that has requested nothing yet or whose room is gone.
func nowhere() follower {
	return follower{entry: entry{room: &room{bell: new(hub.Bell)}}}
}

// flush sends pending data: answers, then the room's state, then verdicts and events.
func (c *visit) flush(ctx context.Context, f *follower) (sent bool, err error) {
	turn, answers := c.take()
	if turn != nil {
		*f = follower{entry: *turn, known: nothing, seen: nothing}
	}
	f.again = f.room.judge(time.Now())
	n := f.room.newsSince(f.known, f.seen)
	if n.gone {
		if c.here() == f.room {
			answers = append(answers, &protocol.Refusal{Do: protocol.Resume, Why: sentence.From(errGone)})
		}
		*f = nowhere()
	} else if n.generation != f.seen {
		f.next, f.told = nil, nil
	}
	for _, say := range append(answers, n.says...) {
		if err := c.v.Message(ctx, protocol.AppendMessage(nil, say)); err != nil {
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

func (c *visit) take() (turn *entry, answers []protocol.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	turn, answers = c.entering, c.answers
	if c.computing != nil {
		answers = append(answers, c.computing)
	}
	c.entering, c.answers, c.computing = nil, nil, nil
	return turn, answers
}

// sendEvents sends what is new of the verdict on each branch that the page knows, and its next frames.
func (c *visit) sendEvents(ctx context.Context, f *follower, branches int) (sent bool, err error) {
	if branches == 0 {
		return false, nil
	}
	frame := c.frames.get()
	defer c.frames.put(frame)
	for id := len(f.next); id < branches; id++ {
		f.next, f.told = append(f.next, f.firstOf(id)), append(f.told, told{})
	}
	for id := range branches {
		for {
			var next told
			if *frame, next = f.room.appendVerdict((*frame)[:0], f.seen, id, f.told[id]); len(*frame) == 0 {
				break
			}
			if err := c.v.Message(ctx, *frame); err != nil {
				return sent, err
			}
			f.told[id], sent = next, true
		}
		for range framesAtOnce {
			var next event.Seq
			*frame, next = f.room.appendFrame((*frame)[:0], f.seen, id, f.next[id])
			if next == f.next[id] {
				break
			}
			if err := c.v.Frame(ctx, *frame); err != nil {
				return sent, err
			}
			c.rooms.totals.events.Add(uint64(next - f.next[id]))
			f.next[id] = next
			sent = true
		}
	}
	return sent, nil
}

// firstOf returns the first event wanted of a branch.
func (f *follower) firstOf(branch int) event.Seq {
	if f.seen != f.generation {
		return 0
	}
	return f.from[branch]
}
