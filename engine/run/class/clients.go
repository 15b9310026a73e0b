package class

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Lock is the lock that learners take, each with a client of their own.
type Lock struct {
	Path string `json:"path"` // the znode that they queue under
	Way  string `json:"way"`  // how they wait: Crowds knows the ways
}

// Crowds has the clients that learners move.
type Crowds interface {
	// Check returns an error, with a sentence, if learners can't take this lock.
	Check(l Lock) error
	// Open returns the clients that take a lock, none at first. They call changed when a learner's View may be new; it
	// doesn't call back.
	Open(l Lock, changed func(learner int)) Crowd
}

// Crowd has the clients of a class, one for each learner who has taken the lock at least once.
type Crowd interface {
	// Move does one of: take, release, sleep, wake, lose, back. Its error is a sentence.
	Move(learner int, name, do string) error
	// Here says whether a learner has a page. The client of one who is away for long ends. It doesn't call changed.
	Here(learner int, here bool)
	// View returns how a learner's client is.
	View(learner int) ClientView
	// Close has all clients end. It doesn't wait for that.
	Close()
}

// ClientView is how a learner's client is. It is for this learner.
type ClientView struct {
	Say string `json:"say"` // client
	// Is is one of: none, connects, free, asks, waits, holds, asleep, lost (it has no network), expired.
	Is string `json:"is"`
	// Believes is waits or holds, of one that is asleep or has no network.
	Believes string `json:"believes,omitempty"`
	// Before is how many were before it when it looked last, and Behind whose client is just ahead. It's 0 if that is
	// none of the class's.
	Before int    `json:"before,omitempty"`
	Behind int    `json:"behind,omitempty"`
	Name   string `json:"name,omitempty"` // Behind's
	// Client is its name in the log of the Zoo at the lock's path, if anybody looks at that: client-3.
	Client string `json:"client,omitempty"`
}

// Errors of learners' clients.
var (
	ErrNoZooKeeper = sentence.Error("refused.no-zoo", sentence.Text("127.0.0.1:2181"))
	ErrNoClients   = sentence.Error("refused.class.clients")
)

// setClients takes the lock that learners are to take from now on, or nil for none.
func (s *State) setClients(l *Lock) (e Entry, err error) {
	switch {
	case l == nil && s.Lock == nil, l != nil && s.Lock != nil && *l == *s.Lock:
		return e, nil
	case l == nil:
		return Entry{Kind: Clients}, nil
	case len(l.Way) > MaxWay || !shows(l.Way):
		return e, sentence.Error("bad.class.message")
	case l.Path == "/":
		return e, sentence.Error("refused.root")
	}
	return Entry{Kind: Clients, Lock: l}, protocol.ValidatePath(l.Path)
}

// mayGather returns an error if a teacher wants clients that there can't be.
func (c *Class) mayGather(who Party, what Command) error {
	switch {
	case !who.Teacher || what.Do != SetClients || what.Lock == nil:
		return nil
	case c.crowds == nil:
		return ErrNoZooKeeper
	}
	return c.crowds.Check(*what.Lock)
}

// gather has learners' clients as an entry says.
func (c *Class) gather(e Entry) {
	switch {
	case e.Kind == Ended, e.Kind == Clients && (e.Lock == nil || c.crowds == nil):
		c.replace(nil)
	case e.Kind == Clients:
		c.replace(c.crowds.Open(*e.Lock, c.ring))
	}
}

// replace ends the learners' clients, and has others.
func (c *Class) replace(crowd Crowd) {
	c.mu.Lock()
	old := c.crowd
	c.crowd = crowd
	for _, pages := range c.of {
		ring(pages)
	}
	c.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

func (c *Class) theCrowd() Crowd {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.crowd
}

// move does something with a learner's client.
func (c *Class) move(learner int, do string) error {
	name, is, over := "", false, false
	c.Read(func(s *State) {
		over = s.Over(c.now())
		if l := s.learner(learner); l != nil {
			name, is = l.Name, true
		}
	})
	crowd := c.theCrowd()
	switch {
	case over:
		return ErrOver
	case !is:
		return ErrNotJoined
	case crowd == nil:
		return ErrNoClients
	}
	return crowd.Move(learner, name, do)
}

// viewClient returns how a learner's client is, encoded, or nil if learners have none.
func (c *Class) viewClient(learner int) []byte {
	crowd := c.theCrowd()
	if learner == 0 || crowd == nil {
		return nil
	}
	v := crowd.View(learner)
	v.Say = "client"
	c.Read(func(s *State) {
		if l := s.learner(v.Behind); l != nil {
			v.Name = l.Name
		}
	})
	return say(v)
}

// attend records that a learner has one page more or one fewer.
func (c *Class) attend(p *Page, learner int, here bool) {
	if learner == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if here {
		c.of[learner] = append(c.of[learner], p)
	} else {
		c.of[learner] = slices.DeleteFunc(c.of[learner], func(o *Page) bool { return o == p })
	}
	left := len(c.of[learner])
	if left == 0 {
		delete(c.of, learner)
	}
	if c.crowd != nil && (here && left == 1 || left == 0) {
		c.crowd.Here(learner, here)
	}
}

// ring tells a learner's pages that their client has changed.
func (c *Class) ring(learner int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ring(c.of[learner])
}

func ring(pages []*Page) {
	for _, p := range pages {
		p.moved.Store(true)
		p.Ring()
	}
}
