package ensemble

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// Inject carries out a fault that affects only servers. cause is the event from Injected.
func (c *Cluster) Inject(f fault.Fault, cause event.Seq) {
	switch id := zab.ID(f.Server); f.Kind {
	case fault.CrashServer:
		c.Crash(id, 0, cause)
	case fault.RestartServer:
		c.Crash(id, f.For, cause)
	case fault.StartServer:
		c.StartAgain(id, cause)
	case fault.PauseServer:
		c.Pause(id, f.For, cause)
	case fault.PowerLoss:
		c.LosePower(id, f.For, cause)
	case fault.SlowDisk:
		c.SlowDisk(id, f.For)
	case fault.Partition:
		c.Partition(Sides{A: zab.Set(f.A), B: zab.Set(f.B)}, f.For, cause)
	case fault.DropMessage, fault.DelayMessage, fault.DeliverMessage:
		c.strike(f, cause)
	}
}

// Crash ends a server's process. Its disk stays as it is, and its connections close. The process starts again after
// back, or never if back is 0.
func (c *Cluster) Crash(id zab.ID, back time.Duration, cause event.Seq) {
	s := c.Server(id)
	if s.up {
		s.crash(event.ServerCrashed, cause)
	}
	c.startLater(s, back)
}

// LosePower cuts the power of a server's machine. Data that is not on its disk is lost, and its connections end
// without notice.
func (c *Cluster) LosePower(id zab.ID, back time.Duration, cause event.Seq) {
	s := c.Server(id)
	if s.up {
		s.crash(event.ServerPowerLost, cause)
	} else {
		s.log.cause = s.log.emit(event.Event{Kind: event.ServerStopped, Reason: event.ServerPowerLost, Cause: cause})
	}
	s.Disk.LosePower()
	s.delivered = min(s.delivered, s.Disk.Last())
	c.startLater(s, back)
}

func (c *Cluster) startLater(s *Server, back time.Duration) {
	if back > 0 {
		c.cfg.Plan(c.cfg.Now()+back, Step{kind: begins, to: s.id, cause: s.log.cause})
	}
}

func (s *Server) crash(how event.Reason, cause event.Seq) {
	s.log.cause = s.log.emit(event.Event{Kind: event.ServerStopped, Reason: how, Cause: cause})
	serving := s.node != nil && s.node.Serves()
	s.up = false
	s.quorum.crash(how)
	if serving {
		s.memory.app.Stop(how, s.log.cause)
	}
	s.held, s.effects, s.node = nil, nil, nil
	s.election.crash()
	s.memory.app, s.memory.applied = nil, 0
}

// Pause freezes a server's process for d. Its connections stay open, and messages to it wait.
func (c *Cluster) Pause(id zab.ID, d time.Duration, cause event.Seq) {
	s := c.Server(id)
	if !s.up {
		return
	}
	s.log.emit(event.Event{Kind: event.ServerPaused, N: int64(d), Cause: cause})
	s.paused = max(s.paused, c.cfg.Now()+d)
	c.cfg.Plan(c.cfg.Now()+d, Step{kind: resumes, to: id, life: s.life})
}

func (s *Server) resume() {
	if !s.up || s.paused == 0 || s.c.cfg.Now() < s.paused {
		return
	}
	s.paused = 0
	s.log.cause = s.log.emit(event.Event{Kind: event.ServerResumed})
	if s.diskDone {
		s.diskDone = false
		s.diskReady()
		return
	}
	s.catchUp()
}

// SlowDisk slows a server's disk for d; see slowFsync.
func (c *Cluster) SlowDisk(id zab.ID, d time.Duration) {
	c.Server(id).slow++
	c.cfg.Plan(c.cfg.Now()+d, Step{kind: quickens, to: id})
}

// Sides names two groups of servers.
type Sides struct {
	A, B zab.Set
}

// Partition blocks all messages between two groups for d. Messages sent meanwhile wait.
func (c *Cluster) Partition(s Sides, d time.Duration, cause event.Seq) {
	c.eachLink(s, func(a, b zab.ID) {
		if c.fences[a][b]++; c.fences[a][b] == 1 {
			c.emit(event.Event{Kind: event.LinkCut, Actor: event.Server(int(a)), Peer: event.Server(int(b)), Cause: cause})
		}
	})
	c.cfg.Plan(c.cfg.Now()+d, Step{kind: heals, fence: s, life: c.healed})
}

// Heal ends all partitions.
func (c *Cluster) Heal() {
	c.healed++
	for a := range c.fences {
		for b := range c.fences[a] {
			if c.fences[a][b] > 0 {
				c.fences[a][b] = 1
				c.heal(Sides{A: zab.SetOf(zab.ID(a)), B: zab.SetOf(zab.ID(b))})
			}
		}
	}
}

// eachLink calls do for each link between the two groups.
func (c *Cluster) eachLink(s Sides, do func(a, b zab.ID)) {
	for a := zab.ID(1); int(a) <= c.Size(); a++ {
		for b := zab.ID(1); int(b) <= c.Size(); b++ {
			if s.A.Has(a) && s.B.Has(b) {
				do(min(a, b), max(a, b))
			}
		}
	}
}

func (c *Cluster) fenced(a, b zab.ID) bool { return c.fences[min(a, b)][max(a, b)] > 0 }

// hold keeps a step until its link heals.
func (c *Cluster) hold(x Step) { c.waiting = append(c.waiting, x) }

// heal ends a partition, unless another one covers the link. The waiting steps pass in their order.
func (c *Cluster) heal(s Sides) {
	var healed []func()
	c.eachLink(s, func(a, b zab.ID) {
		if c.fences[a][b]--; c.fences[a][b] > 0 {
			return
		}
		cause := c.emit(event.Event{Kind: event.LinkHealed, Actor: event.Server(int(a)), Peer: event.Server(int(b))})
		healed = append(healed, func() {
			c.Server(a).election.flush(b, cause)
			c.Server(b).election.flush(a, cause)
		})
	})
	c.letThrough()
	for _, tell := range healed {
		tell() // unsent notifications follow those sent earlier
	}
}

// letThrough plans the waiting steps whose partition is gone.
func (c *Cluster) letThrough() {
	waiting := c.waiting
	c.waiting = nil
	for _, x := range waiting {
		if c.fenced(x.from, x.to) {
			c.waiting = append(c.waiting, x)
			continue
		}
		at := c.cfg.Now()
		if k := x.conn; k != nil && x.kind != notified {
			at = k.order[k.end(x.from)].HoldBack(at, c.cfg.Flight)
		}
		c.cfg.Plan(at, x)
	}
}

// StartAgain starts a server whose process has ended.
func (c *Cluster) StartAgain(id zab.ID, cause event.Seq) { c.Server(id).start(cause) }
