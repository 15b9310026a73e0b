package player

import (
	"cmp"
	"time"
)

// maxTick bounds how much wall time one tick makes up for: a page that was hidden goes on where it was.
const maxTick = 250 * time.Millisecond

// longStep is how long, in wall time at speed 1, the way to the next step takes at most.
const longStep = 3900 * time.Millisecond

// shortStep is how long it takes at least: in less nobody sees what moves.
const shortStep = time.Second

// Tick lets dt of wall time pass.
func (p *Player) Tick(dt time.Duration) {
	dt = min(max(dt, 0), maxTick)
	p.heard += dt
	t := p.track()
	if t != nil && t.unjudged() > 0 {
		t.catchUp(atOnce)
		p.news++
	}
	if !p.playing || t == nil || dt == 0 || p.pending != nil {
		return
	}
	if p.follow {
		p.chase(t, dt)
		return
	}
	to := p.onward(t, time.Duration(float64(dt)*p.speed*cmp.Or(p.boost, 1)))
	if i := p.ahead(t); i < len(t.steps) {
		if at, seq := t.place(t.steps[i]); at <= to && int(seq) <= t.history.Len() {
			p.stopAtStep(t, i)
			return
		}
	}
	p.advance(t, to)
}

// ahead is the index of the step at which time will stop: that which is played towards, or the next of the run.
func (p *Player) ahead(t *track) int {
	if i := t.index(p.heading); i >= 0 {
		return i
	}
	i := p.reached(t)
	for i < len(t.steps) && t.steps[i].Again != "" {
		i++
	}
	return i
}

// advance plays on to the time, or to the end of what there is.
func (p *Player) advance(t *track, to time.Duration) {
	if limit := p.limit(t); to >= limit {
		to = max(limit, p.at)
		switch {
		case t.complete():
			p.playing, p.boost, p.heading = false, 0, ""
			p.touch()
		case p.run.Live() && !p.run.Lesson:
			p.follow = true
		}
	}
	p.move(to, max(p.seq, t.history.SeqAt(to)))
}

// limit is how far can be played now.
func (p *Player) limit(t *track) time.Duration {
	if p.run.Live() {
		return p.edge(t)
	}
	return t.end()
}

// edge is where a live run is by now, less Delay: time passes there too while nothing happens.
func (p *Player) edge(t *track) time.Duration {
	if t.complete() {
		return t.end()
	}
	return max(t.last()+p.heard-Delay, 0)
}

// chase keeps the playhead at the live edge. It goes a little faster or slower to get there, and jumps only
// when it is far off: what moves on the screen must not stutter because a packet was late.
func (p *Player) chase(t *track, dt time.Duration) {
	edge := p.edge(t)
	gap := edge - p.at
	if gap > 2*time.Second || gap < -2*time.Second {
		p.move(edge, t.history.SeqAt(edge))
		return
	}
	rate := 1 + float64(gap)/float64(Delay)
	to := p.at + time.Duration(float64(dt)*min(max(rate, 0), 2))
	if t.complete() && to >= t.end() {
		to, p.playing, p.follow = t.end(), false, false
		p.touch()
	}
	p.move(to, max(p.seq, t.history.SeqAt(to)))
}
