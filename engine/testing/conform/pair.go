package conform

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Target is a server, which may be replaced by one without data.
type Target struct {
	// Start starts a server and returns its address and how to stop it. If it is nil, the server at Addr is used as it
	// is, and never replaced.
	Start func() (addr string, end func(), err error)
	Addr  string
}

// Pair is two servers with the same history.
type Pair struct {
	a, b *side
}

type side struct {
	target Target
	player *Player
	end    func()
}

// NewPair starts two servers, or connects to them.
func NewPair(a, b Target) (*Pair, error) {
	p := &Pair{a: &side{target: a}, b: &side{target: b}}
	if err := p.Renew(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Close stops both.
func (p *Pair) Close() {
	p.a.close()
	p.b.close()
}

func (s *side) close() {
	if s.player != nil {
		s.player.Close()
	}
	if s.end != nil {
		s.end()
	}
	s.player, s.end = nil, nil
}

// Fixed reports whether the servers can't be replaced.
func (p *Pair) Fixed() bool { return p.a.target.Start == nil || p.b.target.Start == nil }

// Renew replaces both servers by new ones.
func (p *Pair) Renew() error {
	return both(p.a.renew, p.b.renew)
}

func both(f, g func() error) error {
	var wg sync.WaitGroup
	var first, second error
	wg.Go(func() { second = g() })
	first = f()
	wg.Wait()
	return cmp.Or(first, second)
}

func (s *side) renew() error {
	s.close()
	addr := s.target.Addr
	if s.target.Start != nil {
		var err error
		if addr, s.end, err = s.target.Start(); err != nil {
			return err
		}
	}
	player, err := NewPlayer(addr)
	if err != nil {
		return fmt.Errorf("the server at %s: %w", addr, err)
	}
	s.player = player
	return nil
}

// Play plays a script on both and compares. After a difference the two no longer have the same history: see Renew.
func (p *Pair) Play(s Script) (*Difference, error) {
	var x, y []Round
	err := both(func() (err error) { x, err = p.a.player.Play(s); return err },
		func() (err error) { y, err = p.b.player.Play(s); return err })
	if d := Compare(s, x, y); d != nil {
		return d, nil
	}
	return nil, err
}

// level reports whether the two servers are still alike, as far as their roots show.
func (p *Pair) level() bool {
	look := Script{
		{Kind: Connect, Conn: "z", Hello: Hello{Timeout: DefaultTimeout}},
		{Kind: Ask, Conn: "z", Req: wire.Request{Op: wire.OpGetChildren2, Path: "/"}},
		{Kind: Ask, Conn: "z", Req: wire.Request{Op: wire.OpAllChildrenNumber, Path: "/"}},
		{Kind: Ask, Conn: "z", Req: wire.Request{Op: wire.OpCloseSession}},
	}
	d, err := p.Play(look)
	return d == nil && err == nil
}
