package live

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// maxRegs bounds the watches that are remembered for a client. A recipe that leaves more behind loses the
// oldest.
const maxRegs = 4096

// register remembers a watch that was set.
func (c *client) register(key watchKey) *reg {
	if len(c.standing) == maxRegs {
		delete(c.regs, c.standing[0].id)
		c.standing = slices.Delete(c.standing, 0, 1)
	}
	c.lastReg++
	g := &reg{id: c.lastReg, key: key}
	c.standing = append(c.standing, g)
	c.regs[g.id] = g
	return g
}

// notified marks the watches that a watch event is for, and wakes the process if it waits for one.
func (c *client) notified(e zoo.WatchEvent) {
	mine := false
	c.standing = slices.DeleteFunc(c.standing, func(g *reg) bool {
		if g.key.path != e.Path || !g.key.hears(e.Type) {
			return false
		}
		g.fired, g.typ = true, e.Type
		mine = mine || g.awaited
		return true
	})
	if mine && c.wait == waitWatch {
		c.resume()
		return
	}
	c.update()
}

// Await implements zoo.Client.
func (c *client) Await(timeout time.Duration, watches ...zoo.Watch) (zoo.WatchEvent, error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	var none zoo.WatchEvent
	if !c.awake() {
		return none, zoo.ErrStopped
	}
	if timeout < 0 || !c.expect(watches) {
		return none, zoo.ErrBadArguments
	}
	var end time.Time
	if timeout > 0 {
		end = time.Now().Add(timeout)
		defer c.wakeAt(end).Stop()
	}
	c.timed = timeout > 0
	defer func() { c.wait = waitNothing; c.update() }()
	for told := false; ; told = true {
		if !c.awake() {
			return none, zoo.ErrStopped
		}
		if e, ok := c.takeFired(watches); ok {
			return e, nil
		}
		if c.expired {
			return none, zoo.ErrSessionExpired
		}
		if timeout > 0 && !time.Now().Before(end) {
			return none, zoo.ErrTimeout
		}
		if !told {
			c.emit(event.Event{Kind: event.ClientBlocked, Path: c.regs[watches[0]].key.path, N: int64(timeout), Line: c.line()})
		}
		c.wait = waitWatch
		c.update()
		c.cond.Wait()
	}
}

// expect marks the watches as those that wake the process. It reports false if one is unknown.
func (c *client) expect(watches []zoo.Watch) bool {
	for _, id := range watches {
		g := c.regs[id]
		if g == nil {
			return c.expired
		}
		g.awaited = true
	}
	return len(watches) > 0
}

// takeFired returns the event of the first of the watches that has fired, and forgets that watch.
func (c *client) takeFired(watches []zoo.Watch) (zoo.WatchEvent, bool) {
	for _, id := range watches {
		if g := c.regs[id]; g != nil && g.fired {
			delete(c.regs, id)
			return zoo.WatchEvent{Type: g.typ, Path: g.key.path}, true
		}
	}
	return zoo.WatchEvent{}, false
}

// wakeAt makes whoever waits for something of this client look again at a time.
func (c *client) wakeAt(at time.Time) *time.Timer {
	return time.AfterFunc(time.Until(at), func() { c.w.locked(c.cond.Broadcast) })
}

// Sleep implements zoo.Client.
func (c *client) Sleep(d time.Duration) error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	end := time.Now().Add(d)
	if d > 0 {
		defer c.wakeAt(end).Stop()
	}
	for {
		switch {
		case !c.awake():
			return zoo.ErrStopped
		case c.expired:
			return zoo.ErrSessionExpired
		case !time.Now().Before(end):
			return nil
		}
		c.cond.Wait()
	}
}

// owedPatience is how long Work waits in silence for a watch event that should have come before it asks
// whether it is coming at all.
const owedPatience = 300 * time.Millisecond

// Work implements zoo.Client.
//
// Everyone else waits once each of them is in Await and has every watch event that the changes so far
// have fired. The events that are still on their way are known from the changes and the watches that
// both have passed on the links; see tree.
func (c *client) Work(d time.Duration) error {
	if d != zoo.UntilSettled {
		return c.Sleep(d)
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !c.awake() {
		return zoo.ErrStopped
	}
	if c.expired {
		return zoo.ErrSessionExpired
	}
	c.w.settle = append(c.w.settle, c)
	c.wait = waitSettled
	c.update()
	c.w.checkSettled()
	for c.wait == waitSettled && !c.halted() && !c.expired {
		seq := c.w.seq
		t := c.wakeAt(time.Now().Add(owedPatience))
		c.cond.Wait()
		t.Stop()
		if c.wait == waitSettled && c.w.seq == seq {
			c.w.askOwed()
		}
	}
	if c.wait == waitSettled {
		c.leaveSettle()
		c.resume()
	}
	if !c.awake() {
		return zoo.ErrStopped
	}
	if c.expired {
		return zoo.ErrSessionExpired
	}
	return nil
}

func (c *client) leaveSettle() {
	c.w.settle = slices.DeleteFunc(c.w.settle, func(x *client) bool { return x == c })
}
