package etcdconform

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/etcd/model"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Simulated is the simulated etcd as a versus.Target.
type Simulated struct {
	names
	node  *model.Server
	seq   event.Seq
	conns [Conns]*link
}

// link is one connection, with what the node sent on it.
type link struct {
	session remote.Session
	reply   remote.Reply
	told    []string
}

// Reply implements remote.Link.
func (c *link) Reply(r remote.Reply, _ bool, _ event.Seq) { c.reply = r }

// Push implements remote.Link.
func (c *link) Push(p remote.Push, _ event.Seq) { c.told = append(c.told, p.Path) }

// Close implements remote.Link.
func (c *link) Close(event.Reason, event.Seq) {}

// Reset implements versus.Target.
func (s *Simulated) Reset() error {
	emit := func(event.Event) event.Seq { s.seq++; return s.seq }
	// The timeout with which etcdtest starts the real one.
	s.node = model.New(model.Config{ID: event.Node(1), Emit: emit, Election: 100 * time.Millisecond})
	s.names, s.conns = names{}, [Conns]*link{}
	return nil
}

// Do implements versus.Target.
func (s *Simulated) Do(step Step) error {
	c := s.conns[step.Conn]
	if step.HangUp {
		if c != nil {
			c.session.Lost(0, 0)
			s.conns[step.Conn] = nil
		}
		return nil
	}
	if c == nil {
		c = &link{}
		c.session = s.node.Connect(c, event.Actor(step.Conn+1), 0)
		s.conns[step.Conn] = c
	}
	call := s.call(step.Call)
	c.session.Handle(etcd.Request(call), 0, 0)
	s.reply[step.Conn] = s.answer(call, c.reply)
	return nil
}

// Take implements versus.Target.
func (s *Simulated) Take(conn int, _ bool) (string, bool, error) {
	if reply, is := s.take(conn); is {
		return reply, true, nil
	}
	c := s.conns[conn]
	if c == nil || len(c.told) == 0 {
		return "", false, nil
	}
	key := c.told[0]
	c.told = c.told[1:]
	return deletion(key), true, nil
}

// deletion describes a notification.
func deletion(key string) string { return "the deletion of " + key }
