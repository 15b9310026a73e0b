package web

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/past/index"
)

// Limits of jobs.
const (
	maxJobs     = 64 // that are kept, done or not
	maxRunning  = 2
	abandonedIn = 20 * time.Second // a job ends that nobody has asked for in this time
)

var errLooking = sentence.Error("busy.past")

// jobs do what takes longer than somebody waits: each once for all who ask for it, who may come back for it.
type jobs struct {
	turns   chan struct{}
	running sync.WaitGroup

	mu     sync.Mutex
	byKey  map[string]*job
	asked  int // counts
	closed bool
}

// job is one of them.
type job struct {
	value any // once it is done
	err   error

	ended  chan struct{}
	part   atomic.Int64 // of a million
	cancel context.CancelFunc
	idle   *time.Timer
	asked  int
	last   time.Time // when somebody has asked for it last
	taken  bool      // somebody has what it has found
}

// newJobs are no jobs yet. Close them in the end.
func newJobs() *jobs {
	return &jobs{turns: make(chan struct{}, maxRunning), byKey: map[string]*job{}}
}

// share returns how much of it is done, from 0 to 1.
func (j *job) share() float64 { return float64(j.part.Load()) / 1e6 }

// done reports whether it is, so that there are value and err.
func (j *job) done() bool {
	select {
	case <-j.ended:
		return true
	default:
		return false
	}
}

// do begins a job, or finds it, and waits for it until ctx ends. It returns errLooking if there are too many.
func (s *jobs) do(ctx context.Context, key string, work func(context.Context, index.Progress) (any, error),
) (*job, error) {
	j, err := s.find(key, work)
	if err != nil {
		return nil, err
	}
	select {
	case <-j.ended:
		s.mu.Lock()
		j.taken = true
		s.mu.Unlock()
	case <-ctx.Done():
	}
	return j, nil
}

func (s *jobs) find(key string, work func(context.Context, index.Progress) (any, error)) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if j := s.byKey[key]; j != nil && (!j.done() || j.err == nil) {
		j.asked, j.last = s.asked, time.Now()
		j.idle.Reset(abandonedIn)
		return j, nil
	}
	if s.closed || len(s.byKey) >= maxJobs && !s.forget() {
		return nil, errLooking
	}
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{ended: make(chan struct{}), cancel: cancel, idle: time.AfterFunc(abandonedIn, cancel), asked: s.asked,
		last: time.Now()}
	s.byKey[key] = j
	s.running.Go(func() { s.run(ctx, j, work) })
	return j, nil
}

// busy reports whether somebody is going to come back for a job.
func (s *jobs) busy(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.byKey {
		if !j.taken && now.Sub(j.last) < abandonedIn {
			return true
		}
	}
	return false
}

func (s *jobs) run(ctx context.Context, j *job, work func(context.Context, index.Progress) (any, error)) {
	defer close(j.ended)
	defer j.cancel()
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
		j.value, j.err = work(ctx, func(part float64) { j.part.Store(int64(part * 1e6)) })
	case <-ctx.Done():
		j.err = ctx.Err()
	}
}

// forget drops the job that is done and was asked for least recently.
func (s *jobs) forget() bool {
	oldest := ""
	for key, j := range s.byKey {
		if j.done() && (oldest == "" || j.asked < s.byKey[oldest].asked) {
			oldest = key
		}
	}
	delete(s.byKey, oldest)
	return oldest != ""
}

// close ends all jobs, and returns when they have.
func (s *jobs) close() {
	s.mu.Lock()
	s.closed = true
	for _, j := range s.byKey {
		j.cancel()
	}
	s.mu.Unlock()
	s.running.Wait()
}

// readOn reads what servers have written since, as far as there is time. What is being counted or looked for in what is
// known comes first: it would never end if more were known each time somebody comes back for it.
func (s *site) readOn(ctx context.Context) {
	if s.looks.busy(time.Now()) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pastPatience)
	defer cancel()
	s.past.ReadOn(ctx, time.Now())
}
