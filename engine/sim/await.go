package sim

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// maxRegs bounds the watches that a client library remembers. A recipe that leaves more behind loses the
// oldest.
const maxRegs = 4096

// register remembers the watch that the request has set, if it has.
func (c *client) register(r *request) zoo.Watch {
	kind := r.leaves()
	if kind == event.NoWatch {
		return 0
	}
	if len(c.regs) == maxRegs {
		c.regs = slices.Delete(c.regs, 0, 1)
	}
	c.lastReg++
	c.regs = append(c.regs, reg{id: c.lastReg, path: r.ask.Path, kind: kind})
	return c.lastReg
}

// Await implements zoo.Client.
func (c *client) Await(timeout time.Duration, watches ...zoo.Watch) (zoo.WatchEvent, error) {
	if c.halted {
		return zoo.WatchEvent{}, zoo.ErrStopped
	}
	if timeout < 0 || !c.expect(watches) {
		return zoo.WatchEvent{}, zoo.ErrBadArguments
	}
	c.overdue = false
	if timeout > 0 {
		c.setTimer(timeout)
		c.w.asleep++
		defer func() { c.w.asleep-- }()
	}
	for told := false; ; told = true {
		if e, ok := c.takeFired(watches); ok {
			return e, nil
		}
		switch {
		case c.expired:
			return zoo.WatchEvent{}, zoo.ErrSessionExpired
		case c.overdue:
			return zoo.WatchEvent{}, zoo.ErrTimeout
		}
		if !told {
			first := c.regs[c.find(watches[0])].path
			c.emit(event.Event{Kind: event.ClientBlocked, Path: first, N: int64(timeout), Line: c.line()})
		}
		if !c.park(waitWatch) {
			return zoo.WatchEvent{}, zoo.ErrStopped
		}
	}
}

// expect marks the watches as those that wake the process. It reports false if one is unknown.
func (c *client) expect(watches []zoo.Watch) bool {
	for _, id := range watches {
		i := c.find(id)
		if i < 0 {
			return c.expired
		}
		c.regs[i].awaited = true
	}
	return len(watches) > 0
}

func (c *client) find(id zoo.Watch) int {
	return slices.IndexFunc(c.regs, func(g reg) bool { return g.id == id })
}

// takeFired returns the event of the first of the watches that has fired, and forgets that watch.
func (c *client) takeFired(watches []zoo.Watch) (zoo.WatchEvent, bool) {
	for _, id := range watches {
		i := c.find(id)
		if i < 0 || !c.regs[i].fired {
			continue
		}
		e := zoo.WatchEvent{Type: c.regs[i].typ, Path: c.regs[i].path}
		c.regs = slices.Delete(c.regs, i, i+1)
		return e, true
	}
	return zoo.WatchEvent{}, false
}
