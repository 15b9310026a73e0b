package web

import (
	"context"
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
)

// lobby is what a conn can do with rooms. Each method that returns a room has counted the conn, which asks for who, as
// a follower of it.
type lobby interface {
	openRoom(ctx context.Context, who asker, m Message) (*room, error)
	observe(who asker, path string) (*room, error)
	zoo(who asker, path string) (*room, error)
	resume(who asker, id string) (*room, error)
}

// entry is a room to follow, and from which event on by branch; from its first where nothing is said.
type entry struct {
	room       *room
	from       map[int]event.Seq
	generation int // that from is about
}

// do carries out a message.
func (c *conn) do(ctx context.Context, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	switch m.Do {
	case doFault:
		return c.fault(ctx, m)
	case doContend:
		return c.contend(m.Clients)
	}
	// The room that the page leaves gives way to the one that it asks for, if need be.
	left := c.stepOut()
	if left != nil {
		c.rooms.leave(left, c.who, time.Now())
	}
	r, err := c.find(ctx, m)
	if err != nil {
		c.stepBack(left)
		return err
	}
	from, _ := m.cursors() // was checked with the message
	_, generation := ofName(m.Run)
	c.enter(entry{r, from, generation})
	return nil
}

func (c *conn) find(ctx context.Context, m Message) (*room, error) {
	switch m.Do {
	case doOpen:
		return c.lobby.openRoom(ctx, c.who, m)
	case doObserve:
		return c.lobby.observe(c.who, m.Path)
	case doZoo:
		return c.lobby.zoo(c.who, m.Path)
	}
	return c.lobby.resume(c.who, m.Run)
}

func (c *conn) enter(e entry) {
	c.mu.Lock()
	c.room, c.turn = e.room, &e
	c.mu.Unlock()
	c.seat.follow(true)
	c.bell.Ring()
}

// stepOut returns the room that the conn has followed so far, nil if there is none. The writer goes on telling of it
// until there is another.
func (c *conn) stepOut() (left *room) {
	c.mu.Lock()
	left, c.room = c.room, nil
	c.mu.Unlock()
	c.seat.follow(false)
	return left
}

// stepBack follows the room again that was left, if it is still kept.
func (c *conn) stepBack(left *room) {
	if left == nil {
		return
	}
	r, err := c.rooms.enter(left.id, c.who)
	if err != nil {
		return
	}
	c.mu.Lock()
	c.room = r
	c.mu.Unlock()
	c.seat.follow(true)
}

// here is the room that the conn follows, nil if there is none.
func (c *conn) here() *room {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.room
}

func (c *conn) fault(ctx context.Context, m Message) error {
	f, err := fault.Parse(m.Fault)
	if err != nil {
		return err
	}
	r := c.here()
	if r == nil {
		return errors.New(`there is no run yet to do this to; send "open" first`)
	}
	if r.carryOut == nil {
		return errors.New("this is only observed; nothing can be done to it here")
	}
	return r.carryOut(ctx, m.Branch, f)
}

func (c *conn) contend(clients int) error {
	r := c.here()
	if r == nil || r.contend == nil {
		return errors.New(`clients of ours contend in the zoo only; send "zoo" first`)
	}
	return r.contend(clients)
}
