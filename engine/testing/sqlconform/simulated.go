package sqlconform

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/model"
)

// Simulated is the simulated database as a Target.
type Simulated struct {
	Dialect sql.Dialect
	Seed    uint64
	node    *model.Server
	now     time.Duration
	seq     event.Seq
	conns   [Conns]*sent
}

// sent is one connection and the last reply to it.
type sent struct {
	session remote.Session
	text    string
	busy    bool
}

// Reply implements remote.Link.
func (c *sent) Reply(r remote.Reply, _ bool, _ event.Seq) { c.text, c.busy = r.Text, false }

// Push implements remote.Link.
func (c *sent) Push(remote.Push, event.Seq) {}

// Close implements remote.Link.
func (c *sent) Close(event.Reason, event.Seq) {}

// Reset implements Target.
func (s *Simulated) Reset([]Step) error {
	emit := func(event.Event) event.Seq { s.seq++; return s.seq }
	s.node = model.New(model.Config{ID: event.Node(1), Emit: emit, Dialect: s.Dialect, Seed: s.Seed,
		DeadlockTimeout: 10 * time.Millisecond})
	s.conns = [Conns]*sent{}
	return nil
}

// Do implements Target.
func (s *Simulated) Do(step Step) (o Outcome, err error) {
	s.now += time.Second
	c := s.conns[step.Conn]
	switch {
	case step.HangUp && c != nil:
		c.session.Lost(s.now, 0)
		s.conns[step.Conn] = nil
	case step.HangUp:
	default:
		if c == nil {
			c = &sent{}
			c.session = s.node.Connect(c, event.Actor(step.Conn+1), s.now)
			s.conns[step.Conn] = c
		}
		c.busy = true
		c.session.Handle(sql.Request(s.Dialect, &step.Call), s.now, 0)
	}
	for end := s.now + time.Second/2; ; {
		at, ok := s.node.NextTick()
		if !ok || at > end {
			break
		}
		s.now = max(at, s.now)
		s.node.Tick(s.now)
	}
	for i, c := range s.conns {
		if c != nil {
			o.Replies[i], o.Waits[i] = c.text, c.busy
			c.text = ""
		}
	}
	return o, nil
}
