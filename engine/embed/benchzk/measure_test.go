package benchzk

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
	"github.com/zkviz/zkviz/engine/zoo"
)

// cell is one thing to measure: an operation, over so many connections, with so many requests of each
// outstanding.
type cell struct {
	op           string
	conns, depth int
}

func (c cell) String() string { return fmt.Sprintf("%s %d×%d", c.op, c.conns, c.depth) }

// figures are what one server did.
type figures struct {
	rate     float64 // operations a second
	p50, p99 time.Duration
	cpu      time.Duration // for each operation
}

// lane is one client's work. Its run goes on until a time, does one operation at least, and appends how long each
// took.
type lane interface {
	run(until time.Time, took []time.Duration) ([]time.Duration, error)
	// end undoes what run did, and closes the connections.
	end() error
}

// base is where all znodes of a measurement are.
const base = "/bench"

// dataBytes is the size of every znode's data.
const dataBytes = 100

// measure runs a cell on every server, in turns, and takes the best round of each: whatever else the machine
// does takes from all of them, and from none for long.
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

// closeAll ends all lanes side by side: what one leaves may take a server with a disk many seconds to delete, and the
// sessions of lanes that had to wait for that would expire.
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

// round runs a server's lanes side by side, and first for an eighth of the span that does not count.
func round(s *server, lanes []lane, span time.Duration) (figures, error) {
	if _, err := runAll(lanes, span/8); err != nil {
		return figures{}, err
	}
	before, err := cpu(s.pids)
	if err != nil {
		return figures{}, err
	}
	start := time.Now()
	took, err := runAll(lanes, span)
	if err != nil {
		return figures{}, err
	}
	elapsed := time.Since(start)
	after, err := cpu(s.pids)
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

// open makes the lanes of a cell, each with its own znode.
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

// prepare makes the znodes that the lanes work on, if they are not there yet.
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

// slot is the znode for one of a lane's outstanding watches.
func slot(lane string, i int) string { return fmt.Sprintf("%s/w%d", lane, i) }

func ensure(p *peer.Peer, path string) error {
	resp, _, err := p.Do(wire.Request{Op: wire.OpCreate, Path: path, Data: make([]byte, dataBytes), ACL: zoo.OpenACL()})
	if err == nil && resp.Code != zoo.OK && resp.Code != zoo.ErrNodeExists {
		err = &zoo.Error{Op: "create", Path: path, Code: resp.Code}
	}
	return err
}

// warm lets the servers find their stride: Java compiles what runs often.
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
