package live

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// notified marks the watches that an event fires, and wakes the process if it waits for one of them.
func (c *client) notified(e zoo.WatchEvent) {
	if c.watches.Fire(e) && c.State.For == process.ForWatch {
		c.Resume()
		return
	}
	c.update()
}

// Await implements zoo.Client.
func (c *client) Await(timeout time.Duration, watches ...zoo.Watch) (zoo.WatchEvent, error) {
	c.w.Lock()
	defer c.w.Unlock()
	var none zoo.WatchEvent
	if !c.awake() {
		return none, zoo.ErrStopped
	}
	if timeout < 0 || !c.watches.Expect(watches) && (len(watches) == 0 || c.Lost == nil) {
		return none, zoo.ErrBadArguments
	}
	var end time.Time
	if timeout > 0 {
		end = time.Now().Add(timeout)
		defer c.WakeAt(end).Stop()
	}
	defer func() { c.State.For = process.ForNothing; c.update() }()
	for told := false; ; told = true {
		if !c.awake() {
			return none, zoo.ErrStopped
		}
		if e, ok := c.watches.Take(watches); ok {
			return e, nil
		}
		if c.Lost != nil {
			return none, zoo.ErrSessionExpired
		}
		if timeout > 0 && !time.Now().Before(end) {
			return none, zoo.ErrTimeout
		}
		if !told {
			c.Emit(event.Event{
				Kind: event.ClientBlocked, Path: c.watches.Path(watches[0]), N: int64(timeout), Line: c.Source.At(),
			})
		}
		c.AwaitWatch(timeout > 0)
		c.Wait()
	}
}

// ready waits until the process may run. It returns an error if a call must not even be tried.
func (c *client) ready() error {
	c.awake()
	return c.refusal()
}

// owedPatience limits how long Work waits in silence for an overdue watch event before it asks the servers.
const owedPatience = 300 * time.Millisecond

// Work implements program.Process.
//
// With UntilSettled it waits until every other client is in Await and has received every watch event that the
// changes so far have fired. The events still under way follow from the changes and watches that have passed on the
// links; see tree.
func (c *client) Work(d time.Duration) error {
	if d != program.UntilSettled {
		return c.Sleep(d)
	}
	c.w.Lock()
	defer c.w.Unlock()
	return c.Settle(func() {
		seq := c.w.Seq()
		t := c.WakeAt(time.Now().Add(owedPatience))
		c.Wait()
		t.Stop()
		if c.State.For == process.ForSettled && c.w.Seq() == seq {
			c.w.askOwed()
		}
	})
}

// Write implements program.Process. Reaching a store takes as long as reaching ZooKeeper.
func (c *client) Write(store, text string, fence int64) error {
	if err := c.Sleep(c.w.cfg.Latency); errors.Is(err, program.ErrStopped) {
		return err
	}
	return c.Thread.Write(store, text, fence)
}
