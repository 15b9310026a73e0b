package sessions

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/access"
)

// Config says whom to ask.
type Config struct {
	Servers []string      // host:port at which clients connect
	Access  access.Dialer // how connections to them are opened
	// Admin are AdminServers, by ParseAdmin. The first of a host answers for the first server of that host, and so on; one
	// of a host that has no server more is asked besides.
	Admin []*url.URL
	Every time.Duration // how often they are asked, at most; 0 for every 3 seconds
}

// Poller asks the servers of one ZooKeeper, for any number of those who look. It has no goroutine: who waits for the
// next Report asks for all who wait.
type Poller struct {
	every   time.Duration
	servers []*server
	turn    chan struct{} // held by who asks

	mu      sync.Mutex
	latest  Report
	watches Watches
	news    chan struct{} // closed when servers begin to be asked about watches, and when they have answered
	asking  bool
	mine    map[int64]bool // sessions of this program
}

// server is one that is asked, and what is known of its clocks.
type server struct {
	addr    string
	asked   asked
	uptime  clock                // of what was: when clients were heard
	expires clock                // of when sessions expire
	known   map[int64]connection // at the last report
}

// New is a poller that has not asked anybody.
func New(cfg Config) *Poller {
	p := &Poller{every: cfg.Every, turn: make(chan struct{}, 1), news: make(chan struct{}), mine: map[int64]bool{}}
	if p.every <= 0 {
		p.every = askEvery
	}
	admin := append([]*url.URL(nil), cfg.Admin...)
	for _, addr := range cfg.Servers {
		s := &server{addr: addr, asked: words{cfg.Access, addr}, expires: clock{toCome: true}}
		host, _, _ := net.SplitHostPort(addr) // it has been dialled, or will be
		for i, u := range admin {
			if u != nil && u.Hostname() == host {
				s.asked, admin[i] = newAdminServer(u, secure(cfg.Access, host)), nil
				break
			}
		}
		p.servers = append(p.servers, s)
	}
	for _, u := range admin {
		if u != nil {
			p.servers = append(p.servers, &server{addr: u.Host, asked: newAdminServer(u, secure(cfg.Access, u.Hostname())),
				expires: clock{toCome: true}})
		}
	}
	return p
}

// secure is what TLS with a host needs to know, nil for what any program does.
func secure(by access.Dialer, host string) *tls.Config {
	if by.TLS == nil {
		return nil
	}
	cfg := by.TLS.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName = host
	}
	return cfg
}

// Mine is a session of this program's own, that Reports and Watches are to leave out until gone is called. The poller
// may be nil.
func (p *Poller) Mine(session int64) (gone func()) {
	if p == nil {
		return func() {}
	}
	set := func(is bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.mine[session] = true; !is {
			delete(p.mine, session)
		}
	}
	set(true)
	return func() { set(false) }
}

// isMine reports whether a session is this program's own.
func (p *Poller) isMine(session int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mine[session]
}

// Latest returns the last Report, however old it is.
func (p *Poller) Latest() Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latest
}

// Next returns the first Report after the one with that number, which is not older than it must be: with 0, at once if
// servers were asked lately. It asks them if nobody else does, and waits for that until ctx ends; nobody is asked while
// nobody calls it.
func (p *Poller) Next(ctx context.Context, after int) (Report, error) {
	var before Report
	for {
		if err := p.take(ctx); err != nil {
			return Report{}, err
		}
		before = p.Latest()
		wait := time.Until(before.At.Add(p.pause(before)))
		if wait <= 0 {
			break
		}
		p.give() // meanwhile they may be asked something else
		if before.Number > after {
			return before, nil
		}
		select {
		case <-ctx.Done():
			return Report{}, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
	defer p.give()
	r := p.ask(ctx, before)
	if ctx.Err() != nil {
		return Report{}, context.Cause(ctx) // it has not been told all
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latest = r
	return r, nil
}

// pause is how long servers are left alone after a Report.
func (p *Poller) pause(r Report) time.Duration {
	pause := p.every
	for _, s := range r.Servers {
		pause = max(pause, s.Took*askShare)
	}
	return pause
}

func (p *Poller) take(ctx context.Context) error {
	select {
	case p.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *Poller) give() { <-p.turn }

// Watches asks all servers who watches what, which holds each of them up for as long as it takes to write that down: 50
// ms for 50,000. If they were asked within WatchesEvery, or a twentieth of the time would be more than that, it returns
// what they said then.
func (p *Poller) Watches(ctx context.Context) (Watches, error) {
	if err := p.take(ctx); err != nil {
		return Watches{}, err
	}
	defer p.give()
	p.mu.Lock()
	last := p.watches
	p.mu.Unlock()
	if !last.At.IsZero() && time.Since(last.At) < max(WatchesEvery, last.Took*askShare) {
		return last, nil
	}
	p.setWatches(last, true)
	w := p.askWatches(ctx)
	if ctx.Err() != nil {
		p.setWatches(last, false)
		return Watches{}, context.Cause(ctx)
	}
	p.setWatches(w, false)
	return w, nil
}

func (p *Poller) setWatches(w Watches, asking bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watches, p.asking = w, asking
	close(p.news)
	p.news = make(chan struct{})
}

// LatestWatches returns what servers said last when they were asked about watches, whether they are being asked now,
// and a channel that is closed when either changes. It asks nobody.
func (p *Poller) LatestWatches() (w Watches, asking bool, news <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.watches, p.asking, p.news
}
