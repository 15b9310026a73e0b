package room

import (
	"cmp"
	"context"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/judge"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// ErrNoCluster refuses requests that need a cluster.
var ErrNoCluster = sentence.Error("refused.no-cluster")

var errNoZoo = sentence.Error("refused.no-zoo", sentence.Text("127.0.0.1:2181"))

func (s *Runs) openRoom(ctx context.Context, who ClientKey, m protocol.Request) (*room, error) {
	sc, track, err := s.scenario(m)
	if err != nil {
		return nil, err
	}
	if !m.Host.Traits().RealTime {
		return s.openSim(ctx, who, sc, track)
	}
	if s.cluster == nil {
		return nil, ErrNoCluster
	}
	return s.cluster.open(who, sc, track)
}

func (s *Runs) observe(who ClientKey, name, path string) (*room, error) {
	if name != "" {
		c, ok := s.named.of(name)
		if !ok {
			return nil, sentence.Error("refused.cluster", sentence.Quote(name))
		}
		return c.observe(who, path)
	}
	if s.cluster == nil || s.cluster.treeless {
		return nil, ErrNoCluster
	}
	return s.cluster.observe(who, path)
}

func (s *Runs) zoo(who ClientKey, m protocol.Request) (*room, error) {
	system, path := cmp.Or(m.System, event.ZooKeeperSystem), m.Path
	if m.Class != "" && system == event.ZooKeeperSystem {
		switch in, err := s.away(m.Class, path); {
		case err != nil:
			return nil, err
		case in != nil:
			return s.awayHost.openOf(who, in, path, m.Class)
		}
	}
	z := s.inside[system]
	switch {
	case z == nil && system == event.ZooKeeperSystem:
		return nil, errNoZoo
	case z == nil:
		return nil, sentence.Error("refused.no-inside", sentence.Quote(system))
	case system != event.ZooKeeperSystem && path != "/": // only a ZooKeeper has subtrees
		return nil, sentence.Error("refused.no-subtree", sentence.Quote(system))
	}
	return z.open(who, path)
}

func (s *Runs) resume(who ClientKey, id string) (*room, error) { return s.rooms.enter(id, who) }

// The pace of a recipe that a page runs outside a lesson: slow enough to watch, like lessons. With more than
// freeCrowd clients everything gets faster, so that the last one's turn comes in reasonable time.
const (
	freeLatency = 300 * time.Millisecond
	freeJitter  = 60 * time.Millisecond
	freeStagger = 500 * time.Millisecond
	freeHold    = 3 * time.Second
	freeCrowd   = 30
)

// Asked returns the scenario that a link describes.
func Asked(query string) (run.Scenario, error) {
	g, err := run.ReadQuery(query)
	if err != nil {
		return run.Scenario{}, err
	}
	sc, err := g.Valid()
	if err != nil {
		return sc, err
	}
	if len(sc.Faults) > protocol.MaxFaults {
		return sc, protocol.TooManyFaults(len(sc.Faults))
	}
	return paced(g), nil
}

// paced gives a scenario without a pace one that people can watch, and fills in the rest.
func paced(g run.Given) run.Scenario {
	sc := g.Scenario()
	if !g.Has("latency", "jitter", "stagger") {
		pace := PaceOf(sc.Clients)
		sc.Latency, sc.Jitter, sc.Stagger = pace.Latency, pace.Jitter, pace.Stagger
		if !g.Has("hold") {
			sc.Hold = pace.Hold
		}
	}
	sc.Lines, sc.MaxEvents = true, MaxRunEvents
	return sc
}

// PaceOf returns a pace for that many clients that a reader can watch.
func PaceOf(clients int) run.Scenario {
	crowd := max(1, time.Duration(clients)/freeCrowd)
	return run.Scenario{Latency: freeLatency / crowd, Jitter: freeJitter / crowd, Stagger: freeStagger / crowd,
		Hold: freeHold / crowd}
}

// scenario returns the scenario that m requests, and a function that tracks its lesson's steps, or nil outside a
// lesson.
func (s *Runs) scenario(m protocol.Request) (run.Scenario, func(late bool) Tracker, error) {
	if m.Lesson != "" {
		l, ok := s.lesson(m.Lesson)
		if !ok {
			return run.Scenario{}, nil, sentence.Error("bad.lesson", sentence.Quote(m.Lesson))
		}
		sc := l.Scenario
		sc.Lines, sc.MaxEvents, sc.Yield = true, MaxRunEvents, s.yield
		return sc.WithDefaults(), l.Track, nil
	}
	sc, err := Asked(m.Query)
	sc.Yield = s.yield
	return sc, nil, err
}

// openSim opens a room for a run that is computed to its end, together with all equal requests.
func (s *Runs) openSim(
	ctx context.Context, who ClientKey, sc run.Scenario, track func(late bool) Tracker) (*room, error) {
	key, count := scenarioKey(sc), new(progress)
	upTo := func(events int) compute {
		sc := sc
		sc.MaxEvents = events
		return func(ctx context.Context, most int) (judged, error) {
			j := judge.New(sc.WithDefaults().Header(event.Simulated))
			b, err := run.First(ctx, sc, most, j, count)
			return judged{b, j.Verdict()}, err
		}
	}
	k, err := s.sims.do(ctx, who, key, work{upTo(QuickEvents), upTo(sc.MaxEvents), count})
	if err != nil {
		return nil, err
	}
	if sc.MaxEvents = QuickEvents; k.branch.Own.Len() > QuickEvents+lastWords {
		sc.MaxEvents = MaxRunEvents
	}
	defer s.rooms.unpin(k)
	r := s.rooms.newRoom(k.branch.Header, who)
	r.query = sc.Query()
	r.tree = run.TreeOf(sc, k.branch.Branch)
	r.addBranch(simBranch(k.branch, key))
	if track != nil {
		t := track(false)
		for e := range k.branch.Own.From(1) {
			t.Track(e)
		}
		r.setSteps(t.Steps())
	}
	r.carryOut = func(ctx context.Context, parent int, f fault.Fault) error { return s.fork(ctx, r, parent, f) }
	if err := s.rooms.open(r, k); err != nil {
		return nil, err
	}
	return r, nil
}

// fork adds the branch with f in addition.
func (s *Runs) fork(ctx context.Context, r *room, parent int, f fault.Fault) error {
	tree, key, err := r.forkable(parent)
	if err != nil {
		return err
	}
	count := new(progress)
	w := work{progress: count, quick: func(ctx context.Context, most int) (judged, error) {
		j := judge.New(r.header)
		b, err := tree.Try(ctx, parent, f, most, j, count)
		return judged{b, j.Verdict()}, err
	}}
	if tree.Most() > QuickEvents {
		w.quick, w.long = nil, w.quick
	}
	k, err := s.sims.do(ctx, s.rooms.ownerOf(r), key.fork(f), w)
	if err != nil {
		return err
	}
	defer s.rooms.unpin(k)
	return s.rooms.fork(r, tree, parent, k)
}

// forkable returns the room's tree, and the key of the branch.
func (r *room) forkable(branch int) (*run.Tree, logKey, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.gone:
		return nil, logKey{}, errGone
	case branch < 0 || branch >= len(r.branches):
		return nil, logKey{}, sentence.Error("bad.branch", sentence.Number(branch))
	}
	return r.tree, r.branches[branch].key, nil
}

func simBranch(b judged, key logKey) branch {
	return branch{parent: b.Parent, at: b.At, fault: b.Fault, header: b.Header, log: hub.Ended(b.Own), key: key,
		verdict: verdict{said: b.verdict, version: min(1, int(b.verdict.Events))}}
}
