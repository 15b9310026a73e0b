package realtime

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/process"
)

// Suffer carries out a fault on a program's process. It returns the event since when the process can't be heard, 0 if
// it can.
func (t *Thread) Suffer(f fault.Fault, cause event.Seq) event.Seq {
	switch f.Kind {
	case fault.Crash:
		return t.crash(cause)
	case fault.Vanish:
		t.gate.sever()
		return t.crash(t.Emit(event.Event{Kind: event.ClientVanished, Cause: cause}))
	case fault.Pause:
		return t.pause(f.For, cause)
	case fault.Cut:
		t.cut(f.For)
		return cause
	case fault.Stall:
		t.stall(f.For, cause)
	case fault.Drop:
		t.dropNext = true
	case fault.Delay:
		t.slow++
		t.w.After(f.For, func() { t.slow-- })
	}
	return 0
}

// crash ends the process in the middle of whatever it does.
func (t *Thread) crash(cause event.Seq) event.Seq {
	crashed := t.Emit(event.Event{Kind: event.ClientCrashed, Cause: cause})
	t.State.Paused = false
	t.halt(crashed)
	t.finish()
	return crashed
}

// pause freezes the whole process for d, heartbeats included. Whatever arrives has to wait.
func (t *Thread) pause(d time.Duration, cause event.Seq) event.Seq {
	paused := t.Emit(event.Event{Kind: event.ClientPaused, N: int64(d), Cause: cause})
	now := time.Now()
	if end := now.Add(d); end.After(t.pauseEnd) {
		t.pauseEnd = end
	}
	if !t.State.Paused {
		t.State.Paused, t.pausedAt = true, now
		t.gate.Freeze()
	}
	t.Update()
	t.w.After(d, func() {
		if t.gone || !t.State.Paused || time.Now().Before(t.pauseEnd) {
			return
		}
		t.State.Paused = false
		t.w.system.Resumed(t.id, time.Since(t.pausedAt))
		t.Emit(event.Event{Kind: event.ClientResumed})
		t.gate.Thaw()
		t.Update()
		t.Wake()
	})
	return paused
}

// stall pauses the program for d, but neither its heartbeats nor the threads beside it.
func (t *Thread) stall(d time.Duration, cause event.Seq) {
	t.Emit(event.Event{Kind: event.ProcessStalled, N: int64(d), Cause: cause})
	if end := time.Now().Add(d); end.After(t.stallEnd) {
		t.stallEnd = end
	}
	t.State.Stalled = true
	t.Update()
	t.w.After(d, func() {
		if t.gone || !t.State.Stalled || time.Now().Before(t.stallEnd) {
			return
		}
		t.State.Stalled = false
		t.Emit(event.Event{Kind: event.ProcessMoves})
		t.Update()
		t.Wake()
	})
}

// cut lets nothing through to or from the process for d.
func (t *Thread) cut(d time.Duration) {
	t.gate.Cut()
	t.w.After(d, func() {
		t.gate.Heal()
		if t.IsCut() {
			return
		}
		told := t.unreported
		t.unreported = nil
		for _, e := range told {
			t.reportClosed(e)
		}
		t.w.system.Healed(t.id)
	})
}

// IsCut reports whether the process's network is cut.
func (s *Process) IsCut() bool { return s.gate.isCut() }

// DropsReply reports whether the reply at hand is lost, which ends its connection, as a fault demands.
func (s *Process) DropsReply() bool {
	drops := s.dropNext
	s.dropNext = false
	return drops
}

// slowest is the least delay of a message while its client is slow.
const slowest = 10 * time.Millisecond

// Delay returns by how much a message of the process is delayed.
func (s *Process) Delay() time.Duration {
	if s.slow == 0 {
		return s.w.cfg.Latency
	}
	return max(s.w.cfg.Latency*process.Slowness, slowest)
}

// delay delays a message. It takes the lock.
func (s *Process) delay() {
	var d time.Duration
	s.w.Locked(func() { d = s.Delay() })
	if d > 0 {
		time.Sleep(d)
	}
}
