package class

import (
	"cmp"
	"context"
	"slices"
	"sync"

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
	// Open returns a class's clients, which take a lock, none at first. They call changed when a learner's View may be
	// new; it doesn't call back.
	Open(class string, l Lock, changed func(learner int)) Crowd
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

// NoClient is how the client of a learner is who hasn't taken the lock.
const NoClient = "none"

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

// clients has the learners' clients. Those are of the server that owns the class: the others pass on what learners do
// with them, and are told how they are.
type clients struct {
	class  *Class
	crowds Crowds // nil if learners can't have clients here

	mu     sync.Mutex
	closed bool               // the class has left this server
	owns   bool               // this server owns the class
	crowd  Crowd              // nil if learners have none here
	lock   *Lock              // that the crowd takes
	here   []Where            // where each learner is, as the crowd was told
	of     map[int][]*Page    // this server's pages by learner
	told   map[int]ClientView // how clients at the owner are
}

// mayGather returns an error if a teacher wants clients that there can't be.
func (c *clients) mayGather(o Order) error {
	switch {
	case !o.Who.Teacher || o.Do != SetClients || o.Lock == nil:
		return nil
	case c.crowds == nil:
		return ErrNoZooKeeper
	}
	return c.crowds.Check(*o.Lock)
}

// own says whether this server owns the class. One that has lost it keeps its clients until another has it, since it
// may get it back: see yield.
func (c *clients) own(owns bool) {
	c.mu.Lock()
	was := c.owns
	c.owns = owns
	if owns {
		c.told = nil
	}
	c.mu.Unlock()
	if owns && !was {
		c.gather()
		c.tell(0)
	}
}

// yield ends the clients here, if another server owns the class.
func (c *clients) yield() {
	c.mu.Lock()
	owns := c.owns
	c.mu.Unlock()
	if !owns {
		c.replace(nil, nil)
	}
}

// gather has clients as the class's state says, if it is this server that should.
func (c *clients) gather() {
	var lock *Lock
	c.class.Read(func(s *State) {
		if !s.Ended {
			lock = s.Lock
		}
	})
	c.mu.Lock()
	owns, has := c.owns && !c.closed, c.lock
	c.told = nil
	c.mu.Unlock()
	switch {
	case lock == nil || c.crowds == nil:
		c.replace(nil, nil)
	case owns && (has == nil || *has != *lock):
		c.replace(c.crowds.Open(c.class.Name, *lock, c.changed), lock)
	}
}

// replace ends the learners' clients, and has others that take a lock.
func (c *clients) replace(crowd Crowd, lock *Lock) {
	here := c.present()
	c.mu.Lock()
	old := c.crowd
	c.crowd, c.lock, c.here = crowd, lock, here
	for _, pages := range c.of {
		ring(pages)
	}
	c.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

// close ends the learners' clients.
func (c *clients) close() {
	c.mu.Lock()
	c.closed, c.owns = true, false
	c.mu.Unlock()
	c.replace(nil, nil)
}

// changed hears of the crowd that a learner's client is another way. The crowd can't be asked now how it is.
func (c *clients) changed(learner int) {
	c.ring(learner)
	c.tell(learner)
}

// tell has the other servers told how a learner's client is, or all if that is 0.
func (c *clients) tell(learner int) {
	c.mu.Lock()
	owns := c.owns
	c.mu.Unlock()
	if owns && c.class.isOpen() {
		c.class.line.Changed(learner)
	}
}

// hear takes how a client at the owner is: see Class.Told.
func (c *clients) hear(learner int, v ClientView) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.owns || learner < 0 || learner > MaxLearners:
		return
	case learner == 0:
		c.told = nil
		for _, pages := range c.of {
			ring(pages)
		}
		return
	case c.told == nil:
		c.told = map[int]ClientView{}
	}
	c.told[learner] = v
	ring(c.of[learner])
}

// view returns how a learner's client is, encoded, or nil if learners have none.
func (c *clients) view(learner int) []byte {
	has := false
	c.class.Read(func(s *State) { has = s.Lock != nil && !s.Ended })
	if learner == 0 || !has {
		return nil
	}
	c.mu.Lock()
	crowd, v := c.crowd, c.told[learner]
	c.mu.Unlock()
	if crowd != nil {
		v = crowd.View(learner)
	}
	v.Say, v.Is = "client", cmp.Or(v.Is, NoClient)
	c.class.Read(func(s *State) {
		if l := s.learner(v.Behind); l != nil {
			v.Name = l.Name
		}
	})
	return say(v)
}

// present returns where each learner is.
func (c *clients) present() (all []Where) {
	c.class.room.Read(func(s *State, p *Presence) { all = p.Of(len(s.Learners)) })
	return all
}

// count tells the crowd who has a page, at whichever server, and who hasn't any more.
func (c *clients) count() {
	now := c.present()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, where := range now {
		was := i < len(c.here) && c.here[i] != Gone
		if is := where != Gone; c.crowd != nil && is != was {
			c.crowd.Here(i+1, is)
		}
	}
	c.here = now
}

// sit says that a page is a learner's, or nobody's any more if that is 0.
func (c *clients) sit(p *Page, learner int) {
	c.mu.Lock()
	left := slices.DeleteFunc(c.of[p.sits], func(o *Page) bool { return o == p })
	if c.of[p.sits] = left; len(left) == 0 {
		delete(c.of, p.sits)
	}
	if p.sits = learner; learner != 0 {
		c.of[learner] = append(c.of[learner], p)
	}
	c.mu.Unlock()
	p.moved.Store(true)
	c.count()
}

// ring tells a learner's pages that their client has changed.
func (c *clients) ring(learner int) {
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

// IsMove reports whether a command moves a learner's client.
func IsMove(do string) bool { return slices.Contains(moves, do) }

// move has the owner move a learner's client, unless that makes no sense here already.
func (c *Class) move(ctx context.Context, o Order) error {
	if _, err := c.mover(o); err != nil {
		return err
	}
	return c.line.Move(ctx, o)
}

// Move moves a learner's client. Who calls it owns the class. Its error is a sentence.
func (c *Class) Move(o Order) error {
	name, err := c.mover(o)
	if err != nil {
		return err
	}
	c.clients.mu.Lock()
	crowd := c.clients.crowd
	c.clients.mu.Unlock()
	if crowd == nil { // another server had one
		return ErrNoZooKeeper
	}
	return crowd.Move(o.Who.Learner, name, o.Do)
}

// mover returns the name of the learner who gives an order about their client, or why there is none.
func (c *Class) mover(o Order) (name string, err error) {
	c.Read(func(s *State) {
		l := s.learner(o.Who.Learner)
		switch {
		case s.Over(c.now()):
			err = ErrOver
		case l == nil:
			err = ErrNotJoined
		case s.Lock == nil:
			err = ErrNoClients
		default:
			name = l.Name
		}
	})
	return name, err
}

// Own says whether this server owns the class. Lines call it.
func (c *Class) Own(owns bool) {
	c.room.SetElsewhere(!owns)
	c.clients.own(owns)
}

// Yield says that another server owns the class. Lines call it.
func (c *Class) Yield() { c.clients.yield() }

// IsAway reports whether learners' clients take the lock at a path at another server.
func (c *Class) IsAway(path string) (away bool) {
	c.Read(func(s *State) { away = !s.Ended && s.Lock != nil && s.Lock.Path == path })
	return away && c.room.isElsewhere()
}

// Told says how a learner's client is at the server that owns the class; of learner 0, that nobody has one. Lines call
// it.
func (c *Class) Told(learner int, v ClientView) { c.clients.hear(learner, v) }

// ClientOf returns how a learner's client is, at the server that owns the class. Lines call it.
func (c *Class) ClientOf(learner int) ClientView {
	c.clients.mu.Lock()
	crowd := c.clients.crowd
	c.clients.mu.Unlock()
	if crowd == nil {
		return ClientView{Is: NoClient}
	}
	return crowd.View(learner)
}
