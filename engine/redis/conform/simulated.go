package conform

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/redis"
	"github.com/zkviz/zkviz/engine/redis/model"
	"github.com/zkviz/zkviz/engine/redis/resp"
	"github.com/zkviz/zkviz/engine/remote"
)

// Simulated is the simulated Redis as a Target.
type Simulated struct {
	node  *model.Server
	now   time.Duration
	seq   event.Seq
	conns [Conns]*sent
}

// sent is one connection, and what it has been sent.
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

// Reset implements Target.
func (s *Simulated) Reset() error {
	emit := func(event.Event) event.Seq { s.seq++; return s.seq }
	s.node, s.conns = model.New(model.Config{ID: event.Node(1), Emit: emit}), [Conns]*sent{}
	return nil
}

// Do implements Target.
func (s *Simulated) Do(step Step) error {
	switch step.Do {
	case Pass:
		s.now += 100 * time.Millisecond
		return nil
	case HangUp:
		if c := s.conns[step.Conn]; c != nil {
			c.session.Lost(s.now, 0)
			s.conns[step.Conn] = nil
		}
		return nil
	}
	c := s.conns[step.Conn]
	if c == nil {
		c = &sent{}
		c.session = s.node.Connect(c, event.Actor(step.Conn+1), s.now)
		s.conns[step.Conn] = c
	}
	c.session.Handle(redis.Request(step.Args), s.now, 0)
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
