package room

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// finder lists what a visit can do with rooms. Each method that returns a room has already counted the visit as one
// of its followers, under who.
type finder interface {
	openRoom(ctx context.Context, who ClientKey, m protocol.Request) (*room, error)
	observe(who ClientKey, cluster, path string) (*room, error)
	zoo(who ClientKey, m protocol.Request) (*room, error)
	resume(who ClientKey, id string) (*room, error)
	window(ctx context.Context, who ClientKey, path, window string) (*room, error)
	openFile(ctx context.Context, who ClientKey, name string) (*room, error)
	// whatIf makes a scenario of what was seen in a room.
	whatIf(ctx context.Context, who ClientKey, r *room, m protocol.Request) (*protocol.Fork, error)
	// explore looks for a schedule that breaks a promise.
	explore(ctx context.Context, who ClientKey, m protocol.Request) (*protocol.Explored, error)
}

// entry is a room to follow, with the first event wanted of each branch. Without an entry for a branch, that is its
// first event.
type entry struct {
	room       *room
	from       map[int]event.Seq
	generation int // the generation that from refers to
}

// do carries out a request.
func (c *visit) do(ctx context.Context, m protocol.Request) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.within, answerTimeout))
	defer cancel()
	switch m.Do {
	case protocol.Inject:
		return c.fault(ctx, m)
	case protocol.Contend:
		return c.contend(m.Clients)
	case protocol.Watches:
		return c.askWatches(ctx)
	case protocol.WhatIf:
		return c.whatIf(ctx, m)
	case protocol.Explore:
		return c.explore(ctx, m)
	}
	// The room that the page leaves may be dropped for the one that it requests.
	left := c.stepOut()
	if left != nil {
		c.rooms.leave(left, c.client, time.Now())
	}
	r, err := c.find(ctx, m)
	if err != nil {
		c.stepBack(left)
		return err
	}
	_, generation := ofName(m.Run)
	c.enter(entry{r, m.From, generation})
	return nil
}

func (c *visit) find(ctx context.Context, m protocol.Request) (*room, error) {
	switch m.Do {
	case protocol.Open:
		return c.finder.openRoom(ctx, c.client, m)
	case protocol.Observe:
		return c.finder.observe(c.client, m.Cluster, m.Path)
	case protocol.Zoo:
		return c.finder.zoo(c.client, m)
	case protocol.Past:
		return c.finder.window(ctx, c.client, m.Path, m.Window)
	case protocol.File:
		return c.finder.openFile(ctx, c.client, m.Name)
	}
	return c.finder.resume(c.client, m.Run)
}

func (c *visit) enter(e entry) {
	c.mu.Lock()
	c.room, c.entering, c.computing = e.room, &e, nil
	c.mu.Unlock()
	c.connection.Follow(true)
	c.bell.Ring()
}

// stepOut stops following the visit's room and returns it, or nil. The writer continues to send its news until
// there is another room.
func (c *visit) stepOut() (left *room) {
	c.mu.Lock()
	left, c.room = c.room, nil
	c.mu.Unlock()
	c.connection.Follow(false)
	return left
}

// stepBack follows the room that was left again, if it still exists.
func (c *visit) stepBack(left *room) {
	if left == nil {
		return
	}
	r, err := c.rooms.enter(left.id, c.client)
	if err != nil {
		return
	}
	c.mu.Lock()
	c.room = r
	c.mu.Unlock()
	c.connection.Follow(true)
}

// here returns the room that the visit follows, or nil.
func (c *visit) here() *room {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.room
}

func (c *visit) fault(ctx context.Context, m protocol.Request) error {
	f, err := fault.Parse(m.Fault)
	if err != nil {
		return err
	}
	r := c.here()
	if r == nil {
		return sentence.Error("refused.no-run")
	}
	if r.carryOut == nil {
		return sentence.Error("refused.observed")
	}
	return r.carryOut(ctx, m.Branch, f)
}

// whatIf answers with a fork.
func (c *visit) whatIf(ctx context.Context, m protocol.Request) error {
	r := c.here()
	if r == nil {
		return sentence.Error("refused.no-run")
	}
	said, err := c.finder.whatIf(ctx, c.client, r, m)
	if err != nil {
		return err
	}
	return c.answer(said)
}

// explore answers with what came of an exploration.
func (c *visit) explore(ctx context.Context, m protocol.Request) error {
	said, err := c.finder.explore(ctx, c.client, m)
	if err != nil {
		return err
	}
	return c.answer(said)
}

// answer leaves an answer to be sent. Only one that isn't a refusal may wait, since it can be large.
func (c *visit) answer(said protocol.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	isRefusal := func(m protocol.Message) bool { _, is := m.(*protocol.Refusal); return is }
	if slices.ContainsFunc(c.answers, func(m protocol.Message) bool { return !isRefusal(m) }) {
		return busy("busy.messages")
	}
	c.answers, c.computing = append(c.answers, said), nil
	c.bell.Ring()
	return nil
}

func (c *visit) askWatches(ctx context.Context) error {
	r := c.here()
	if r == nil || r.cluster == nil {
		return sentence.Error("refused.watches")
	}
	return r.cluster.zk.AskWatches(ctx)
}

func (c *visit) contend(clients int) error {
	r := c.here()
	if r == nil || r.contend == nil {
		return sentence.Error("refused.no-zoo-run")
	}
	return r.contend(clients)
}
