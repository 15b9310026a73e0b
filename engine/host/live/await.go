package live

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// notified marks the watches that an event fires, and wakes the process if it waits for one of them.
func (c *client) notified(e zoo.WatchEvent) {
	if c.watches.Fire(e) && c.state.For == process.ForWatch {
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
	if timeout < 0 || !c.watches.Expect(watches) && (len(watches) == 0 || !c.expired) {
		return none, zoo.ErrBadArguments
	}
	var end time.Time
	if timeout > 0 {
		end = time.Now().Add(timeout)
		defer c.wakeAt(end).Stop()
	}
	c.timed = timeout > 0
	defer func() { c.state.For = process.ForNothing; c.update() }()
	for told := false; ; told = true {
		if !c.awake() {
			return none, zoo.ErrStopped
		}
		if e, ok := c.watches.Take(watches); ok {
			return e, nil
		}
		if c.expired {
			return none, zoo.ErrSessionExpired
		}
		if timeout > 0 && !time.Now().Before(end) {
			return none, zoo.ErrTimeout
		}
		if !told {
			c.emit(event.Event{
				Kind: event.ClientBlocked, Path: c.watches.Path(watches[0]), N: int64(timeout), Line: c.lines.At(),
			})
		}
		c.state.For = process.ForWatch
		c.update()
		c.cond.Wait()
	}
}

// ready waits until the process may run. It returns an error if a call must not even be tried.
func (c *client) ready() error {
	c.awake()
	return c.refusal()
}

// wakeAt wakes everyone who waits on this client's condition at a given time.
func (c *client) wakeAt(at time.Time) *time.Timer {
	return time.AfterFunc(time.Until(at), func() { c.w.locked(c.cond.Broadcast) })
}

// Sleep implements program.Process.
func (c *client) Sleep(d time.Duration) error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	end := time.Now().Add(d)
	if d > 0 {
		defer c.wakeAt(end).Stop()
	}
	for {
		if err := c.disturbed(); err != nil || !time.Now().Before(end) {
			return err
		}
		c.cond.Wait()
	}
}

// disturbed is like ready, but also returns the error of the code that runs alongside the program, once.
func (c *client) disturbed() error {
	if err := c.ready(); err != nil {
		return err
	}
	err := c.interrupt
	c.interrupt = nil
	return err
}

// Poll implements program.Process.
func (c *client) Poll(d time.Duration) error {
	c.w.locked(func() {
		if c.ready() != nil {
			return
		}
		c.emit(process.Refused(max(d, 0)))
		c.state.Refused = true
		c.update()
	})
	return c.Sleep(d)
}

// gotIn clears the refusals: the clients that were refused try again before they count as waiting.
func (w *world) gotIn() {
	for _, c := range w.clients {
		if c.state.Refused {
			c.state.Refused = false
			c.update()
		}
	}
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
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if err := c.disturbed(); err != nil {
		return err
	}
	c.w.settle.Join(c)
	c.state.For = process.ForSettled
	c.update()
	c.w.checkSettled()
	for c.state.For == process.ForSettled && !c.halted() && !c.expired && c.interrupt == nil {
		seq := c.w.seq
		t := c.wakeAt(time.Now().Add(owedPatience))
		c.cond.Wait()
		t.Stop()
		if c.state.For == process.ForSettled && c.w.seq == seq {
			c.w.askOwed()
		}
	}
	if c.state.For == process.ForSettled {
		c.w.settle.Leave(c)
		c.resume()
	}
	return c.disturbed()
}
