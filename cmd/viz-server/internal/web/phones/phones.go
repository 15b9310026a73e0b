// Package phones has the clients of a class on the ZooKeeper inside: each learner moves one from a page, which may be a
// phone. All who look at the Zoo see them as any client. It joins engine/run/class, which knows learners, to
// engine/host/contend, which runs clients, and to the rooms of the Zoo.
//
// A learner moves only their own client: the rooms refuse faults on it.
package phones

import (
	"cmp"
	"context"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/host/contend"
	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/room"
)

// Limits of learners' clients.
const (
	// MaxClients is how many all classes of a server have, so that the ZooKeeper inside has sessions left for others.
	MaxClients = 400
	// PerSecond is how many moves a learner may make in the long run, and Burst how many at once.
	PerSecond = 2
	Burst     = 6
)

// pace is the pause of contenders after each answer, so that a person can follow their requests, and quick that of
// learners' clients, whose person waits for them.
const (
	pace  = 700 * time.Millisecond
	quick = 300 * time.Millisecond
)

// Config configures Phones. The zero value of a field means the default named next to it.
type Config struct {
	Dial           func() (net.Conn, error) // opens connections to the ZooKeeper; required
	SessionTimeout time.Duration            // that of a learner's client; contend's
	Pace           time.Duration            // its pause after each answer; 300 ms
	Most           int                      // how many clients there may be; MaxClients
	Now            func() time.Time         // the clock; time.Now
	// Offer shows other servers what is seen below a path, where a class's clients are, until ctx ends; nobody.
	Offer func(ctx context.Context, class, path string)
}

// Phones are the clients of all classes of a server. It implements class.Crowds, and room.Zoo's Contend.
type Phones struct {
	cfg   Config
	seats chan struct{} // has a value for each client
	over  sync.Once

	mu     sync.Mutex
	logs   map[*zooLog]bool // of the open rooms
	crowds map[*crowd]bool
}

// New returns Phones without clients.
func New(cfg Config) *Phones {
	cfg.Pace, cfg.Most = cmp.Or(cfg.Pace, quick), cmp.Or(cfg.Most, MaxClients)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Phones{cfg: cfg, seats: make(chan struct{}, cfg.Most), logs: map[*zooLog]bool{}, crowds: map[*crowd]bool{}}
}

// Check implements class.Crowds.
func (p *Phones) Check(l class.Lock) error {
	if way := contend.Way(l.Way); way != contend.Queue && way != contend.Herd {
		return sentence.Error("bad.class.way", sentence.Text(string(contend.Queue+", "+contend.Herd)))
	}
	return nil
}

// Open implements class.Crowds.
func (p *Phones) Open(name string, l class.Lock, changed func(learner int)) class.Crowd {
	c := &crowd{of: p, lock: l, changed: changed, limits: map[int]*rate.Limiter{}}
	ctx, unoffer := context.WithCancel(context.Background())
	if c.unoffer = unoffer; p.cfg.Offer != nil {
		go p.cfg.Offer(ctx, name, l.Path)
	}
	c.Crowd = contend.NewCrowd(contend.CrowdConfig{
		Config: contend.Config{Dial: p.cfg.Dial, Path: l.Path, Way: contend.Way(l.Way), SessionTimeout: p.cfg.SessionTimeout,
			Pace: p.cfg.Pace, Emit: p.tell},
		Seats: p.seats, Changed: changed,
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crowds[c] = true
	return c
}

// Close waits until the clients of all classes have ended, which their Close begins. There can be none after that.
func (p *Phones) Close() {
	p.over.Do(func() {
		for range cap(p.seats) {
			p.seats <- struct{}{}
		}
	})
}

// tell adds what a client reports to the logs that know its session.
func (p *Phones) tell(session int64, e event.Event) event.Seq {
	for _, l := range p.logsOf() {
		l.log.Tell(session, e)
	}
	return 0 // each log has a number of its own for it
}

// crowd has the clients of a class.
type crowd struct {
	*contend.Crowd
	of      *Phones
	lock    class.Lock
	changed func(learner int)
	unoffer context.CancelFunc

	mu     sync.Mutex
	limits map[int]*rate.Limiter // by learner
}

// Move implements class.Crowd.
func (c *crowd) Move(learner int, name, do string) error {
	if !c.mayMove(learner) {
		return sentence.Error("refused.client.fast", sentence.Number(PerSecond))
	}
	return c.Crowd.Move(learner, cmp.Or(name, "#"+strconv.Itoa(learner)), contend.Move(do))
}

func (c *crowd) mayMove(learner int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.limits[learner]
	if l == nil {
		l = rate.NewLimiter(PerSecond, Burst)
		c.limits[learner] = l
	}
	return l.AllowN(c.of.cfg.Now(), 1)
}

// View implements class.Crowd.
func (c *crowd) View(learner int) class.ClientView {
	s, ok := c.State(learner)
	if !ok {
		return class.ClientView{Is: "none"}
	}
	v := class.ClientView{Is: idle(s)}
	switch {
	case s.Asleep:
		v.Is, v.Believes = "asleep", does(s)
	case s.Cut:
		v.Is, v.Believes = "lost", does(s)
	case s.Expired:
		v.Is = "expired"
	case does(s) != "":
		v.Is = does(s)
	}
	if does(s) == "waits" {
		v.Before, v.Behind = s.Before, s.AheadIs
	}
	if n := c.of.number(c.lock.Path, s.Session); n != event.ZooKeeper {
		v.Client = n.String()
	}
	return v
}

// does returns what a client believes: waits, once it knows behind whom; holds; or "" if it does neither.
func does(s contend.State) string {
	switch {
	case s.Phase == program.Waiting && s.Ahead != "":
		return "waits"
	case s.Phase == program.Holding:
		return "holds"
	}
	return ""
}

// idle returns how a client is that neither waits nor holds.
func idle(s contend.State) string {
	switch {
	case !s.Connected:
		return "connects"
	case s.Wants:
		return "asks"
	}
	return "free"
}

// Close implements class.Crowd.
func (c *crowd) Close() {
	c.unoffer()
	c.Stop()
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	delete(c.of.crowds, c)
}

// number returns the number of a session's client in the log of the Zoo at a path; 0 if there is none.
func (p *Phones) number(path string, session int64) event.Actor {
	for _, l := range p.logsOf() {
		if l.path == path {
			return l.log.ClientOf(session)
		}
	}
	return event.ZooKeeper
}

func (p *Phones) logsOf() []*zooLog {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.logs))
}

// present returns what the client with a session says at the start of a log, where it has a number from now on.
func (p *Phones) present(session int64) []event.Event {
	c, said, who := p.find(session)
	if c != nil {
		c.changed(who)
	}
	return said
}

// find returns the class whose client has a session, or nil, and what Crowd.Now does.
func (p *Phones) find(session int64) (c *crowd, said []event.Event, who int) {
	p.mu.Lock()
	all := make([]*crowd, 0, len(p.crowds))
	for c := range p.crowds {
		all = append(all, c)
	}
	p.mu.Unlock()
	for _, c := range all {
		if said, who := c.Now(session); who != 0 {
			return c, said, who
		}
	}
	return nil, nil, 0
}

// zooLog is the log of a room of the Zoo, with its contenders. It implements room.Contenders.
type zooLog struct {
	of   *Phones
	path string
	log  room.ZooLog
	pool *contend.Pool
}

// Contend returns the contenders of a room, to whose log learners' clients report as well. It implements room.Zoo.
func (p *Phones) Contend(path string, log room.ZooLog, left func(int)) room.Contenders {
	l := &zooLog{of: p, path: path, log: log}
	l.pool = contend.New(contend.Config{Dial: p.cfg.Dial, Path: path, Pace: pace, Emit: log.Tell, Ended: left})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logs[l] = true
	return l
}

// Resize implements room.Contenders.
func (l *zooLog) Resize(n int) error { return l.pool.Resize(n) }

// errOwn refuses to do something to a learner's client.
var errOwn = sentence.Error("refused.client.own")

// Do implements room.Contenders.
func (l *zooLog) Do(session int64, f fault.Fault) error {
	if c, _, _ := l.of.find(session); c != nil {
		return errOwn
	}
	return l.pool.Do(session, f)
}

// Now implements room.Contenders.
func (l *zooLog) Now(session int64) []event.Event {
	if said := l.pool.Now(session); said != nil {
		return said
	}
	return l.of.present(session)
}

// Close implements room.Contenders.
func (l *zooLog) Close() {
	l.of.mu.Lock()
	delete(l.of.logs, l)
	l.of.mu.Unlock()
	l.pool.Close()
}
