package player

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Do executes a command of the page. It reports whether it knows the command and the argument is valid.
func (p *Player) Do(name, arg string) bool {
	if f, ok := plain[name]; ok {
		f(p)
		return true
	}
	switch name {
	case "speed":
		if !p.Pace.set(arg) {
			return false
		}
		p.touch()
	case "seek":
		ms, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(ms >= 0 && ms <= 1e12) {
			return false
		}
		p.Seek(time.Duration(math.Round(ms * float64(time.Millisecond))))
	case "goto-step":
		p.wait(pending{step: arg, first: arg == ""})
	case "tell-step":
		p.tellStep(arg)
	case "goto-event":
		n, err := strconv.ParseUint(arg, 10, 32)
		if err != nil || n == 0 {
			return false
		}
		p.wait(pending{seq: event.Seq(n)})
	case "replay":
		return p.replay(arg)
	case "select":
		p.Select(arg)
	case "branch":
		return p.chooseBranch(arg)
	case "motion":
		p.reduce(arg == "reduced")
	default:
		return false
	}
	return true
}

// plain maps the commands without an argument to methods. Nothing writes to it.
var plain = map[string]func(*Player){
	"play-pause":       (*Player).playPause,
	"step":             (*Player).nextStep,
	"step-back":        (*Player).previousStep,
	"play-first":       (*Player).playFirst,
	"event":            func(p *Player) { p.nudge(1) },
	"event-back":       func(p *Player) { p.nudge(-1) },
	"next-release":     func(p *Player) { p.toRelease(1) },
	"previous-release": func(p *Player) { p.toRelease(-1) },
	"start":            func(p *Player) { p.jump(0, 0) },
	"end":              (*Player).ToEnd,
}

// playPause pauses or resumes; at the end it restarts.
func (p *Player) playPause() {
	switch {
	case p.Head.playing:
		p.Head.playing, p.Head.follow, p.Head.stood = false, false, p.Head.at
	case p.Ended() && !p.looping():
		p.telling = telling{}
		p.Head.move(0, 0)
		p.Head.playing, p.Head.stood = true, 0
	default:
		p.Head.playing = true
	}
	p.touch()
}

// nextStep plays the next step, or jumps to the end of the step being played.
func (p *Player) nextStep() {
	t := p.Log.Shown()
	if t == nil {
		return
	}
	i := p.telling.index(t, &p.Head) + 1
	if p.telling.unasked {
		p.stopAtStep(t, 0)
	}
	if p.telling.rest > 0 {
		p.stopAt(p.Head.at, p.Head.seq)
		return
	}
	underWay := p.telling.heading != "" || p.Head.playing && !p.Log.run.Live()
	if skip := p.telling.ahead(t, &p.Head); underWay && skip < len(t.steps) {
		p.wait(pending{step: t.steps[skip].Anchor, stand: true})
		return
	}
	if i == len(t.steps) && i > 0 && t.steps[i-1].Loop != "" {
		i-- // the last one, which was stopped: it goes on
	}
	if i >= len(t.steps) {
		p.playToEnd(t)
		return
	}
	p.tell(t, i)
}

// tellStep plays the step with the anchor from its beginning. In a live run it only jumps to its end.
func (p *Player) tellStep(anchor string) {
	if t := p.Log.Shown(); t != nil && !p.Log.run.Live() {
		if i := t.index(anchor); i >= 0 {
			p.jump(t.beginning(i))
			p.tell(t, i)
			return
		}
	}
	p.wait(pending{step: anchor, first: anchor == ""})
}

// tell plays to the end of a step; with reduced motion it jumps there. A step that looks back starts where the repeated
// step started, and the step after it starts where the run was left. A step that ends at the playhead is shown at once.
// A live run is not replayed.
func (p *Player) tell(t *Track, i int) {
	s := t.steps[i]
	away := t.index(p.telling.shown)
	if s.Again != "" || s.Loop != "" || away >= 0 && t.steps[away].Again != "" {
		p.jump(t.beginning(i))
	}
	at, seq := t.place(s)
	if p.Pace.still || s.Again != "" && p.Log.run.Live() || !p.Head.before(at, seq) {
		p.wait(pending{step: s.Anchor})
		return
	}
	p.pending, p.Head.follow, p.Head.playing = nil, false, true
	p.telling = telling{shown: s.Anchor, heading: s.Anchor, boost: p.Pace.boost(p.Log.run, t, p.Head.at, at)}
	p.touch()
}

// playToEnd plays the rest of the run after the last step.
func (p *Player) playToEnd(t *Track) {
	if p.Pace.still && t.complete() {
		p.stopAt(t.End(), event.Seq(t.history.Len()))
		return
	}
	p.Head.playing = !p.Ended()
	p.touch()
}

// replay plays from one event to a later one, written like "12-40", in the time of a step, and stops there. With
// reduced motion it only goes to the last one. A live run is not replayed.
func (p *Player) replay(arg string) bool {
	a, b, _ := strings.Cut(arg, "-")
	first, _ := strconv.ParseUint(a, 10, 32) // 0 if it isn't a number
	last, _ := strconv.ParseUint(b, 10, 32)
	t := p.Log.Shown()
	if first == 0 || last <= first || t == nil || int(last) > t.history.Len() || p.Log.run.Live() {
		return false
	}
	if p.Pace.still {
		return p.Do("goto-event", b)
	}
	from, to := max(t.time(event.Seq(first))-notice, 0), t.time(event.Seq(last))
	p.jump(from, t.history.SeqAt(from))
	p.telling.replays, p.telling.boost = pending{seq: event.Seq(last), at: to}, p.Pace.boost(p.Log.run, t, from, to)
	p.Head.playing = true
	return true
}

// previousStep jumps to the end of the previous step, or to the start.
func (p *Player) previousStep() {
	t := p.Log.Shown()
	if t == nil {
		return
	}
	i := p.telling.index(t, &p.Head)
	if i >= 0 {
		if at, seq := t.place(t.steps[i]); p.telling.heading != "" || at == p.Head.at && seq == p.Head.seq {
			i--
		}
	}
	if i < 0 {
		p.jump(0, 0)
		return
	}
	p.stopAtStep(t, i)
	p.begin(t, i)
}

// nudge moves by n events.
func (p *Player) nudge(n int) {
	t := p.Log.Shown()
	if t == nil {
		return
	}
	to := event.Seq(min(max(int(p.Head.seq)+n, 0), t.history.Len()))
	p.stopAt(t.time(to), to)
}

// toRelease goes to the next or the previous hand-over, if there is one.
func (p *Player) toRelease(direction int) {
	t := p.Log.Shown()
	if t == nil {
		return
	}
	var to event.Seq
	for _, r := range t.history.Releases() {
		if direction > 0 && r.Seq > p.Head.seq {
			to = r.Seq
			break
		}
		if direction < 0 && r.Seq < p.Head.seq {
			to = r.Seq
		}
	}
	if to > 0 {
		p.stopAt(t.time(to), to)
	}
}

// ToEnd goes to the end, or to the live edge of a live run. If a run is still arriving, it goes as far as possible, and
// to the end once that has arrived.
func (p *Player) ToEnd() {
	t := p.Log.Shown()
	switch {
	case t != nil && t.complete():
		p.jump(t.End(), event.Seq(t.history.Len()))
		p.Head.wanted = math.MaxInt64
	case !p.Log.run.Live():
		if t != nil {
			p.Head.move(t.End(), event.Seq(t.history.Len()))
		}
		p.wait(pending{end: true})
	case t != nil:
		p.pending, p.Head.playing, p.Head.follow = nil, true, true
		p.telling.leave()
		p.Head.move(p.Log.Edge(), t.history.SeqAt(p.Log.Edge()))
		p.touch()
	}
}

// Seek goes to a time, and keeps playing if it was, unless that was a step that loops.
func (p *Player) Seek(at time.Duration) {
	playing := p.Head.playing && !p.looping()
	p.wait(pending{at: at})
	p.Head.playing = playing && !p.Ended()
}

// Show goes to a time and pauses. Of the events at that moment, those up to seq have happened, or all if seq is 0.
func (p *Player) Show(at time.Duration, seq event.Seq) { p.wait(pending{at: at, seq: seq}) }

// Select selects a client or a znode, or nothing.
func (p *Player) Select(id string) {
	if id != p.chosen {
		p.chosen = id
		p.touch()
	}
}

// chooseBranch shows another branch at the same time.
func (p *Player) chooseBranch(arg string) bool {
	id, err := strconv.Atoi(arg)
	if err != nil || !p.Log.announced(id) {
		return false
	}
	playing := p.Head.playing && !p.looping()
	p.Log.branch = id
	p.wait(pending{at: p.Head.at})
	p.Head.playing = playing && !p.Ended()
	return true
}

// Watch switches to a new branch and plays it from where it differs.
func (p *Player) Watch(id int) {
	if !p.Log.announced(id) {
		return
	}
	p.Log.branch = id
	p.wait(pending{at: p.Log.tracks[id].At})
	p.Head.playing = !p.Pace.still
	p.touch()
}
