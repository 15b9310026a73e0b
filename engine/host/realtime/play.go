package realtime

import (
	"context"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/process"
)

// Play runs the programs until the log ends. It takes the lock.
func (w *World) Play(ctx context.Context, inject <-chan fault.Fault) {
	w.Locked(func() {
		w.began, w.open = time.Now(), inject != nil
		w.plan(func(f fault.Fault) bool { return f.Hold == 0 })
	})
	for _, t := range w.threads {
		w.programs.Go(t.run)
	}
	w.Go(w.nodes.keepMarks)
	for {
		select {
		case <-w.over:
			return
		case <-ctx.Done():
			w.Locked(func() { w.end(event.EndCancelled) })
			return
		case f, ok := <-inject:
			if !ok {
				inject = nil
				w.Locked(func() { w.open = false })
				break
			}
			w.Locked(func() {
				f.At = w.Now().Round(time.Millisecond)
				w.inject(f)
			})
		}
	}
}

// plan schedules the faults whose time counts from now.
func (w *World) plan(these func(fault.Fault) bool) {
	for _, f := range w.cfg.Faults {
		if these(f) {
			w.lastFault = max(w.lastFault, w.Now()+f.At+f.For)
			w.After(f.At, func() { w.inject(f) })
		}
	}
}

// inject carries out a fault. It changes nothing if the client has ended, and doesn't happen if it is for a hold that
// is over.
func (w *World) inject(f fault.Fault) {
	if w.ended || f.Client < 1 || f.Client > len(w.threads) {
		return
	}
	t := w.threads[f.Client-1]
	if !t.holds.During(f.Hold) {
		return
	}
	cause := w.Emit(event.Event{Kind: event.FaultInjected, Peer: t.id, Text: f.String()})
	if !t.State.Ended && !w.ended {
		w.system.Suffer(t, f, cause)
	}
}

// Look logs what has expired at the nodes, and ends the run if nothing more will happen. settled says that the host
// expects nothing of its system either.
func (w *World) Look(settled bool) {
	w.nodes.tick()
	w.CheckDone()
	w.checkStuck(settled)
}

// CheckDone ends the run once all programs have ended, and all that they left has expired.
func (w *World) CheckDone() {
	if w.running == 0 && w.system.Idle() && !w.nodes.ends(w.lives) {
		w.end(event.EndAllDone)
	}
}

// lives reports whether the client's program has not ended.
func (w *World) lives(client event.Actor) bool { return !w.threads[client-1].State.Ended }

// stuckAfter is how long all programs may wait for each other, as clients outside the run might still change something.
const stuckAfter = 3 * time.Second

// checkStuck ends a run in which every program has long waited for another and none will come.
func (w *World) checkStuck(settled bool) {
	quiet := settled && w.busy == 0 && w.running > 0 && !w.open && w.Now() > w.lastFault && !w.nodes.ends(w.lives)
	for _, t := range w.threads {
		quiet = quiet && t.waitsForOthers()
	}
	switch {
	case !quiet:
		w.still = time.Time{}
	case w.still.IsZero():
		w.still = time.Now()
	case time.Since(w.still) > stuckAfter:
		w.end(event.EndStuck)
	}
}

// checkSettled resumes the first program that waits until all others wait, if they do.
func (w *World) checkSettled() {
	if w.busy > 0 {
		return
	}
	if t, ok := w.settle.Next(func(t *Thread) bool { return !t.State.Paused && !t.State.Stalled }); ok {
		t.Resume()
	}
}

// retryRefused makes the refused programs try again before they count as waiting.
func (w *World) retryRefused() {
	for _, t := range w.threads {
		if t.State.Refused {
			t.State.Refused = false
			t.Update()
		}
	}
}

// waitsForOthers reports whether the program has ended, or does nothing more until another client acts.
func (t *Thread) waitsForOthers() bool {
	s := &t.State
	waits := s.For == process.ForWatch && !t.timed || s.For == process.ForReply && s.Kept > 0
	return s.Ended || s.Later || waits && !s.Paused && !s.Refused
}
