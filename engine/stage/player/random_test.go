package player_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run/judge"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// seen holds everything that a player returns, except its change counters.
type seen struct {
	At, End, Edge, Stood                         time.Duration
	Seq, State, Latest                           event.Seq
	History                                      int // number of events, -1 without a history
	Playing, Still, Behind, Over, Ended, Waiting bool
	Fast                                         bool
	Quiet                                        []player.Span
	Speed                                        float64
	Selected, Step, Heading                      string
	Branch                                       int
	Branches                                     []player.Branch
	Steps                                        []player.Step
	Focus                                        []string
	Have                                         map[int]int
	Verdict                                      promise.Verdict
	Feats                                        int
	Judged, Lags                                 bool
	Clients                                      int
}

func see(p *player.Player) seen {
	t := p.Log.Shown()
	s := seen{
		At: p.Head.At(), End: t.End(), Edge: p.Log.Edge(), Stood: p.Head.Stood(), Seq: p.Head.Seq(), History: -1,
		Playing: p.Head.Playing(), Still: p.Pace.Still(), Behind: p.Behind(), Over: p.Log.Over(), Ended: p.Ended(),
		Waiting: p.Waiting(), Speed: p.Pace.Speed(),
		Selected: p.Selected(), Step: p.Step().Anchor, Branch: p.Log.Branch(), Branches: p.Log.Branches(),
		Steps: append([]player.Step(nil), t.Steps()...), Focus: p.Focus(), Have: p.Log.Have(), Verdict: t.Verdict(),
		Fast: p.Fast(), Quiet: append([]player.Span(nil), p.Quiet()...), Heading: p.Heading(),
	}
	s.Feats, s.Judged, s.Lags = len(t.Deeds(challenge.GoneAlive)), t.Judged(), t.Lags()
	if f := t.History(); f != nil {
		s.History = f.Len()
	}
	s.Latest = p.Log.Shown().Latest().Seq
	state := p.State()
	s.State, s.Clients = state.Seq, len(state.Clients)
	return s
}

func (m *model) see() seen {
	s := seen{
		At: m.at, Edge: m.edge(), Stood: m.stood, Seq: m.seq, History: -1,
		Playing: m.playing, Still: m.still, Ended: m.ended(),
		Waiting: m.goal != nil, Speed: m.speed, Selected: m.chosen, Branch: m.branch, Have: map[int]int{},
		Heading: m.heading, Judged: true,
	}
	for id, b := range m.branches {
		if b != nil {
			s.Branches = append(s.Branches, b.Branch)
			s.Have[id] = b.have()
		}
	}
	s.Behind = m.run.Live() && s.Edge-s.At > time.Second
	b := m.current()
	if b == nil {
		return s
	}
	h := m.run.Header
	s.Fast, s.Quiet = m.fast(b), m.quiet(b)
	s.End, s.History, s.Latest = b.end(), len(b.log), event.Seq(len(b.log))
	s.State = min(m.seq, s.Latest) // a step may arrive before its event
	s.Over, s.Steps = m.run.Live() && b.complete(), append(s.Steps, b.steps...)
	if i := m.step(); i >= 0 {
		if s.Step = b.steps[i].Anchor; !m.playing {
			s.Focus = b.steps[i].Focus
		}
	}
	state := view.NewFor(h)
	for i, e := range b.log {
		if i < int(m.seq) {
			state.Apply(e)
		}
	}
	s.Feats, s.Verdict.Unjudged = len(b.verdict.Deeds), b.verdict.Unjudged
	for _, d := range b.verdict.Deeds {
		if d.Rule == promise.TruthExclusion {
			s.Verdict.Violations = append(s.Verdict.Violations, d)
		}
		if d.Rule != challenge.GoneAlive {
			s.Feats--
		}
	}
	s.Feats += len(s.Verdict.Violations)
	s.Judged = int(b.verdict.Events) >= len(b.log)
	s.Lags = !s.Judged && b.complete()
	s.Clients = len(state.Clients)
	return s
}

// story holds what a server may send, and what a page requests of it.
type story struct {
	rnd  *rand.Rand
	logs [][]event.Event // of the branches
	all  []player.Branch
}

func newStory(seed uint64) *story {
	s := &story{rnd: rand.New(rand.NewPCG(seed, 3))}
	s.add(player.Branch{Parent: -1, From: 1}, nil)
	for id := 1; id < 4; id++ {
		parent := s.rnd.IntN(id)
		from := 1 + s.rnd.IntN(len(s.logs[parent]))
		s.add(player.Branch{ID: id, Parent: parent, From: event.Seq(from), Fault: "x"}, s.logs[parent][:from-1])
	}
	return s
}

// add creates a branch that begins with the shared events.
func (s *story) add(b player.Branch, shared []event.Event) {
	log := append([]event.Event(nil), shared...)
	for n := 20 + s.rnd.IntN(30); len(log) < n; {
		e := event.Event{Seq: event.Seq(len(log) + 1), Kind: event.RecipeNote, Text: "x"}
		e.Actor = event.Actor(1 + s.rnd.IntN(3))
		if len(log) > 0 {
			e.At = log[len(log)-1].At + time.Duration(s.rnd.IntN(4)*s.rnd.IntN(4)*(1+s.rnd.IntN(4)/3*4))*100*ms
		}
		switch s.rnd.IntN(5) {
		case 4:
			e = event.Event{Seq: e.Seq, At: e.At, Kind: event.ZnodeDeleted, Peer: e.Actor, Path: "/b",
				Reason: event.BySessionExpired}
		case 0:
			e = event.Event{Seq: e.Seq, At: e.At, Kind: event.ZnodeDeleted, Peer: e.Actor, Path: "/a", Reason: event.ByOp}
		case 1:
			e.Kind, e.Text = event.RecipePhase, string(program.Holding)
		case 2:
			e = event.Event{Seq: e.Seq, At: e.At, Kind: event.MsgSent, Actor: e.Actor, Op: event.Ping}
		}
		log = append(log, e)
	}
	if len(shared) > 0 {
		b.At = shared[len(shared)-1].At
	}
	s.logs, s.all = append(s.logs, log), append(s.all, b)
}

func (s *story) steps() (all []player.Step) {
	for range s.rnd.IntN(2) * s.rnd.IntN(6) {
		id := s.rnd.IntN(len(s.all) + 1)
		seq := event.Seq(1 + s.rnd.IntN(50))
		if other := s.all[s.rnd.IntN(len(s.all))]; other.From > 1 && s.rnd.IntN(2) == 0 { // where a branch begins
			seq = other.From - event.Seq(s.rnd.IntN(2))
		}
		st := player.Step{Branch: id, Anchor: string(rune('a' + s.rnd.IntN(6))), Seq: seq}
		st.Focus = []string{strconv.Itoa(int(seq))}
		if s.rnd.IntN(3) == 0 {
			st.Again = string(rune('a' + s.rnd.IntN(6)))
		}
		if id < len(s.logs) && int(seq) <= len(s.logs[id]) && s.rnd.IntN(2) == 0 {
			st.At = s.logs[id][seq-1].At + time.Duration(s.rnd.IntN(5))*50*ms
		}
		all = append(all, st)
	}
	return all
}

// arrival does something to both that a server can do, and describes it.
func (s *story) arrival(p *player.Player, m *model) (what string, ok, want bool) {
	id := s.rnd.IntN(1 + s.rnd.IntN(len(s.all))) // prefer the first branches
	switch s.rnd.IntN(9) {
	case 8:
		return s.verdict(p, m, id)
	case 0, 1:
		b, steps := s.all[id], s.steps()
		known := b.ID < len(m.branches) && m.branches[b.ID] != nil
		b.Events, b.Ended = event.Seq(s.rnd.IntN(len(s.logs[id])+1)), s.rnd.IntN(3) == 0 || known && m.branches[b.ID].Ended
		if b.Ended {
			b.Events = event.Seq(len(s.logs[id]))
		}
		if s.rnd.IntN(6) == 0 {
			b.Parent, b.From = s.rnd.IntN(6)-2, event.Seq(s.rnd.IntN(2))
		}
		if known && b.Parent < b.ID && (b.Parent != m.branches[b.ID].Parent || b.From != m.branches[b.ID].From) {
			return "nothing", true, true // a server never does that
		}
		return fmt.Sprintf("branch %+v, steps %+v", b, steps), p.PutBranch(b, steps) == nil, m.putBranch(b, steps)
	case 2:
		steps := s.steps()
		p.PutSteps(steps)
		m.putSteps(steps)
		return fmt.Sprintf("steps %+v", steps), true, true
	case 3: // possibly after a gap
		from := s.rnd.IntN(len(s.logs[id]))
		return s.events(p, m, id, from, min(len(s.logs[id]), from+s.rnd.IntN(5)))
	case 4:
		id += s.rnd.IntN(3) - 1
	}
	if id < 0 || id >= len(m.branches) || m.branches[id] == nil {
		return fmt.Sprint("events of branch ", id), p.Append(id, nil) == nil, m.append(id, nil)
	}
	from := m.branches[id].have() + max(0, s.rnd.IntN(12)-9) - s.rnd.IntN(3) // sometimes one or two are missing
	from = min(max(from, 0), len(s.logs[id]))
	return s.events(p, m, id, from, min(len(s.logs[id]), from+s.rnd.IntN(15)))
}

// verdict sends one on a beginning of a branch, or what of it is new.
func (s *story) verdict(p *player.Player, m *model, id int) (what string, ok, want bool) {
	log := s.logs[id]
	v := judge.Of(&event.Log{Header: m.run.Header, Events: log[:1+s.rnd.IntN(len(log))]})
	if v.Branch = id; s.rnd.IntN(2) == 0 {
		v.From = s.rnd.IntN(len(v.Deeds) + 2)
		v.Deeds = v.Deeds[min(v.From, len(v.Deeds)):]
	}
	return fmt.Sprintf("verdict %+v", v), p.PutVerdict(v) == nil, m.putVerdict(v)
}

// events sends a range of events, possibly with a hole.
func (s *story) events(p *player.Player, m *model, id, from, to int) (what string, ok, want bool) {
	events := append([]event.Event(nil), s.logs[id][from:to]...)
	if len(events) > 2 && s.rnd.IntN(10) == 0 {
		i := 1 + s.rnd.IntN(len(events)-2)
		events = append(events[:i], events[i+1:]...)
	}
	what = fmt.Sprintf("events %d to %d of branch %d, %d of them", from+1, to, id, len(events))
	return what, p.Append(id, events) == nil, m.append(id, events)
}

// command does something to both that a person can do.
func (s *story) command(p *player.Player, m *model) (what string, ok, want bool) {
	names := []string{
		"play-pause", "play-pause", "step", "step", "step-back", "event", "event-back", "next-release", "previous-release",
		"start", "end", "speed", "seek", "goto-step", "tell-step", "goto-event", "select", "branch", "motion", "fly",
	}
	args := map[string][]string{
		"speed":     {"1", "0.1", "100", "0.09", "101", "2.5", "NaN", "x"},
		"seek":      {"0", "1234.5", "99999", "1e12", "1e13", "-1", "NaN", "700"},
		"goto-step": {"a", "b", "c", "d", "", "z"}, "tell-step": {"a", "b", "c", "d", "", "z"},
		"goto-event": {"1", "7", "20", "49", "0", "4294967296", "x"},
		"select":     {"", "/a", "client-1"}, "branch": {"0", "1", "2", "3", "4", "-1", "x"}, "motion": {"reduced", "full"},
	}
	switch s.rnd.IntN(25) {
	case 0:
		id := s.rnd.IntN(6) - 1
		p.Watch(id)
		m.watch(id)
		return fmt.Sprint("watch ", id), true, true
	case 1:
		at, seq := time.Duration(s.rnd.IntN(80))*50*ms, event.Seq(s.rnd.IntN(50))*event.Seq(s.rnd.IntN(2))
		p.Show(at, seq)
		m.show(at, seq)
		return fmt.Sprint("show ", at, " ", seq), true, true
	}
	name, arg := names[s.rnd.IntN(len(names))], ""
	if of := args[name]; of != nil {
		arg = of[s.rnd.IntN(len(of))]
	}
	return name + " " + arg, p.Do(name, arg), m.do(name, arg)
}

// TestThePlayerIsTheModel checks that, whatever arrives and whatever a person does, the player equals the model, and
// that its version changes with anything but the time.
func TestThePlayerIsTheModel(t *testing.T) {
	hosts := []event.Host{"sim", "live", "observed", "zoo"}
	seeds := uint64(100)
	if testing.Short() {
		seeds = 25
	}
	for seed := range seeds {
		s := newStory(seed)
		p := player.New()
		m := newModel(player.Run{}, 1, false)
		r := player.Run{
			ID: "r", Lesson: seed%8 < 4, Header: event.Header{
				Host: hosts[seed%4], Recipe: "lock", Root: "/r", Clients: 4,
				Promises: []string{promise.TruthExclusion}, Parents: []string{"/r"}, Keeps: []string{"k"},
			},
		}
		for i := range 300 {
			if i == 0 || s.rnd.IntN(200) == 0 {
				version, news := p.Version(), p.Log.News()
				if p.Open(r); p.Version() == version || p.Log.News() == news {
					t.Fatalf("seed %d: nobody is told of another run", seed)
				}
				m = newModel(r, m.speed, m.still)
			}
			s.oneStep(t, fmt.Sprintf("seed %d, step %d", seed, i), p, m)
		}
	}
}

func (s *story) oneStep(t *testing.T, where string, p *player.Player, m *model) {
	t.Helper()
	before, version, news := see(p), p.Version(), p.Log.News()
	what, ok, want := "", true, true
	arrives, ticks := false, false
	switch n := s.rnd.IntN(10); {
	case n < 3:
		what, ok, want = s.arrival(p, m)
		arrives = what != "nothing"
	case n < 6:
		what, ok, want = s.command(p, m)
	default:
		dt := []time.Duration{-1, 0, 16 * ms, 100 * ms, 100 * ms, 250 * ms, 251 * ms, time.Second}[s.rnd.IntN(8)]
		p.Tick(dt)
		m.tick(dt)
		what, ticks = fmt.Sprint("tick ", dt), true
	}
	if ok != want {
		t.Fatalf("%s, %s: ok is %v, want %v", where, what, ok, want)
	}
	got, model := see(p), m.see()
	for i := range reflect.TypeFor[seen]().NumField() {
		g, w := reflect.ValueOf(got).Field(i).Interface(), reflect.ValueOf(model).Field(i).Interface()
		if !reflect.DeepEqual(g, w) {
			t.Fatalf("%s, %s: %s is\n%+v, want\n%+v", where, what, reflect.TypeFor[seen]().Field(i).Name, g, w)
		}
	}
	if before.At == got.At && drawn(before) != drawn(got) && p.Version() == version {
		t.Fatalf("%s, %s: nobody is told to draw; from\n%s to\n%s", where, what, drawn(before), drawn(got))
	}
	if ticks && p.Version() != version && drawn(before) == drawn(got) {
		t.Fatalf("%s, %s: who draws is told of nothing", where, what)
	}
	if arrives && ok && p.Log.News() == news {
		t.Fatalf("%s, %s: the page is not told", where, what)
	}
}

// drawn returns what has to be drawn, except for the time.
func drawn(s seen) string {
	return fmt.Sprint(s.Seq, s.Playing, s.Speed, s.Still, s.Selected, s.Step, s.Branch, s.History >= 0)
}
