package web

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/lessons"
)

// stages opens what pages ask for: simulated runs, runs on the cluster, observations of it, the zoo.
type stages struct {
	rooms   *rooms
	book    *lessons.Book
	live    *live         // nil if the operator named no cluster
	inside  *zooHost      // nil if no ZooKeeper runs inside this program
	compute chan struct{} // a token for each simulation that may be computed at once
}

func newStages(rs *rooms, book *lessons.Book, l *live, z *zooHost) *stages {
	return &stages{rooms: rs, book: book, live: l, inside: z, compute: make(chan struct{}, runtime.NumCPU())}
}

var errNoCluster = errors.New("this server was started without a ZooKeeper; its operator can name one with --zk host:port")

var errNoZoo = errors.New("no ZooKeeper runs inside this server; its operator can start one with --zk-listen 127.0.0.1:2181")

func (s *stages) openRoom(ctx context.Context, who asker, m Message) (*room, error) {
	sc, lesson, err := s.scenario(m)
	if err != nil {
		return nil, err
	}
	if m.Host != hostLive {
		return s.openSim(ctx, sc, lesson)
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

func (s *stages) zoo(path string) (*room, error) {
	if s.inside == nil {
		return nil, errNoZoo
	}
	return s.inside.open(s.rooms, path)
}

func (s *stages) resume(id string) (*room, error) { return s.rooms.enter(id) }

// A recipe that a page runs outside a lesson is slow enough to be watched, as the lessons are. With more than
// freeCrowd clients everything is as much faster, so that the last one gets its turn in a time to wait for.
const (
	freeLatency = 300 * time.Millisecond
	freeJitter  = 60 * time.Millisecond
	freeStagger = 500 * time.Millisecond
	freeHold    = 3 * time.Second
	freeCrowd   = 30
)

// free is the scenario that a page asks for by its parameters.
func free(m Message) (run.Scenario, error) {
	sc := run.Scenario{Recipe: m.Recipe, Clients: m.Clients, Rounds: m.Rounds, Seed: m.Seed}
	if m.HoldMS > 0 {
		sc.Hold = time.Duration(m.HoldMS) * time.Millisecond
	}
	for _, text := range m.Faults {
		f, err := fault.Parse(text)
		if err != nil {
			return sc, err
		}
		sc.Faults = append(sc.Faults, f)
	}
	sc = paced(sc)
	return sc, sc.Validate()
}

// asked is the scenario that a link asks for.
func asked(query string) (run.Scenario, error) {
	sc, err := run.ParseQuery(query)
	if err != nil {
		return sc, err
	}
	if len(sc.Faults) > MaxOpenFaults {
		return sc, fmt.Errorf("a run from a page takes up to %d faults, not %d", MaxOpenFaults, len(sc.Faults))
	}
	return paced(sc), nil
}

// paced gives a scenario that says nothing of its pace one that can be watched, and fills in the rest.
func paced(sc run.Scenario) run.Scenario {
	crowd := max(1, time.Duration(sc.Clients)/freeCrowd)
	if sc.Latency == 0 && sc.Jitter == 0 && sc.Stagger == 0 {
		sc.Latency, sc.Jitter, sc.Stagger = freeLatency/crowd, freeJitter/crowd, freeStagger/crowd
		if sc.Hold == 0 {
			sc.Hold = freeHold / crowd
		}
	}
	sc.Lines, sc.MaxEvents = true, MaxRunEvents
	return sc.WithDefaults()
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

// openSim computes a run to its end and opens a room for it.
func (s *stages) openSim(ctx context.Context, sc run.Scenario, lesson *lessons.Lesson) (*room, error) {
	leave, err := s.slot(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	tree, err := run.NewTree(ctx, sc)
	if err != nil {
		return nil, err
	}
	r := s.rooms.newRoom(hostSim)
	r.recipe, r.root, r.clients, r.query = sc.Recipe, sc.Root, sc.Clients, sc.Query()
	first, _ := tree.Branch(0)
	r.addBranch(simBranch(first))
	if lesson != nil {
		t := lessons.NewTracker(lesson, false)
		for _, e := range first.Own {
			t.Append(e)
		}
		r.setSteps(stepRows(t))
	}
	r.carryOut = func(ctx context.Context, parent int, f fault.Fault) error { return s.fork(ctx, r, tree, parent, f) }
	return r, s.rooms.open(r)
}

// fork adds the branch in which f happened too.
func (s *stages) fork(ctx context.Context, r *room, tree *run.Tree, parent int, f fault.Fault) error {
	if r.kept() > MaxBranchedEvents {
		return fmt.Errorf("the branches of this run have %d events, which is the most that is kept: start it anew to go on", r.kept())
	}
	leave, err := s.slot(ctx)
	if err != nil {
		return err
	}
	defer leave()
	b, err := tree.Fork(ctx, parent, f)
	if err != nil {
		return err
	}
	r.addBranch(simBranch(b))
	return nil
}

func simBranch(b run.Branch) branch {
	return branch{parent: b.Parent, at: b.At, fault: b.Fault, header: b.Header, log: finished{b.From, b.Own}}
}

// slot waits until a simulation may be computed.
func (s *stages) slot(ctx context.Context) (leave func(), err error) {
	select {
	case s.compute <- struct{}{}:
		return func() { <-s.compute }, nil
	case <-ctx.Done():
		return nil, errors.New("the server is busy with other simulations; try again")
	}
}

func stepRows(t *lessons.Tracker) []stepRow {
	rows := make([]stepRow, 0, len(t.Positions()))
	for i, p := range t.Positions() {
		rows = append(rows, stepRow{Anchor: p.Anchor, Seq: p.Seq, AtMS: ms(p.At), Focus: t.Steps()[i].Focus})
	}
	return rows
}
