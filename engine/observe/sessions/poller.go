package sessions

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// Config says which servers to ask.
type Config struct {
	Servers []string      // host:port at which clients connect
	Access  access.Dialer // how to connect to them
	// Admin lists AdminServers, from inquiry.ParseAdmin; see inquiry.Servers.
	Admin []*url.URL
	Every time.Duration // the shortest interval between two polls; 0 for 3 seconds
}

// Poller asks the servers of one ZooKeeper for any number of viewers. It has no goroutine: one caller that waits
// for the next Report asks for all.
type Poller struct {
	every   time.Duration
	servers []*server
	turn    inquiry.Turn // held while asking

	mu      sync.Mutex
	latest  Report
	watches Watches
	news    chan struct{} // closed when asking about watches begins, and when it has ended
	asking  bool
	mine    map[int64]bool // this program's own sessions
}

// server is a server to ask, with what is known about its clocks.
type server struct {
	addr    string
	asked   monitor
	uptime  clock                // from the past: when clients were active
	expires clock                // from expiry times
	known   map[int64]connection // from the last report
}

// New returns a poller that has not asked anybody yet.
func New(cfg Config) *Poller {
	p := &Poller{every: cfg.Every, turn: inquiry.NewTurn(), news: make(chan struct{}), mine: map[int64]bool{}}
	if p.every <= 0 {
		p.every = askEvery
	}
	for _, one := range inquiry.Servers(cfg.Servers, cfg.Access, cfg.Admin) {
		s := &server{addr: one.Addr, asked: fourLetterWords{cfg.Access, one.Addr}, expires: clock{toCome: true}}
		if one.Admin != nil {
			s.asked = adminServer{one.Admin}
		}
		p.servers = append(p.servers, s)
	}
	return p
}

// Mine makes Reports and Watches leave out this program's own session until gone is called. The poller may be nil.
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

// Own returns how many sessions are this program's own. The poller may be nil.
func (p *Poller) Own() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.mine)
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

// Next returns a Report with a higher number than after. With after 0, it returns at once if the servers were asked
// recently. It asks them unless another caller does, and waits until ctx ends. Without a caller, nobody is asked.
func (p *Poller) Next(ctx context.Context, after int) (Report, error) {
	asks, err := p.turn.Wait(ctx, func() time.Time { before := p.Latest(); return before.At.Add(p.pause(before)) },
		func() bool { return p.Latest().Number > after })
	before := p.Latest()
	if err != nil || !asks {
		return before, err
	}
	defer p.turn.Give()
	r := p.ask(ctx, before)
	if ctx.Err() != nil {
		return Report{}, context.Cause(ctx) // the answers are incomplete
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latest = r
	return r, nil
}

// pause returns the pause after a Report.
func (p *Poller) pause(r Report) time.Duration {
	pause := p.every
	for _, s := range r.Servers {
		pause = max(pause, s.Took*askShare)
	}
	return pause
}

// Watches asks all servers who watches what. Each is blocked while it writes that down: 50 ms for 50,000 watches.
// It returns the last answers if they are younger than WatchesEvery, or if asking would take more than a twentieth
// of the time.
func (p *Poller) Watches(ctx context.Context) (Watches, error) {
	if err := p.turn.Take(ctx); err != nil {
		return Watches{}, err
	}
	defer p.turn.Give()
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

// LatestWatches returns the last answers about watches, whether the servers are being asked now, and a channel that
// closes when either changes. It asks nobody.
func (p *Poller) LatestWatches() (w Watches, asking bool, news <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.watches, p.asking, p.news
}
