package player

import (
	"math"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// The lowest and the highest speed.
const (
	slowest = 0.1
	fastest = 100
)

// Do executes a command of the page. It reports whether it knows the command and the argument is valid.
func (p *Player) Do(name, arg string) bool {
	if f, ok := plain[name]; ok {
		f(p)
		return true
	}
	switch name {
	case "speed":
		return p.setSpeed(arg)
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
	case "select":
		p.Select(arg)
	case "branch":
		return p.chooseBranch(arg)
	case "motion":
		p.still = arg == "reduced"
		p.touch()
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
	"event":            func(p *Player) { p.nudge(1) },
	"event-back":       func(p *Player) { p.nudge(-1) },
	"next-release":     func(p *Player) { p.toRelease(1) },
	"previous-release": func(p *Player) { p.toRelease(-1) },
	"start":            (*Player).toStart,
	"end":              (*Player).ToEnd,
}

// playPause pauses or resumes; at the end it restarts.
func (p *Player) playPause() {
	switch {
	case p.playing:
		p.playing, p.follow, p.stood = false, false, p.at
	case p.Ended():
		p.shown, p.heading, p.boost = "", "", 0
		p.move(0, 0)
		p.playing, p.stood = true, 0
	default:
		p.playing = true
	}
	p.touch()
}

// nextStep plays the next step, or jumps to the end of the step being played.
func (p *Player) nextStep() {
	t := p.track()
	if t == nil {
		return
	}
	i := p.stepIndex() + 1
	if skip := p.ahead(t); skip < len(t.steps) && (p.heading != "" || p.playing && !p.run.Live()) {
		p.wait(pending{step: t.steps[skip].Anchor})
		return
	}
	if i >= len(t.steps) {
		p.playToEnd(t)
		return
	}
	p.tell(t, i)
}

// tellStep plays the step with the anchor from its beginning. In a live run it only jumps to its end.
func (p *Player) tellStep(anchor string) {
	if t := p.track(); t != nil && !p.run.Live() {
		if i := t.index(anchor); i >= 0 {
			p.begin(t, i)
			p.tell(t, i)
			return
		}
	}
	p.wait(pending{step: anchor, first: anchor == ""})
}

// tell plays to the end of a step; with reduced motion it jumps there. A step that looks back starts where the repeated
// step started, and the step after it starts where the run was left. A step that ends at the playhead is shown at once.
// A live run is not replayed.
func (p *Player) tell(t *track, i int) {
	s := t.steps[i]
	away := t.index(p.shown)
	if s.Again != "" || away >= 0 && t.steps[away].Again != "" {
		p.begin(t, i)
	}
	at, seq := t.place(s)
	if p.still || s.Again != "" && p.run.Live() || at < p.at || at == p.at && seq <= p.seq {
		p.wait(pending{step: s.Anchor})
		return
	}
	p.pending, p.follow, p.playing = nil, false, true
	p.shown, p.heading, p.boost = s.Anchor, s.Anchor, p.boostTo(t, at)
	p.touch()
}

// begin moves the playhead to the beginning of a step: the end of the one before it in the run.
func (p *Player) begin(t *track, i int) {
	if again := t.index(t.steps[i].Again); again >= 0 {
		i = again
	}
	for i--; i >= 0 && t.steps[i].Again != ""; {
		i--
	}
	p.shown = ""
	if i < 0 {
		p.stopAt(0, 0)
		return
	}
	p.stopAt(t.place(t.steps[i]))
}

// playToEnd plays the rest of the run after the last step.
func (p *Player) playToEnd(t *track) {
	if p.still && t.complete() {
		p.stopAt(t.end(), event.Seq(t.history.Len()))
		return
	}
	p.playing = !p.Ended()
	p.touch()
}

// previousStep jumps to the end of the previous step, or to the start.
func (p *Player) previousStep() {
	t, i := p.track(), p.stepIndex()
	if t == nil {
		return
	}
	if i >= 0 {
		if at, seq := t.place(t.steps[i]); p.heading != "" || at == p.at && seq == p.seq {
			i--
		}
	}
	if i < 0 {
		p.toStart()
		return
	}
	p.stopAtStep(t, i)
}

// toStart goes to the start, before the first event.
func (p *Player) toStart() {
	p.shown = ""
	p.stopAt(0, 0)
}

// nudge moves by n events.
func (p *Player) nudge(n int) {
	t := p.track()
	if t == nil {
		return
	}
	to := event.Seq(min(max(int(p.seq)+n, 0), t.history.Len()))
	p.stopAt(t.time(to), to)
}

// toRelease goes to the next or the previous hand-over, if there is one.
func (p *Player) toRelease(direction int) {
	t := p.track()
	if t == nil {
		return
	}
	var to event.Seq
	for _, r := range t.history.Releases() {
		if direction > 0 && r.Seq > p.seq {
			to = r.Seq
			break
		}
		if direction < 0 && r.Seq < p.seq {
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
	t := p.track()
	switch {
	case t != nil && t.complete():
		p.shown = ""
		p.stopAt(t.end(), event.Seq(t.history.Len()))
	case !p.run.Live():
		if t != nil {
			p.move(t.end(), event.Seq(t.history.Len()))
		}
		p.wait(pending{end: true})
	case t != nil:
		p.pending, p.boost, p.heading, p.playing, p.follow = nil, 0, "", true, true
		p.move(p.edge(t), t.history.SeqAt(p.edge(t)))
		p.touch()
	}
}

// Seek goes to a time, and keeps playing if it was.
func (p *Player) Seek(at time.Duration) {
	playing := p.playing
	p.wait(pending{at: at})
	p.playing = playing && !p.Ended()
}

// Show goes to a time and pauses. Of the events at that moment, those up to seq have happened, or all if seq is 0.
func (p *Player) Show(at time.Duration, seq event.Seq) { p.wait(pending{at: at, seq: seq}) }

// setSpeed sets a speed from slowest to fastest.
func (p *Player) setSpeed(arg string) bool {
	s, err := strconv.ParseFloat(arg, 64)
	if err != nil || !(s >= slowest && s <= fastest) {
		return false
	}
	p.speed = s
	p.touch()
	return true
}

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
	if err != nil || !p.announced(id) {
		return false
	}
	playing := p.playing
	p.branch = id
	p.wait(pending{at: p.at})
	p.playing = playing && !p.Ended()
	return true
}

// Watch switches to a new branch and plays it from where it differs.
func (p *Player) Watch(id int) {
	if !p.announced(id) {
		return
	}
	p.branch = id
	p.wait(pending{at: p.tracks[id].At})
	p.playing = !p.still
	p.touch()
}
