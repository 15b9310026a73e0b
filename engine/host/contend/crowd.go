package contend

import (
	"math"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Move is what a person does with their client.
type Move string

// The moves.
const (
	Take    Move = "take"    // queue for the lock
	Release Move = "release" // let the lock go, or stop waiting for it
	Sleep   Move = "sleep"   // the process stands still, for MaxSleep at most
	Wake    Move = "wake"
	Lose    Move = "lose" // the network: its connection breaks, and there is no other
	Back    Move = "back"
)

// MaxSleep is how long a client sleeps unless it is woken.
const MaxSleep = time.Minute

// CrowdConfig describes a Crowd. Its Hold, Rest, Data and Ended have no effect.
type CrowdConfig struct {
	Config
	// Seats has room for as many values as there may be clients, of all Crowds that share it. Each client has one in it
	// until it has ended. Required.
	Seats chan struct{}
	// Changed is called when the state of a person's client may have changed. It must not call the Crowd. It may be nil.
	Changed func(who int)
}

// Crowd has the clients that persons move: a client for each person who has taken the lock at least once. Its methods
// are safe for concurrent use.
type Crowd struct {
	cfg CrowdConfig

	mu     sync.Mutex
	people map[int]*person
	closed bool
	all    sync.WaitGroup
}

// NewCrowd returns a Crowd without clients. Call Stop and Wait in the end, or wait for the Seats.
func NewCrowd(cfg CrowdConfig) *Crowd {
	cfg.Config = cfg.withDefaults()
	cfg.Hold = math.MaxInt64
	if cfg.Changed == nil {
		cfg.Changed = func(int) {}
	}
	return &Crowd{cfg: cfg, people: map[int]*person{}}
}

// Errors of moves.
var (
	ErrNoClient = sentence.Error("refused.client.none")
	errCrowded  = func(seats int) error { return sentence.Error("refused.client.full", sentence.Number(seats)) }
	errOver     = sentence.Error("refused.client.over")
	errHas      = sentence.Error("refused.client.has")
	errHasNot   = sentence.Error("refused.client.free")
	errAsleep   = sentence.Error("refused.client.asleep")
	errAwake    = sentence.Error("refused.client.awake")
	errGone     = sentence.Error("refused.client.lost")
	errThere    = sentence.Error("refused.client.there")
)

// Move does something with a person's client. The first Take makes the client. The person's name must be fit to be
// shown.
func (c *Crowd) Move(who int, name string, do Move) error {
	p, err := c.find(who, name, do == Take)
	if err != nil {
		return err
	}
	p.rename(name)
	if err := p.move(do); err != nil {
		return err
	}
	c.cfg.Changed(who)
	return nil
}

// find returns a person's client. If there is none, it makes one if it may.
func (c *Crowd) find(who int, name string, mayMake bool) (*person, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errOver
	}
	p := c.people[who]
	switch {
	case p != nil:
		return p, nil
	case !mayMake:
		return nil, ErrNoClient
	}
	select {
	case c.cfg.Seats <- struct{}{}:
	default:
		return nil, errCrowded(cap(c.cfg.Seats))
	}
	p = newPerson(c, who, name)
	c.people[who] = p
	c.all.Go(func() {
		p.live()
		c.forget(p)
		p.finish()
		<-c.cfg.Seats
	})
	return p, nil
}

func (c *Crowd) forget(p *person) {
	c.mu.Lock()
	if c.people[p.who] == p {
		delete(c.people, p.who)
	}
	c.mu.Unlock()
	c.cfg.Changed(p.who)
}

// Here says whether a person is there. The client of one who stays away for longer than a session lasts, ends.
func (c *Crowd) Here(who int, here bool) {
	if p := c.of(who); p != nil {
		p.attend(here)
	}
}

func (c *Crowd) of(who int) *person {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.people[who]
}

// State returns how a person's client is. It reports false if there is none.
func (c *Crowd) State(who int) (s State, ok bool) {
	p := c.of(who)
	if p == nil {
		return s, false
	}
	s = p.state()
	s.AheadIs = c.whose(sessionOf(s.Ahead))
	return s, true
}

// whose returns the person whose client has a session, or had it before; 0 for none.
func (c *Crowd) whose(session int64) int {
	if p := c.bySession(session); p != nil {
		return p.who
	}
	return 0
}

func (c *Crowd) bySession(session int64) *person {
	if session == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.people {
		if p.has(session) {
			return p
		}
	}
	return nil
}

// Now returns the events with which a log that begins late must start, and whose client it is; 0 if the session belongs
// to none.
func (c *Crowd) Now(session int64) (events []event.Event, who int) {
	p := c.bySession(session)
	if p == nil {
		return nil, 0
	}
	return p.present(), p.who
}

// Stop sends all clients away. There can be no others after that.
func (c *Crowd) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, p := range c.people {
		p.leave()
	}
}

// Wait waits until all clients have ended.
func (c *Crowd) Wait() { c.all.Wait() }
