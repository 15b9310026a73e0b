package follow

import (
	"context"
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/sessions"
)

// sessionsWait is how long a report waits for the servers' answers, once there are earlier ones. For answers about
// watches, which somebody asked for, it waits as long as they may take.
const sessionsWait = time.Second

// sessions returns what servers say about sessions. The first time it waits for late servers; later it uses their
// previous answers meanwhile.
func (l *Locks) sessions(ctx context.Context) sessions.Report {
	p := l.on.Sessions
	l.ask(ctx, &l.asked, p.Latest().Number == 0, func() { _, _ = p.Next(l.stop, 0) }) // only l.stop makes it fail
	r := p.Latest()
	l.addresses.note(&r)
	return r
}

// ask has the servers asked by next, unless they are being asked, and waits for that: the first time for as long as it
// takes, later for a limited time. Asking goes on, whether or not anybody still waits. Its end closes asked, which is
// nil while nobody asks.
func (l *Locks) ask(ctx context.Context, asked *chan struct{}, first bool, next func()) {
	limit := sessionsWait
	if first {
		limit = math.MaxInt64
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	l.mu.Lock()
	over := *asked
	if over == nil {
		over = make(chan struct{})
		*asked = over
		l.all.Go(func() {
			next()
			l.mu.Lock()
			defer l.mu.Unlock()
			*asked = nil
			close(over)
		})
	}
	l.mu.Unlock()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// client returns what a report says about a session. Whether it is silent dates from when the servers were asked:
// it may have been heard since, but still counts as silent.
func client(r sessions.Report, id int64, now time.Time) locks.Client {
	s, _ := r.Of(id)
	return locks.Client{Addr: s.Client, Silent: s.Silent(r.At), Quiet: s.Quiet(now), Timeout: s.Timeout,
		Server: s.Server, Unconnected: s.Unconnected, Listed: s.Listed}
}
