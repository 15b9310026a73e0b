package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// pause keeps everything from a client's program for a while.
type pause struct {
	client  *client
	until   time.Duration
	stalled bool     // only the program is paused, not what runs beside it
	held    []action // what arrived meanwhile
}

// begin stops the whole process for d, heartbeats included. What arrives waits.
func (p *pause) begin(d time.Duration, cause event.Seq) {
	c := p.client
	c.silenced = c.emit(event.Event{Kind: event.ClientPaused, N: int64(d), Cause: cause})
	p.stalled = false
	p.extend(d)
	for _, b := range c.beside {
		b.pause.hold(d)
	}
}

// stall pauses the program for d, but nothing that runs beside it.
func (p *pause) stall(d time.Duration, cause event.Seq) {
	p.client.emit(event.Event{Kind: event.ProcessStalled, N: int64(d), Cause: cause})
	p.stalled = true
	p.extend(d)
}

// extend keeps everything from the program for d, at least.
func (p *pause) extend(d time.Duration) {
	c := p.client
	p.until = max(p.until, c.w.now+d)
	c.w.agenda.Add(c.w.now+d, action{step: stepResume, client: c})
	if !c.state.Paused {
		c.state.Paused = true
		c.w.unreachable++
		c.update()
	}
}

// hold pauses what runs beside a program for d, together with the program.
func (p *pause) hold(d time.Duration) {
	c := p.client
	p.until = max(p.until, c.w.now+d)
	c.state.Paused = true
	c.w.agenda.Add(c.w.now+d, action{step: stepResume, client: c})
}

// end ends a pause, unless a later one goes on. What arrived meanwhile happens now, in order.
func (p *pause) end() {
	c := p.client
	if !c.state.Paused || c.w.now < p.until {
		return
	}
	c.state.Paused = false
	switch {
	case c.main != nil:
	case p.stalled:
		c.w.unreachable--
		c.emit(event.Event{Kind: event.ProcessMoves})
	default:
		c.w.unreachable--
		c.silenced = 0
		c.emit(event.Event{Kind: event.ClientResumed})
	}
	held := p.held
	p.held = nil
	for _, a := range held {
		c.w.agenda.Add(c.w.now, a)
	}
	c.update()
}
