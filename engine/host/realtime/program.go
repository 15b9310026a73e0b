package realtime

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// The methods of program.Process take the lock.

// Name implements program.Process.
func (t *Thread) Name() string { return t.id.String() }

// Now implements program.Process.
func (t *Thread) Now() time.Duration {
	t.w.Lock()
	defer t.w.Unlock()
	return t.w.Now()
}

// Sleep implements program.Process.
func (t *Thread) Sleep(d time.Duration) error {
	t.w.Lock()
	defer t.w.Unlock()
	return t.sleep(d)
}

func (t *Thread) sleep(d time.Duration) error {
	end := time.Now().Add(d)
	if d > 0 {
		defer t.WakeAt(end).Stop()
	}
	for {
		if err := t.undisturbed(); err != nil || !time.Now().Before(end) {
			return err
		}
		t.Wait()
	}
}

// Poll implements program.Process.
func (t *Thread) Poll(d time.Duration) error {
	t.w.Lock()
	defer t.w.Unlock()
	if err := t.ready(); err != nil {
		return err
	}
	t.Emit(process.Refused(max(d, 0)))
	t.State.Refused = true
	t.Update()
	return t.sleep(d)
}

// Work implements program.Process.
func (t *Thread) Work(d time.Duration) error {
	t.w.Lock()
	defer t.w.Unlock()
	if d != program.UntilSettled || t != t.main {
		return t.sleep(d)
	}
	return t.Settle(t.Wait)
}

// Settle waits, by calls of wait, until all others wait.
func (t *Thread) Settle(wait func()) error {
	if err := t.undisturbed(); err != nil {
		return err
	}
	t.w.settle.Join(t)
	t.State.For = process.ForSettled
	t.Update()
	for t.State.For == process.ForSettled && !t.gone && t.Lost == nil && t.interrupt == nil {
		wait()
	}
	if t.State.For == process.ForSettled {
		t.w.settle.Leave(t)
		t.Resume()
	}
	return t.undisturbed()
}

// Write implements program.Process. The stores are the host's.
func (t *Thread) Write(store, text string, fence int64) error {
	t.w.Lock()
	defer t.w.Unlock()
	if err := t.Ready(); err != nil {
		return err
	}
	kind, err := t.w.stores.Take(store, fence)
	t.Emit(event.Event{Kind: kind, Path: store, Text: event.Preview([]byte(text)), N: fence})
	return err
}

// Phase implements program.Process.
func (t *Thread) Phase(p program.Phase, about program.Subject) {
	t.w.Lock()
	defer t.w.Unlock()
	if t.Ready() != nil {
		return
	}
	t.Emit(process.Phase(p, about))
	if n := t.holds.Phase(p); n > 0 && t == t.main {
		t.w.plan(func(f fault.Fault) bool { return f.Client == int(t.id) && f.Hold == n })
	}
	if p.Inside() {
		t.w.retryRefused()
	}
}

// Note implements program.Process.
func (t *Thread) Note(text string) {
	t.w.Lock()
	defer t.w.Unlock()
	if t.Ready() == nil {
		t.Emit(process.Note(text))
	}
}

// ZooKeeper implements systems.World. It panics: a run's programs may have a session, which only one thread at a time
// may use.
func (t *Thread) ZooKeeper() zoo.Client { panic("this run has no ZooKeeper") }
