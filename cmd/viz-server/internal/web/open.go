package web

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/lessons"
)

// stages opens what pages ask for: simulated runs, runs on the cluster, observations of it, the zoo.
type stages struct {
	rooms  *rooms
	sims   *simulations
	book   *lessons.Book
	live   *live    // nil if the operator named no cluster
	inside *zooHost // nil if no ZooKeeper runs inside this program
}

var errNoCluster = errors.New("this server was started without a ZooKeeper; its operator can name one with --zk host:port")

var errNoZoo = errors.New("no ZooKeeper runs inside this server; its operator can start one with --zk-listen 127.0.0.1:2181")

func (s *stages) openRoom(ctx context.Context, who asker, m Message) (*room, error) {
	sc, lesson, err := s.scenario(m)
	if err != nil {
		return nil, err
	}
	if m.Host != hostLive {
		return s.openSim(ctx, who, sc, lesson)
	}
	if s.live == nil {
		return nil, errNoCluster
	}
	return s.live.open(s.rooms, who, sc, lesson)
}

func (s *stages) observe(who asker, path string) (*room, error) {
	if s.live == nil {
		return nil, errNoCluster
	}
	return s.live.observe(s.rooms, who, path)
}

func (s *stages) zoo(who asker, path string) (*room, error) {
	if s.inside == nil {
		return nil, errNoZoo
	}
	return s.inside.open(s.rooms, who, path)
}

func (s *stages) resume(who asker, id string) (*room, error) { return s.rooms.enter(id, who) }

// A recipe that a page runs outside a lesson is slow enough to be watched, as the lessons are. With more than
// freeCrowd clients everything is as much faster, so that the last one gets its turn in a time to wait for.
const (
	freeLatency = 300 * time.Millisecond
	freeJitter  = 60 * time.Millisecond
	freeStagger = 500 * time.Millisecond
	freeHold    = 3 * time.Second
	freeCrowd   = 30
)

// free is the scenario that a page asks for by its parameters. A number that is not positive was not said.
func free(m Message) (run.Scenario, error) {
	var g run.Given
	said := []struct {
		name  string
		is    bool
		texts []string
	}{
		{"recipe", true, []string{m.Recipe}},
		{"clients", m.Clients != 0, []string{strconv.Itoa(m.Clients)}},
		{"rounds", m.Rounds != 0, []string{strconv.Itoa(m.Rounds)}},
		{"seed", true, []string{strconv.FormatUint(m.Seed, 10)}},
		{"hold", m.HoldMS > 0, []string{(time.Duration(m.HoldMS) * time.Millisecond).String()}},
		{"fault", true, m.Faults},
	}
	for _, p := range said {
		if !p.is {
			continue
		}
		if err := g.Set(p.name, p.texts...); err != nil {
			return run.Scenario{}, err
		}
	}
	sc := paced(g)
	return sc, sc.Validate()
}

// asked is the scenario that a link asks for.
func asked(query string) (run.Scenario, error) {
	g, err := run.ReadQuery(query)
	if err != nil {
		return run.Scenario{}, err
	}
	sc, err := g.Valid()
	if err != nil {
		return sc, err
	}
	if len(sc.Faults) > MaxOpenFaults {
		return sc, fmt.Errorf("a run from a page takes up to %d faults, not %d", MaxOpenFaults, len(sc.Faults))
	}
	return paced(g), nil
}

// paced gives a scenario that says nothing of its pace one that can be watched, and fills in the rest.
func paced(g run.Given) run.Scenario {
	sc := g.Scenario()
	if !g.Has("latency", "jitter", "stagger") {
		pace := paceOf(sc.Clients)
		sc.Latency, sc.Jitter, sc.Stagger = pace.Latency, pace.Jitter, pace.Stagger
		if !g.Has("hold") {
			sc.Hold = pace.Hold
		}
	}
	sc.Lines, sc.MaxEvents = true, MaxRunEvents
	return sc
}

// paceOf is how fast so many clients are, for a reader to watch.
func paceOf(clients int) run.Scenario {
	crowd := max(1, time.Duration(clients)/freeCrowd)
	return run.Scenario{Latency: freeLatency / crowd, Jitter: freeJitter / crowd, Stagger: freeStagger / crowd,
		Hold: freeHold / crowd}
}

func (s *stages) scenario(m Message) (run.Scenario, *lessons.Lesson, error) {
	if m.Lesson != "" {
		l, ok := s.book.Find(m.Lesson)
		if !ok {
			return run.Scenario{}, nil, fmt.Errorf("there is no lesson %q", clip(m.Lesson))
		}
		sc := l.Scenario
		sc.Lines, sc.MaxEvents = true, MaxRunEvents
		return sc.WithDefaults(), l, nil
	}
	if m.Query != "" {
		sc, err := asked(m.Query)
		return sc, nil, err
	}
	sc, err := free(m)
	return sc, nil, err
}

// openSim opens a room for a run that is computed to its end, with all that ask for the same.
func (s *stages) openSim(ctx context.Context, who asker, sc run.Scenario, lesson *lessons.Lesson) (*room, error) {
	key := scenarioKey(sc)
	k, err := s.sims.get(ctx, who, key, func(ctx context.Context, most int) (run.Branch, error) {
		return run.First(ctx,
			sc, most)
	})
	if err != nil {
		return nil, err
	}
	defer s.rooms.unpin(k)
	r := s.rooms.newRoom(hostSim, who)
	r.recipe, r.root, r.clients, r.query = sc.Recipe, sc.Root, sc.Clients, sc.Query()
	r.tree = run.TreeOf(sc, k.branch)
	r.addBranch(simBranch(k.branch, key))
	if lesson != nil {
		t := lessons.NewTracker(lesson, false)
		for e := range k.branch.Own.From(1) {
			t.Append(e)
		}
		r.setSteps(stepRows(t))
	}
	r.carryOut = func(ctx context.Context, parent int, f fault.Fault) error { return s.fork(ctx, r, parent, f) }
	if err := s.rooms.open(r, k); err != nil {
		return nil, err
	}
	return r, nil
}

// fork adds the branch in which f happened too.
func (s *stages) fork(ctx context.Context, r *room, parent int, f fault.Fault) error {
	tree, key, err := r.forkable(parent)
	if err != nil {
		return err
	}
	k, err := s.sims.get(ctx, s.rooms.ownerOf(r), key.fork(f), func(ctx context.Context, most int) (run.Branch, error) {
		return tree.Try(ctx, parent, f, most)
	})
	if err != nil {
		return err
	}
	defer s.rooms.unpin(k)
	return s.rooms.fork(r, tree, parent, k)
}

// forkable is the room's tree, and what the branch was computed from.
func (r *room) forkable(branch int) (*run.Tree, logKey, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.gone:
		return nil, logKey{}, errGone
	case branch < 0 || branch >= len(r.branches):
		return nil, logKey{}, fmt.Errorf("there is no branch %d", branch)
	}
	return r.tree, r.branches[branch].key, nil
}

func simBranch(b run.Branch, key logKey) branch {
	return branch{parent: b.Parent, at: b.At, fault: b.Fault, header: b.Header, log: finished{b.Own}, key: key}
}

func stepRows(t *lessons.Tracker) []stepRow {
	rows := make([]stepRow, 0, len(t.Positions()))
	for i, p := range t.Positions() {
		rows = append(rows, stepRow{Anchor: p.Anchor, Seq: p.Seq, AtMS: ms(p.At), Focus: t.Steps()[i].Focus})
	}
	return rows
}
