package room

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
)

// simulations computes the logs of simulated runs: each once, however many request it at the same time, and only
// while somebody waits for it.
type simulations struct {
	rooms    *rooms
	turns    *Turns // for up to QuickEvents events
	long     *Turns // for more events
	log      Logger // for the operator
	fairTurn time.Duration
	timeout  time.Duration // limits one simulation
	page     bool          // they are a page's own
	running  sync.WaitGroup

	// Guarded by the rooms' mutex.
	pending map[logKey]*simulation
	tooSlow map[logKey]time.Time // when a computation was found to be too slow
	closed  bool
}

// maxTooSlow is how many slow computations are remembered.
const maxTooSlow = 10_000

// simulation is a log that is being computed, or waits to be.
type simulation struct {
	key    logKey
	work   work
	ctx    context.Context // ends when nobody waits for it
	cancel context.CancelFunc
	done   chan struct{} // closed when kept or err is set
	kept   *keptLog
	err    error

	// Guarded by the rooms' mutex.
	waiting int                // number of requests
	turns   map[ClientKey]bool // clients that wait for a turn to compute it
	begun   bool
}

// compute computes a branch of at most that many bytes.
type compute func(ctx context.Context, most int) (judged, error)

// work says what to compute: quick, and if that is nil or its log is cut off, long.
type work struct {
	quick, long compute
	progress    *progress // how far it is; nil if nobody counts
}

func newSimulations(rs *rooms, log Logger, slots int) *simulations {
	return &simulations{
		rooms: rs, turns: NewTurns(slots), long: NewTurns(MaxLong), log: log, fairTurn: fairTurn,
		timeout: computeTimeout,
		pending: map[logKey]*simulation{}, tooSlow: map[logKey]time.Time{},
	}
}

var (
	errTooSlow  = sentence.Error("refused.slow", sentence.Span(computeTimeout))
	errTooLarge = sentence.Error("refused.large", sentence.Number(MaxRunBytes>>20))
	// errTooSlowForPage is errTooSlow in a page.
	errTooSlowForPage = sentence.Error("refused.slow.page", sentence.Span(pageTimeout))
)

// get does only quick work.
func (s *simulations) get(ctx context.Context, who ClientKey, key logKey, f compute) (*keptLog, error) {
	return s.do(ctx, who, key, work{quick: f})
}

// do returns the pinned log for key. If it isn't kept, w computes it. Every waiting client queues for a turn, and
// the first turn computes it for all.
func (s *simulations) do(ctx context.Context, who ClientKey, key logKey, w work) (*keptLog, error) {
	sim, k, err := s.join(who, key, w)
	if k != nil || err != nil {
		return k, err
	}
	if p := sim.work.progress; p != nil {
		defer telling(ctx, p.so)() // it ends before anybody sees the result
	}
	select {
	case <-sim.done:
	case <-ctx.Done():
	}
	return s.leave(ctx, sim)
}

// join finds the log, or joins those that wait for it.
func (s *simulations) join(who ClientKey, key logKey, w work) (*simulation, *keptLog, error) {
	s.rooms.mu.Lock()
	defer s.rooms.mu.Unlock()
	if s.closed {
		return nil, nil, ErrClosing
	}
	if k, ok := s.rooms.accounting.find(key); ok {
		return nil, k, nil
	}
	if at, ok := s.tooSlow[key]; ok && time.Since(at) < slowFor {
		return nil, nil, s.slow()
	}
	sim := s.pending[key]
	if sim == nil {
		sim = &simulation{key: key, work: w, done: make(chan struct{}), turns: map[ClientKey]bool{}}
		sim.ctx, sim.cancel = context.WithCancel(context.Background())
		s.pending[key] = sim
	}
	sim.waiting++
	if !sim.begun && !sim.turns[who] {
		sim.turns[who] = true
		s.running.Go(func() { s.takeTurn(sim, who) })
	}
	return sim, nil, nil
}

// leave takes the result. Without one, the request stops waiting for it.
func (s *simulations) leave(ctx context.Context, sim *simulation) (*keptLog, error) {
	s.rooms.mu.Lock()
	defer s.rooms.mu.Unlock()
	select {
	case <-sim.done:
		return sim.kept, sim.err
	default:
	}
	if sim.waiting--; sim.waiting == 0 {
		s.end(sim)
	}
	switch {
	case !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, ctx.Err()
	case s.page: // nobody else computes anything there
		return nil, s.slow()
	}
	return nil, busy("busy.computing")
}

// end stops the computation. The next request for its log starts another.
func (s *simulations) end(sim *simulation) {
	sim.cancel()
	if s.pending[sim.key] == sim {
		delete(s.pending, sim.key)
	}
}

// takeTurn computes sim in a turn of this client, unless another client's turn came first. Long work needs a turn of
// its own kind, so that it delays nobody who has little to compute.
func (s *simulations) takeTurn(sim *simulation, who ClientKey) {
	turns, f := s.turns, sim.work.quick
	if f == nil {
		turns, f = s.long, sim.work.long
	}
	leave, err := turns.Enter(sim.ctx, who)
	if err != nil {
		s.giveUp(sim, who, err)
		return
	}
	most, first := s.begin(sim, who)
	if !first {
		leave()
		return
	}
	b, err := s.computeIn(turns, sim, who, most, f)
	leave()
	if err == nil && turns == s.turns && sim.work.long != nil && cutOff(b) {
		b = judged{}
		if s.page { // its memory isn't enough for that and for what nobody follows
			s.rooms.dropIdle(func(*room) bool { return true })
		}
		if leave, err = s.long.Enter(sim.ctx, who); err == nil {
			b, err = s.computeIn(s.long, sim, who, most, sim.work.long)
			leave()
		}
	}
	s.finish(sim, who, b, err)
}

// cutOff reports whether a branch ends because it reached the limit of events.
func cutOff(b judged) bool {
	for e := range b.Own.From(b.Last()) {
		return e.Kind == event.RunEnded && e.Reason == event.EndEvents
	}
	return false
}

// computeIn computes sim in a granted turn.
func (s *simulations) computeIn(turns *Turns, sim *simulation, who ClientKey, most int, f compute) (judged, error) {
	fair := s.fairTurn
	if turns == s.long {
		fair = longTurn
	}
	ctx, end := turns.within(sim.ctx, who, s.timeout, fair)
	defer end()
	return s.safely(ctx, most, f)
}

// giveUp ends sim with err if nobody else waits for a turn to compute it.
func (s *simulations) giveUp(sim *simulation, who ClientKey, err error) {
	s.rooms.mu.Lock()
	defer s.rooms.mu.Unlock()
	delete(sim.turns, who)
	if !sim.begun && len(sim.turns) == 0 {
		s.settle(sim, nil, err)
	}
}

func (s *simulations) begin(sim *simulation, who ClientKey) (most int, first bool) {
	s.rooms.mu.Lock()
	defer s.rooms.mu.Unlock()
	first = !sim.begun && sim.ctx.Err() == nil
	sim.begun = true
	return min(s.rooms.allowance(who), MaxRunBytes), first
}

// safely calls f and turns a panic into an error for its client.
func (s *simulations) safely(ctx context.Context, most int, f compute) (b judged, err error) {
	defer s.recovered("a simulation", &err)
	b, err = f(ctx, most)
	switch {
	case err != nil && context.Cause(ctx) == errGaveWay:
		err = errGaveWay
	case errors.Is(err, context.DeadlineExceeded):
		err = s.slow()
	case errors.Is(err, run.ErrTooLarge):
		err = s.large(most)
	}
	return b, err
}

// recovered turns a panic into an error for the client, and reports it. It must be deferred.
func (s *simulations) recovered(what string, err *error) {
	if p := recover(); p != nil {
		s.log.Error(what+" panicked", "panic", p, "stack", string(debug.Stack()))
		*err = sentence.Error("failed.simulation")
	}
}

// slow returns the error of a computation that takes too long.
func (s *simulations) slow() error {
	if s.page {
		return errTooSlowForPage
	}
	return errTooSlow
}

// large returns the error of a computation that takes more than most bytes.
func (s *simulations) large(most int) error {
	switch {
	case s.page:
		return sentence.Error("refused.large.page", sentence.Number(most>>20))
	case most == MaxRunBytes:
		return errTooLarge
	}
	return busy("busy.large", sentence.Number(s.rooms.maxKeptEach>>20))
}

// finish keeps the result, if there is room and somebody waits for it.
func (s *simulations) finish(sim *simulation, who ClientKey, b judged, err error) {
	size := b.size()
	s.rooms.mu.Lock()
	defer s.rooms.mu.Unlock()
	if err == s.slow() {
		if len(s.tooSlow) >= maxTooSlow {
			clear(s.tooSlow)
		}
		s.tooSlow[sim.key] = time.Now()
	}
	if err != nil || sim.waiting == 0 {
		s.settle(sim, nil, err)
		return
	}
	k := &keptLog{key: sim.key, branch: b, size: size}
	if err := s.rooms.keep(k, who, sim.waiting); err != nil {
		s.settle(sim, nil, err)
		return
	}
	s.settle(sim, k, nil)
}

func (s *simulations) settle(sim *simulation, k *keptLog, err error) {
	s.end(sim)
	select {
	case <-sim.done:
	default:
		sim.kept, sim.err = k, err
		close(sim.done)
	}
}

// close ends all computations and waits for them.
func (s *simulations) close() {
	s.rooms.mu.Lock()
	s.closed = true
	for _, sim := range s.pending {
		sim.cancel()
	}
	s.rooms.mu.Unlock()
	s.running.Wait()
}
