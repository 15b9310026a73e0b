package benchzk

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/daemon"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// cell is one measurement: an operation, a number of connections, and how many requests each keeps outstanding.
type cell struct {
	op           string
	conns, depth int
}

func (c cell) String() string { return fmt.Sprintf("%s %d×%d", c.op, c.conns, c.depth) }

// figures holds the results of one server.
type figures struct {
	rate     float64 // operations a second
	p50, p99 time.Duration
	cpu      time.Duration // per operation
}

// lane is the work of one client. Its run lasts until the given time but does at least one operation. It appends
// how long each took.
type lane interface {
	run(until time.Time, took []time.Duration) ([]time.Duration, error)
	// end undoes what run did and closes the connections.
	end() error
}

// base is the parent of all znodes of a measurement.
const base = "/bench"

// dataBytes is the size of every znode's data.
const dataBytes = 100

// measure runs a cell on every server in turns, and returns the best round of each. Other load on the machine slows
// all servers, and none of them for long.
func measure(servers []*server, c cell, o options) ([]figures, error) {
	lanes := make([][]lane, len(servers))
	best := make([]figures, len(servers))
	for i, s := range servers {
		var err error
		if lanes[i], err = open(s, c); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), closeAll(servers, lanes))
		}
	}
	for range o.rounds {
		for i, s := range servers {
			f, err := round(s, lanes[i], o.span)
			if err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), closeAll(servers, lanes))
			}
			if f.rate > best[i].rate {
				best[i] = f
			}
		}
	}
	return best, closeAll(servers, lanes)
}

// closeAll ends all lanes in parallel. A server with a disk may need many seconds to delete what a lane leaves, and
// the sessions of waiting lanes would expire.
func closeAll(servers []*server, lanes [][]lane) error {
	var (
		wait sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	for i, all := range lanes {
		for _, l := range all {
			wait.Go(func() {
				if err := l.end(); err != nil {
					mu.Lock()
					errs = append(errs, fmt.Errorf("%s: %w", servers[i].name, err))
					mu.Unlock()
				}
			})
		}
	}
	wait.Wait()
	return errors.Join(errs...)
}

// round runs a server's lanes in parallel. It first runs them for an eighth of the span without counting.
func round(s *server, lanes []lane, span time.Duration) (figures, error) {
	if _, err := runAll(lanes, span/8); err != nil {
		return figures{}, err
	}
	before, err := daemon.CPU(s.pids...)
	if err != nil {
		return figures{}, err
	}
	start := time.Now()
	took, err := runAll(lanes, span)
	if err != nil {
		return figures{}, err
	}
	elapsed := time.Since(start)
	after, err := daemon.CPU(s.pids...)
	if err != nil {
		return figures{}, err
	}
	return figuresOf(took, elapsed, after-before)
}

func figuresOf(took []time.Duration, elapsed, cpu time.Duration) (figures, error) {
	if len(took) == 0 {
		return figures{}, errors.New("nothing was done in time")
	}
	slices.Sort(took)
	return figures{
		rate: float64(len(took)) / elapsed.Seconds(),
		p50:  took[len(took)/2], p99: took[len(took)*99/100],
		cpu: cpu / time.Duration(len(took)),
	}, nil
}

func runAll(lanes []lane, span time.Duration) ([]time.Duration, error) {
	var (
		wait  sync.WaitGroup
		took  = make([][]time.Duration, len(lanes))
		errs  = make([]error, len(lanes))
		until = time.Now().Add(span)
	)
	for i, l := range lanes {
		wait.Go(func() { took[i], errs[i] = l.run(until, make([]time.Duration, 0, 1<<12)) })
	}
	wait.Wait()
	return slices.Concat(took...), errors.Join(errs...)
}

// open creates the lanes of a cell, each with its own znode.
func open(s *server, c cell) ([]lane, error) {
	if err := prepare(s, c); err != nil {
		return nil, err
	}
	var lanes []lane
	for i := range c.conns {
		l, err := openLane(s, c, fmt.Sprintf("%s/%d", base, i))
		if err != nil {
			return lanes, err
		}
		lanes = append(lanes, l)
	}
	return lanes, nil
}

func openLane(s *server, c cell, path string) (lane, error) {
	if c.op == "watch" {
		return openWatch(s, path, c.depth)
	}
	p, err := s.dial()
	if err != nil {
		return nil, err
	}
	return &requests{p: p, op: c.op, path: path, depth: c.depth}, nil
}

// prepare creates the znodes that the lanes need, if they don't exist yet.
func prepare(s *server, c cell) error {
	p, err := s.dial()
	if err != nil {
		return err
	}
	paths := []string{base}
	for i := range c.conns {
		lane := fmt.Sprintf("%s/%d", base, i)
		paths = append(paths, lane)
		for j := 0; c.op == "watch" && j < c.depth; j++ {
			paths = append(paths, slot(lane, j))
		}
	}
	for _, path := range paths {
		if err := ensure(p, path); err != nil {
			return err
		}
	}
	return p.Close()
}

// slot returns the znode for one of a lane's outstanding watches.
func slot(lane string, i int) string { return fmt.Sprintf("%s/w%d", lane, i) }

func ensure(p *peer.Peer, path string) error {
	resp, _, err := p.Do(wire.Request{Op: wire.OpCreate, Path: path, Data: make([]byte, dataBytes), ACL: zoo.OpenACL()})
	if err == nil && resp.Code != zoo.OK && resp.Code != zoo.ErrNodeExists {
		err = &zoo.Error{Op: "create", Path: path, Code: resp.Code}
	}
	return err
}

// warm warms the servers up: Java compiles code that runs often.
func warm(servers []*server, o options) error {
	for _, c := range cells("", 10) {
		if c.conns != 10 {
			continue
		}
		if _, err := measure(servers, c, options{rounds: 1, span: o.warm}); err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
	}
	return nil
}
