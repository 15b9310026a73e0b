package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Await implements zoo.Client.
func (c *client) Await(timeout time.Duration, watches ...zoo.Watch) (zoo.WatchEvent, error) {
	if c.halted {
		return zoo.WatchEvent{}, zoo.ErrStopped
	}
	if timeout < 0 || !c.watches.Expect(watches) && (len(watches) == 0 || !c.session.expired) {
		return zoo.WatchEvent{}, zoo.ErrBadArguments
	}
	c.overdue = false
	if timeout > 0 {
		c.setTimer(timeout)
		c.w.timedWaits++
		defer func() { c.w.timedWaits-- }()
	}
	for reported := false; ; reported = true {
		if e, ok := c.watches.Take(watches); ok {
			return e, nil
		}
		switch {
		case c.session.expired:
			return zoo.WatchEvent{}, zoo.ErrSessionExpired
		case c.overdue:
			return zoo.WatchEvent{}, zoo.ErrTimeout
		}
		if !reported {
			c.emit(event.Event{
				Kind: event.ClientBlocked, Path: c.watches.Path(watches[0]), N: int64(timeout), Line: c.lines.At(),
			})
		}
		if !c.park(process.ForWatch) {
			return zoo.WatchEvent{}, zoo.ErrStopped
		}
	}
}
