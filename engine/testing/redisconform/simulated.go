package redisconform

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/lua"
	"github.com/zkviz/zkviz/engine/stores/redis/model"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Simulated is the simulated Redis as a Target.
type Simulated struct {
	Pair bool // a primary and its replica
	Lua  bool // run any script; otherwise only the recipes' scripts, which are Go functions

	nodes    [2]*model.Server
	primary  int
	holding  bool
	held     []remote.Effect // for the replica
	replayed int             // by the replica, since it follows
	now      time.Duration
	seq      event.Seq
	conns    [Conns]*sent
}

// sent is one connection and what was sent on it.
type sent struct {
	session remote.Session
	values  []resp.Value
}

// Reply implements remote.Link.
func (c *sent) Reply(r remote.Reply, _ bool, _ event.Seq) {
	c.values = append(c.values, r.Body.(resp.Value))
}

// Push implements remote.Link.
func (c *sent) Push(p remote.Push, _ event.Seq) { c.values = append(c.values, p.Body.(resp.Value)) }

// Close implements remote.Link.
func (c *sent) Close(event.Reason, event.Seq) {}

// nodeOf returns which of two nodes a connection is to.
func nodeOf(pair bool, conn int) int {
	if pair {
		return conn * 2 / Conns
	}
	return 0
}

// Reset implements Target.
func (s *Simulated) Reset() error {
	emit := func(event.Event) event.Seq { s.seq++; return s.seq }
	*s = Simulated{Pair: s.Pair, Lua: s.Lua}
	for i := range s.nodes {
		cfg := model.Config{ID: event.Node(i + 1), Emit: emit}
		if s.Lua {
			cfg.Lua = func(text string) (model.Runner, error) { return lua.Compile(text) }
		}
		s.nodes[i] = model.New(cfg)
	}
	if s.Pair {
		s.follow()
	}
	return nil
}

// follow makes the other node the primary's replica.
func (s *Simulated) follow() {
	primary, replica := s.nodes[s.primary], s.nodes[1-s.primary]
	replica.Follow(primary, s.now, 0)
	s.held, s.replayed = nil, 0
	primary.Replicate(func(e remote.Effect, _ event.Seq) { s.held = append(s.held, e) })
}

// deliver sends the replica what was held.
func (s *Simulated) deliver() {
	for len(s.held) > 0 && !s.holding {
		e := s.held[0]
		s.held = s.held[1:]
		s.nodes[1-s.primary].Replay(e, s.now, 0)
		s.replayed++
		s.nodes[s.primary].Confirm(event.Node(2-s.primary), s.replayed, s.now, 0)
	}
}

// Do implements Target.
func (s *Simulated) Do(step Step) error {
	defer s.deliver()
	switch step.Do {
	case Hold, Release:
		s.holding = step.Do == Hold
	case Failover:
		s.nodes[s.primary].Replicate(nil)
		s.primary, s.holding, s.held = 1-s.primary, false, nil
		s.nodes[s.primary].Promote(s.now, 0)
	case Rejoin:
		s.follow()
	case HangUp:
		if c := s.conns[step.Conn]; c != nil {
			c.session.Lost(s.now, 0)
			s.conns[step.Conn] = nil
		}
	case Pass:
		if len(step.Args) > 0 {
			s.command(step)
		}
		return s.pass()
	default:
		s.command(step)
	}
	return nil
}

func (s *Simulated) command(step Step) {
	c := s.conns[step.Conn]
	if c == nil {
		c = &sent{}
		c.session = s.nodes[nodeOf(s.Pair, step.Conn)].Connect(c, event.Actor(step.Conn+1), s.now)
		s.conns[step.Conn] = c
	}
	c.session.Handle(redis.Request(step.Args), s.now, 0)
}

// pass ends short waits, and advances the clocks so that keys expire. It stays below a tenth of a second, when the
// active expiry cycle would run: the real server's is off.
func (s *Simulated) pass() error {
	if s.now += 2 * time.Millisecond; s.now >= 100*time.Millisecond {
		return fmt.Errorf("a script lets time pass too often")
	}
	for _, n := range s.nodes {
		n.Tick(s.now)
		n.Jump(100*time.Millisecond, s.now, 0)
	}
	return nil
}

// Take implements Target.
func (s *Simulated) Take(conn int, _ bool) (resp.Value, bool, error) {
	c := s.conns[conn]
	if c == nil || len(c.values) == 0 {
		return resp.Value{}, false, nil
	}
	v := c.values[0]
	c.values = c.values[1:]
	return v, true, nil
}
