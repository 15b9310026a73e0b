package player

import (
	"cmp"
	"time"
)

// maxTick is the maximum wall time of a tick: a page that was hidden continues where it was.
const maxTick = 250 * time.Millisecond

// Tick lets dt of wall time pass.
func (p *Player) Tick(dt time.Duration) {
	dt = min(max(dt, 0), maxTick)
	p.Log.heard += dt
	t := p.Log.Shown()
	if t.CatchingUp() {
		t.catchUp(atOnce)
		p.Log.news++
	}
	if !p.Head.playing || t == nil || dt == 0 || p.pending != nil {
		return
	}
	if p.Head.follow {
		p.chase(t, dt)
		return
	}
	if p.telling.rest > 0 {
		p.repose(t, dt)
		return
	}
	way := time.Duration(float64(dt) * p.Pace.speed * cmp.Or(p.telling.boost, 1))
	to := p.Head.at + way
	if p.Pace.hurries(p.Log.run) {
		to = t.quiet.after(p.Head.at, way)
	}
	if last := p.telling.replays; last.seq > 0 {
		if last.at <= to {
			p.stopAt(last.at, last.seq)
			return
		}
	} else if i := p.telling.ahead(t, &p.Head); i < len(t.steps) {
		if at, seq := t.place(t.steps[i]); at <= to && int(seq) <= t.history.Len() {
			p.stopAtStep(t, i)
			p.begin(t, i)
			return
		}
	}
	p.advance(t, to)
}

// advance plays up to a time, or to the end of what has arrived.
func (p *Player) advance(t *Track, to time.Duration) {
	if limit := p.Log.Edge(); to >= limit {
		to = max(limit, p.Head.at)
		switch {
		case t.complete():
			p.Head.playing = false
			p.telling.leave()
			p.touch()
		case p.Log.run.Live() && !p.Log.run.Lesson:
			p.Head.follow = true
		}
	}
	p.Head.move(to, max(p.Head.seq, t.history.SeqAt(to)))
}

// chase keeps the playhead at the live edge. It goes a little faster or slower to get there, and jumps only if it is
// far off: the picture must not stutter because a packet was late.
func (p *Player) chase(t *Track, dt time.Duration) {
	edge := p.Log.Edge()
	gap := edge - p.Head.at
	if gap > 2*time.Second || gap < -2*time.Second {
		p.Head.move(edge, t.history.SeqAt(edge))
		return
	}
	rate := 1 + float64(gap)/float64(Delay)
	to := p.Head.at + time.Duration(float64(dt)*min(max(rate, 0), 2))
	if t.complete() && to >= t.End() {
		to, p.Head.playing, p.Head.follow = t.End(), false, false
		p.touch()
	}
	p.Head.move(to, max(p.Head.seq, t.history.SeqAt(to)))
}
