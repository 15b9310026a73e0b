package room

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// explorations looks for schedules that break promises, and keeps the results, which never change. There is one
// exploration at a time, on all processors, for as long as somebody waits for it. It gives way as long simulations do.
type explorations struct {
	sims  *simulations // for its limits
	turns *Turns
	yield func()

	mu   sync.Mutex
	kept map[string]Explored // by explore.Config.Key
}

// maxExplored is how many results are kept.
const maxExplored = 1000

// Explored is the result of an exploration, with the address of the run that it found.
type Explored struct {
	explore.Result
	Link string // see explore.Finding; "" if nothing broke
}

func newExplorations(sims *simulations, yield func()) *explorations {
	return &explorations{sims: sims, turns: NewTurns(1), yield: yield, kept: map[string]Explored{}}
}

// Explore looks for a schedule that breaks a promise, in the client's turn. If it has to end early, it returns what was
// found by then: see explore.Result.
func (s *Runs) Explore(ctx context.Context, who ClientKey, c explore.Config) (Explored, error) {
	return s.explorations.explore(ctx, who, c)
}

func (x *explorations) explore(ctx context.Context, who ClientKey, c explore.Config) (found Explored, err error) {
	key := c.Key()
	if found, ok := x.find(key); ok {
		return found, nil
	}
	far := new(tried)
	defer telling(ctx, far.so)()
	leave, err := x.turns.Enter(ctx, who)
	if err != nil {
		return Explored{}, err
	}
	defer leave()
	if found, ok := x.find(key); ok {
		return found, nil // explored for somebody else meanwhile
	}
	turn, end := x.turns.within(ctx, who, x.sims.timeout, longTurn)
	defer end()
	defer x.sims.recovered("an exploration", &err)
	far.of.Store(int64(c.Seeds))
	c.Yield, c.Broke, c.Tried = x.yield, func() { far.broke.Store(true) }, far.count
	found.Result, err = explore.Run(turn, c)
	if found.Found != nil {
		found.Link = found.Found.Link()
	}
	switch {
	case err == nil:
		x.keep(key, found)
	case turn.Err() != nil && found.Seeds > 0:
		err = nil
	case turn.Err() != nil:
		err = busy("busy.computing")
	}
	return found, err
}

func (x *explorations) find(key string) (Explored, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	found, ok := x.kept[key]
	return found, ok
}

func (x *explorations) keep(key string, found Explored) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.kept) >= maxExplored {
		clear(x.kept)
	}
	x.kept[key] = found
}

// tried counts the schedules of an exploration for those who wait for it.
type tried struct {
	of    atomic.Int64 // how many are to be tried; 0 while it waits for a turn
	seeds atomic.Int64
	broke atomic.Bool
}

// count takes the number of seeds so far. Calls may come out of order.
func (t *tried) count(seeds int) {
	for was := t.seeds.Load(); int64(seeds) > was && !t.seeds.CompareAndSwap(was, int64(seeds)); was = t.seeds.Load() {
	}
}

func (t *tried) so() protocol.Progress {
	return protocol.Progress{Tried: int(t.seeds.Load()), Of: int(t.of.Load()), Broke: t.broke.Load()}
}

// explore explores around the scenario in a request.
func (s *Runs) explore(ctx context.Context, who ClientKey, m protocol.Request) (*protocol.Explored, error) {
	sc, err := Asked(m.Query)
	if err != nil {
		return nil, err
	}
	r, err := run.Recipe(sc.Recipe)
	if err != nil {
		return nil, err
	}
	c, err := explore.Around(r, sc, m.OwnFaults)
	if err != nil {
		return nil, err
	}
	found, err := s.Explore(ctx, who, c)
	if err != nil {
		return nil, err
	}
	return &protocol.Explored{Held: found.Found == nil, Tried: found.Seeds, Of: found.Of,
		Said: append([]sentence.Sentence{found.Said()}, c.About(found.Result)...), Link: found.Link}, nil
}
