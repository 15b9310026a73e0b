package ensemble

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// Poller asks the servers of one ZooKeeper for any number of callers. It has no goroutine: one caller that waits for
// the next State asks for all.
type Poller struct {
	servers []server
	every   time.Duration
	turn    inquiry.Turn

	mu     sync.Mutex
	latest State
	heard  func() Heard // nil if no stream is read
}

// Hear adds what the ensemble's own stream tells. It may be called from any goroutine, once.
func (p *Poller) Hear(heard func() Heard) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = heard
}

// hears returns what the stream tells now.
func (p *Poller) hears() (h Heard) {
	p.mu.Lock()
	heard := p.heard
	p.mu.Unlock()
	if heard != nil {
		h = heard()
	}
	return h
}

// New returns a poller that has not asked anybody yet. It asks at most every so often; 0 means 2 seconds.
func New(servers []inquiry.Server, dial access.Dialer, every time.Duration) *Poller {
	p := &Poller{every: every, turn: inquiry.NewTurn()}
	if every <= 0 {
		p.every = askEvery
	}
	for _, s := range servers {
		p.servers = append(p.servers, newServer(s, dial))
	}
	return p
}

// Latest returns the last State, however old it is. Its Number is 0 if nobody was asked yet.
func (p *Poller) Latest() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latest
}

// Next returns a State with a higher number than after. With after 0, it returns at once if the servers were asked
// recently. It asks them unless another caller does, and waits until ctx ends.
func (p *Poller) Next(ctx context.Context, after int) (State, error) {
	asks, err := p.turn.Wait(ctx, func() time.Time { return time.UnixMilli(p.Latest().AtMS).Add(p.every) },
		func() bool { return p.Latest().Number > after })
	before := p.Latest()
	if err != nil || !asks {
		return before, err
	}
	defer p.turn.Give()
	answers := round(ctx, p.servers)
	if ctx.Err() != nil {
		return before, context.Cause(ctx) // the answers are incomplete
	}
	s := Fold(before, answers, p.hears(), time.Now().UnixMilli())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latest = s
	return s, nil
}
