package player_test

import (
	"math"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// do executes a command on the model.
func (m *model) do(name, arg string) bool {
	switch name {
	case "speed":
		s, ok := number(arg, 0.1, 100)
		if ok {
			m.speed = s
		}
		return ok
	case "seek":
		ms, ok := number(arg, 0, 1e12)
		if ok {
			m.goAndKeep(goal{kind: "time", at: time.Duration(math.Round(ms * float64(time.Millisecond)))})
		}
		return ok
	case "goto-step":
		g := goal{kind: "step", step: arg}
		if arg == "" {
			g.kind = "first"
		}
		m.toward(g)
	case "goto-event":
		n, ok := number(arg, 1, math.MaxUint32)
		if ok {
			m.toward(goal{kind: "event", seq: event.Seq(n)})
		}
		return ok
	case "tell-step":
		b := m.current()
		if b == nil || m.run.Live() || b.findStep(arg) < 0 {
			g := goal{kind: "step", step: arg}
			if arg == "" {
				g.kind = "first"
			}
			m.toward(g)
			return true
		}
		m.begin(b, b.findStep(arg))
		m.tell(b, b.findStep(arg))
	case "select":
		m.chosen = arg
	case "branch":
		id, err := strconv.Atoi(arg)
		if err != nil || id < 0 || id >= len(m.branches) || m.branches[id] == nil {
			return false
		}
		m.branch = id
		m.goAndKeep(goal{kind: "time", at: m.at})
	case "motion":
		m.still = arg == "reduced"
	default:
		return m.plain(name)
	}
	return true
}

// goAndKeep goes to a place, and keeps playing if it was.
func (m *model) goAndKeep(g goal) {
	playing := m.playing
	m.toward(g)
	m.playing = playing && !m.ended()
}

// plain executes a command without an argument.
func (m *model) plain(name string) bool {
	b := m.current()
	switch name {
	case "play-pause":
		m.playPause()
		return true
	case "start":
		m.shown = ""
		m.stop(0, 0)
		return true
	case "end":
		m.toEnd()
		return true
	case "step", "step-back", "event", "event-back", "next-release", "previous-release":
	default:
		return false
	}
	if b == nil {
		return true
	}
	switch name {
	case "step":
		m.nextStep(b)
	case "step-back":
		m.stepBack(b)
	case "event":
		m.toEvent(b, min(m.seq+1, event.Seq(len(b.log))))
	case "event-back":
		m.toEvent(b, min(max(m.seq, 1)-1, event.Seq(len(b.log))))
	case "next-release":
		for _, seq := range b.releases() {
			if seq > m.seq {
				m.toEvent(b, seq)
				break
			}
		}
	case "previous-release":
		last := event.Seq(0)
		for _, seq := range b.releases() {
			if seq < m.seq {
				last = seq
			}
		}
		if last > 0 {
			m.toEvent(b, last)
		}
	}
	return true
}

func (m *model) toEvent(b *modelBranch, seq event.Seq) { m.stop(b.time(seq), seq) }

func (m *model) playPause() {
	switch {
	case m.playing:
		m.playing, m.follow, m.stood = false, false, m.at
	case m.ended():
		m.shown, m.heading, m.boost = "", "", 0
		m.at, m.seq, m.stood, m.playing = 0, 0, 0, true
	default:
		m.playing = true
	}
}

// next returns the step at which playing will stop, or the number of steps.
func (m *model) next(b *modelBranch) int {
	if i := b.findStep(m.heading); i >= 0 {
		return i
	}
	for i := m.reached(b); i < len(b.steps); i++ {
		if b.steps[i].Again == "" {
			return i
		}
	}
	return len(b.steps)
}

func (m *model) nextStep(b *modelBranch) {
	i := m.step() + 1
	switch {
	case m.heading != "", m.playing && !m.run.Live() && m.next(b) < len(b.steps):
		m.toward(goal{kind: "step", step: b.steps[m.next(b)].Anchor})
	case i >= len(b.steps) && m.still && b.complete():
		m.stop(b.end(), event.Seq(len(b.log)))
	case i >= len(b.steps):
		m.playing = !m.ended()
	default:
		m.tell(b, i)
	}
}

// begin goes to the end of the previous step in the run; for a step that looks back, to that of the repeated one.
func (m *model) begin(b *modelBranch, i int) {
	if again := b.findStep(b.steps[i].Again); again >= 0 {
		i = again
	}
	m.shown = ""
	for i--; i >= 0; i-- {
		if b.steps[i].Again == "" {
			m.stop(b.place(b.steps[i]))
			return
		}
	}
	m.stop(0, 0)
}

// tell plays a step. That takes one to four seconds.
func (m *model) tell(b *modelBranch, i int) {
	s := b.steps[i]
	from := b.findStep(m.shown)
	if s.Again != "" || from >= 0 && b.steps[from].Again != "" {
		m.begin(b, i)
	}
	at, seq := b.place(s)
	if m.still || s.Again != "" && m.run.Live() || at < m.at || at == m.at && seq <= m.seq {
		m.toward(goal{kind: "step", step: s.Anchor})
		return
	}
	m.goal, m.follow, m.playing = nil, false, true
	m.shown, m.heading = s.Anchor, s.Anchor
	way := at - m.at
	for _, q := range m.quiet(b) {
		if from, to := max(q.From, m.at), min(q.To, at); from < to {
			way += (to-from)/12 - (to - from)
		}
	}
	switch {
	case way > 3900*time.Millisecond:
		m.boost = float64(way) / float64(3900*time.Millisecond)
	case way < time.Second && !m.run.Live() && m.run.Lesson:
		m.boost = float64(way) / float64(time.Second)
	default:
		m.boost = 1
	}
}

// quiet returns the spans with nothing but heartbeats, if they are played fast.
func (m *model) quiet(b *modelBranch) (all []player.Span) {
	if m.run.Live() || !m.run.Lesson {
		return nil
	}
	last := time.Duration(0)
	for _, e := range b.log {
		if e.Op == event.Ping && (e.Kind == event.MsgSent || e.Kind == event.MsgReceived) {
			continue
		}
		if e.At-last >= 2*time.Second {
			all = append(all, player.Span{From: last + 700*time.Millisecond, To: e.At - 300*time.Millisecond})
		}
		last = max(last, e.At)
	}
	return all
}

// onward returns the position after d, in which quiet spans take a twelfth of their time.
func (m *model) onward(b *modelBranch, d time.Duration) time.Duration {
	at := m.at
	for _, q := range m.quiet(b) {
		if q.To <= at {
			continue
		}
		if until := q.From - at; until > 0 {
			if d <= until {
				break
			}
			at, d = q.From, d-until
		}
		if d*12 <= (q.To-at)/12*12 {
			return at + d*12
		}
		d -= (q.To - at) / 12
		at = q.To
	}
	return at + d
}

func (m *model) fast(b *modelBranch) bool {
	for _, q := range m.quiet(b) {
		if m.playing && q.From <= m.at && m.at < q.To {
			return true
		}
	}
	return false
}

func (m *model) stepBack(b *modelBranch) {
	i := m.step()
	if i >= 0 {
		if at, seq := b.place(b.steps[i]); m.heading != "" || at == m.at && seq == m.seq {
			i--
		}
	}
	if i < 0 {
		m.shown = ""
		m.stop(0, 0)
		return
	}
	m.stopAtStep(b, i)
}

func (m *model) toEnd() {
	b := m.current()
	switch {
	case b != nil && b.complete():
		m.shown = ""
		m.stop(b.end(), event.Seq(len(b.log)))
	case b != nil && m.run.Live():
		m.at, m.seq = m.edge(), b.upTo(m.edge())
		m.goal, m.boost, m.heading, m.playing, m.follow = nil, 0, "", true, true
	case !m.run.Live():
		if b != nil {
			m.at, m.seq = b.end(), event.Seq(len(b.log))
		}
		m.toward(goal{kind: "end"})
	}
}

// watch switches to a new branch and plays it from where it differs.
func (m *model) watch(id int) {
	if id < 0 || id >= len(m.branches) || m.branches[id] == nil {
		return
	}
	m.branch = id
	m.toward(goal{kind: "time", at: m.branches[id].At})
	m.playing = !m.still
}

// show goes to a time and pauses.
func (m *model) show(at time.Duration, seq event.Seq) {
	g := goal{kind: "event", at: at, seq: seq}
	if seq == 0 {
		g.kind = "time"
	}
	m.toward(g)
}

func (m *model) tick(dt time.Duration) {
	dt = min(max(dt, 0), 250*time.Millisecond)
	m.heard += dt
	b := m.current()
	if b == nil || !m.playing || dt == 0 || m.goal != nil {
		return
	}
	if m.follow {
		m.chase(b, dt)
		return
	}
	boost := m.boost
	if boost == 0 {
		boost = 1
	}
	to := m.onward(b, time.Duration(float64(dt)*m.speed*boost))
	if i := m.next(b); i < len(b.steps) {
		if at, seq := b.place(b.steps[i]); at <= to && int(seq) <= len(b.log) {
			m.stopAtStep(b, i)
			return
		}
	}
	if limit := m.edge(); to >= limit {
		to = max(limit, m.at)
		if b.complete() {
			m.playing, m.boost, m.heading = false, 0, ""
		} else if m.run.Live() && !m.run.Lesson {
			m.follow = true
		}
	}
	m.at, m.seq = to, max(m.seq, b.upTo(to))
}

// chase follows the live edge at up to twice the speed, or jumps if it is far off.
func (m *model) chase(b *modelBranch, dt time.Duration) {
	edge := m.edge()
	gap := edge - m.at
	if gap.Abs() > 2*time.Second {
		m.at, m.seq = edge, b.upTo(edge)
		return
	}
	rate := min(2, max(0, 1+float64(gap)/float64(300*time.Millisecond)))
	m.at += time.Duration(float64(dt) * rate)
	if b.complete() && m.at >= b.end() {
		m.at, m.playing, m.follow = b.end(), false, false
	}
	m.seq = max(m.seq, b.upTo(m.at))
}
