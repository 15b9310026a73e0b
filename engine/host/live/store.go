package live

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Write implements program.Process. The stores are part of this program: each remembers the greatest fencing number
// that it has seen. Reaching one takes as long as reaching ZooKeeper.
func (c *client) Write(store, text string, fence int64) error {
	if err := c.Sleep(c.w.cfg.Latency); errors.Is(err, program.ErrStopped) {
		return err
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !c.awake() {
		return program.ErrStopped
	}
	kind, err := c.w.stores.Take(store, fence)
	c.emit(event.Event{Kind: kind, Path: store, Text: event.Preview([]byte(text)), N: fence})
	return err
}

// Now implements program.Process.
func (c *client) Now() time.Duration {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.w.now()
}

// slowest is the least delay of a message while its client is delayed.
const slowest = 10 * time.Millisecond

// latency returns the extra one-way delay of the client's messages.
func (c *client) latency() time.Duration {
	if c.slow == 0 {
		return c.w.cfg.Latency
	}
	return max(c.w.cfg.Latency*process.Slowness, slowest)
}
