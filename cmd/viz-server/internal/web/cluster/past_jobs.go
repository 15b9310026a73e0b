package cluster

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/past/index"
)

// Limits of jobs.
const (
	maxJobs        = 64 // that are kept, finished or not
	maxRunning     = 2
	abandonTimeout = 20 * time.Second // a job ends if nobody asks for it for this long
)

var errTooManyJobs = sentence.Error("busy.past")

// jobs runs work that takes longer than a request may wait: once for all who ask for it and come back for the result.
type jobs struct {
	turns   chan struct{}
	running sync.WaitGroup

	mu     sync.Mutex
	byKey  map[string]*job
	asked  int // counts requests
	closed bool
}

// job is one piece of work and its result.
type job struct {
	value any // set when the job is done
	err   error

	ended    chan struct{}
	progress atomic.Int64 // progress in millionths
	cancel   context.CancelFunc
	idle     *time.Timer
	asked    int
	last     time.Time // time of the latest request
	taken    bool      // somebody has received the result
}

// newJobs returns an empty list of jobs. Close it at the end.
func newJobs() *jobs {
	return &jobs{turns: make(chan struct{}, maxRunning), byKey: map[string]*job{}}
}

// share returns the progress, from 0 to 1.
func (j *job) share() float64 { return float64(j.progress.Load()) / 1e6 }

// done reports whether the job has ended, so that value and err are set.
func (j *job) done() bool {
	select {
	case <-j.ended:
		return true
	default:
		return false
	}
}

// do begins a job or finds it, and waits for it until ctx ends. It returns errLooking if there are too many jobs.
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

// result returns a job's result, or its progress in per cent.
func (s *jobs) result(ctx context.Context, key string, work func(context.Context, index.Progress) (any, error),
) (v any, share string, err error) {
	ctx, cancel := context.WithTimeout(ctx, pastPatience)
	defer cancel()
	j, err := s.do(ctx, key, work)
	switch {
	case err != nil:
		return nil, "", err
	case !j.done():
		return nil, strconv.Itoa(int(j.share() * 100)), nil
	}
	return j.value, "", j.err
}

func (s *jobs) find(key string, work func(context.Context, index.Progress) (any, error)) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if j := s.byKey[key]; j != nil && (!j.done() || j.err == nil) {
		j.asked, j.last = s.asked, time.Now()
		j.idle.Reset(abandonTimeout)
		return j, nil
	}
	if s.closed || len(s.byKey) >= maxJobs && !s.forget() {
		return nil, errTooManyJobs
	}
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{ended: make(chan struct{}), cancel: cancel, idle: time.AfterFunc(abandonTimeout, cancel), asked: s.asked,
		last: time.Now()}
	s.byKey[key] = j
	s.running.Go(func() { s.run(ctx, j, work) })
	return j, nil
}

// busy reports whether somebody may still come back for a job.
func (s *jobs) busy(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.byKey {
		if !j.taken && now.Sub(j.last) < abandonTimeout {
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
		j.value, j.err = work(ctx, func(part float64) { j.progress.Store(int64(part * 1e6)) })
	case <-ctx.Done():
		j.err = ctx.Err()
	}
}

// forget drops the finished job with the oldest request.
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

// close cancels all jobs and waits for them.
func (s *jobs) close() {
	s.mu.Lock()
	s.closed = true
	for _, j := range s.byKey {
		j.cancel()
	}
	s.mu.Unlock()
	s.running.Wait()
}

// readNew reads new transactions, as far as time permits. It waits for jobs on the known ones, which would never end if
// the files grew with every request.
func (s *pastPages) readNew(ctx context.Context) {
	if s.jobs.busy(time.Now()) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pastPatience)
	defer cancel()
	s.index.ReadOn(ctx, time.Now())
}
