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

// conn is one page: a reader that takes in what it asks for, a worker that does it, and a writer that tells the page of
// the room it follows. The page decides the pace: what it has not taken stays in the room's logs.
type conn struct {
	s      socket
	who    asker
	seat   *seat
	lobby  lobby
	rooms  *rooms
	frames *frames

	asks chan ask // what the page has asked for, and is not begun

	bell    hub.Bell // there is something for the writer
	mu      sync.Mutex
	turn    *entry     // a room to follow from now on
	errs    []sayError // not yet told
	refused int        // messages so far
	waiting int        // bytes of asks
	room    *room      // the one that was entered last and not left since
}

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

// ask is a message, or what is wrong with it.
type ask struct {
	m     Message
	err   error
	bytes int
}

// serve talks with the page until it leaves, breaks the rules, is gone, or stopping ends. What is computed for the page
// then ends, too. ctx ends when the page gives way to others.
func (c *conn) serve(ctx, stopping context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.asks = make(chan ask, MaxAsks)
	var wg sync.WaitGroup
	wg.Go(func() {
		c.write(ctx, stopping)
		cancel()
		c.s.cut() // ends read
	})
	wg.Go(func() { c.work(ctx) })
	c.read(ctx)
	cancel()
	wg.Wait()
	c.s.cut()
	if r := c.stepOut(); r != nil {
		c.rooms.leave(r, c.who, time.Now())
	}
}

// read takes in what the page asks for, until the connection ends.
func (c *conn) read(ctx context.Context) {
	allowance := allowance{left: MessageBurst, at: time.Now()}
	for {
		text, err := c.s.read(ctx)
		if err != nil && !errors.Is(err, errNotText) {
			return
		}
		if !allowance.take(time.Now()) {
			c.s.close(closePolicy, fmt.Sprintf("more than %d messages a second", MessagesPerSecond))
			return
		}
		c.seat.use()
		a := ask{err: err, bytes: len(text)}
		if err == nil {
			a.m, a.err = ParseMessage(text)
		}
		if !c.put(a) && !c.refuse(a.m.Do, busy{"the messages before this one are not done yet", againSoon}) {
			return
		}
	}
}

// put leaves something for the worker, unless too much waits for it already.
func (c *conn) put(a ask) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting+a.bytes > MaxAskBytes || len(c.asks) == cap(c.asks) {
		return false
	}
	c.waiting += a.bytes
	c.asks <- a
	return true
}

// work does what the page asks for, one thing after the other, until ctx ends.
func (c *conn) work(ctx context.Context) {
	for {
		var a ask
		select {
		case a = <-c.asks:
		case <-ctx.Done():
			return
		}
		c.mu.Lock()
		c.waiting -= a.bytes
		c.mu.Unlock()
		if a.err == nil {
			a.err = c.do(ctx, a.m)
		}
		if ctx.Err() != nil {
			return // nobody listens
		}
		if a.err != nil && !c.refuse(a.m.Do, a.err) {
			return
		}
	}
}

// refuse tells the page why it does not get what it asked for. It ends the connection and reports false if that has
// happened too often.
func (c *conn) refuse(do string, err error) bool {
	say := sayError{Say: "error", Text: err.Error(), Do: do}
	var b busy
	if errors.As(err, &b) {
		say.AgainMS = b.again.Milliseconds()
	}
	c.mu.Lock()
	c.refused++
	tooMany := c.refused > MaxRefusals
	if !tooMany {
		c.errs = append(c.errs, say) // MaxRefusals at most
	}
	c.mu.Unlock()
	if tooMany {
		c.s.close(closePolicy, "too many messages that had to be refused")
		return false
	}
	c.bell.Ring()
	return true
}

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
