package conform

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Config configures a comparison of two servers over many generated scripts.
type Config struct {
	A, B      Target // A is the model
	Generator Generator
	First     int // number of the first script
	Requests  int64
	Lanes     int // how many pairs of servers run at the same time; 0 for 1
	Most      int // the comparison stops after that many differences; 0 for 10
	Shrink    bool
	// Found is called with each difference, one call at a time.
	Found func(*Difference)
	// Progress is called with the progress so far, one call at a time.
	Progress func(Report)
}

// Report is the progress of a comparison.
type Report struct {
	Requests    int64
	Scripts     int
	Differences map[string]int // by kind
}

// Total returns the number of differences.
func (r Report) Total() int {
	n := 0
	for _, k := range r.Differences {
		n += k
	}
	return n
}

// Run compares until enough requests were sent or ctx ends. It reports on what was done, with an error if a server
// couldn't be started or reached.
func Run(ctx context.Context, c Config) (Report, error) {
	r := &runner{Config: c, report: Report{Differences: map[string]int{}}}
	r.next.Store(int64(c.First))
	r.ctx, r.stop = context.WithCancel(ctx)
	defer r.stop()
	var wg sync.WaitGroup
	for range max(1, c.Lanes) {
		wg.Go(func() {
			if err := r.lane(); err != nil {
				r.fail(err)
			}
		})
	}
	wg.Wait()
	return r.report, r.err
}

type runner struct {
	Config
	ctx  context.Context
	stop func()
	next atomic.Int64

	mu     sync.Mutex
	report Report
	err    error
}

func (r *runner) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.stop()
}

// lane plays scripts on its own servers.
func (r *runner) lane() error {
	pair, err := NewPair(r.A, r.B)
	if err != nil && r.ctx.Err() != nil {
		return nil // an interrupt stopped them
	}
	if err != nil {
		return err
	}
	defer pair.Close()
	for r.ctx.Err() == nil && !r.enough() {
		number := int(r.next.Add(1)) - 1
		script := r.Generator.Script(number)
		d, err := pair.Play(script)
		if r.ctx.Err() != nil {
			return nil // an interrupt may have stopped the servers too
		}
		if err != nil {
			return fmt.Errorf("script %d: %w", number, err)
		}
		r.count(script)
		if d == nil {
			continue
		}
		d.Number = number
		if err := r.differs(pair, d); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	most := r.Most
	if most <= 0 {
		most = 10
	}
	return r.report.Requests >= r.Requests || r.report.Total() >= most
}

func (r *runner) count(s Script) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Requests += int64(s.Requests())
	r.report.Scripts++
	if r.Progress != nil {
		r.Progress(r.report)
	}
}

var errFixed = errors.New("the two servers differ, and this program can't replace them: restart them without data")

func (r *runner) differs(pair *Pair, d *Difference) error {
	if pair.Fixed() {
		r.found(d)
		return errFixed
	}
	if r.Shrink && r.isNew(d.Kind) {
		small, err := Shrink(r.ctx, pair, d)
		if err != nil && r.ctx.Err() == nil {
			return err
		}
		if small != nil {
			d = small
		}
	}
	r.found(d)
	if r.ctx.Err() != nil {
		return nil
	}
	return pair.Renew()
}

// isNew reports whether a difference is the first of its kind: the others are only counted.
func (r *runner) isNew(kind string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.report.Differences[kind] == 0
}

func (r *runner) found(d *Difference) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Differences[d.Kind]++
	if r.Found != nil {
		r.Found(d)
	}
}
