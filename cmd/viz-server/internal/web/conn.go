package web

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/hub"
)

// conn is one page: a reader that does what it asks for, and a writer that tells it of the room it
// follows. The page decides the pace: what it has not taken stays in the room's logs.
type conn struct {
	s     socket
	lobby lobby
	who   asker

	bell hub.Bell // the reader has something for the writer
	mu   sync.Mutex
	turn *entry     // a room to follow from now on
	errs []sayError // not yet told
	room *room      // the reader's own: the one that was entered last
}

// lobby is what a conn can do with rooms. Each method that returns a room has counted the conn as a
// follower of it.
type lobby interface {
	openRoom(context.Context, asker, Message) (*room, error)
	observe(who asker, path string) (*room, error)
	zoo(path string) (*room, error)
	resume(id string) (*room, error)
}

// entry is a room to follow, and from which event on by branch; from its first where nothing is said.
type entry struct {
	room       *room
	from       map[int]event.Seq
	generation int // that from is about
}

// serve talks with the page until it leaves, breaks the rules, is gone, or stopping ends.
func (c *conn) serve(stopping context.Context) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		c.write(ctx, stopping)
		c.s.cut() // ends read
	})
	c.read(ctx)
	cancel()
	wg.Wait()
	c.s.cut()
	if c.room != nil {
		c.room.leave(time.Now())
	}
}

// read does what the page asks for, until the connection ends.
func (c *conn) read(ctx context.Context) {
	allowance := allowance{left: MessageBurst, at: time.Now()}
	refused := 0
	for {
		text, err := c.s.read(ctx)
		if err != nil && !errors.Is(err, errNotText) {
			return
		}
		if !allowance.take(time.Now()) {
			c.s.close(closePolicy, fmt.Sprintf("more than %d messages a second", MessagesPerSecond))
			return
		}
		m := Message{}
		if err == nil {
			m, err = ParseMessage(text)
		}
		if err == nil {
			err = c.do(ctx, m)
		}
		if err == nil {
			continue
		}
		if refused++; refused > MaxRefusals {
			c.s.close(closePolicy, "too many messages that had to be refused")
			return
		}
		c.refuse(m.Do, err)
	}
}

// refuse tells the page why it does not get what it asked for.
func (c *conn) refuse(do string, err error) {
	c.mu.Lock()
	c.errs = append(c.errs, sayError{Say: "error", Text: err.Error(), Do: do}) // MaxRefusals at most
	c.mu.Unlock()
	c.bell.Ring()
}

func (c *conn) do(ctx context.Context, m Message) error {
	switch m.Do {
	case doFault:
		return c.fault(ctx, m)
	case doContend:
		return c.contend(m.Clients)
	}
	ctx, cancel := context.WithTimeout(ctx, computeTimeout)
	defer cancel()
	var r *room
	var err error
	switch m.Do {
	case doOpen:
		r, err = c.lobby.openRoom(ctx, c.who, m)
	case doObserve:
		r, err = c.lobby.observe(c.who, m.Path)
	case doZoo:
		r, err = c.lobby.zoo(m.Path)
	case doResume:
		r, err = c.lobby.resume(m.Run)
	}
	if err != nil {
		return err
	}
	from, _ := m.cursors() // was checked with the message
	_, generation := ofName(m.Run)
	c.enter(entry{r, from, generation})
	return nil
}

func (c *conn) enter(e entry) {
	if c.room != nil {
		c.room.leave(time.Now())
	}
	c.room = e.room
	c.mu.Lock()
	c.turn = &e
	c.mu.Unlock()
	c.bell.Ring()
}

func (c *conn) fault(ctx context.Context, m Message) error {
	f, err := fault.Parse(m.Fault)
	if err != nil {
		return err
	}
	if c.room == nil {
		return errors.New(`there is no run yet to do this to; send "open" first`)
	}
	if c.room.carryOut == nil {
		return errors.New("this is only observed; nothing can be done to it here")
	}
	ctx, cancel := context.WithTimeout(ctx, computeTimeout)
	defer cancel()
	return c.room.carryOut(ctx, m.Branch, f)
}

func (c *conn) contend(clients int) error {
	if c.room == nil || c.room.contend == nil {
		return errors.New(`clients of ours contend in the zoo only; send "zoo" first`)
	}
	return c.room.contend(clients)
}

// allowance is what a page may still send: it grows with time, up to MessageBurst.
type allowance struct {
	left float64
	at   time.Time
}

func (a *allowance) take(now time.Time) bool {
	a.left = min(MessageBurst, a.left+now.Sub(a.at).Seconds()*MessagesPerSecond)
	a.at = now
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}
