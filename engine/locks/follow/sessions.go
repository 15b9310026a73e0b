package follow

import (
	"context"
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/locks"
	"github.com/zkviz/zkviz/engine/sessions"
)

// sessionsWait is how long a report waits for what servers say of sessions, once they have said something. For what
// they say of watches, which somebody has asked for, it waits as long as they may take.
const sessionsWait = time.Second

// sessions is what servers say of sessions. One that answers late is waited for the first time; later, meanwhile it's
// what they said before.
func (l *Locks) sessions(ctx context.Context) sessions.Report {
	limit := sessionsWait
	if l.on.Sessions.Latest().Number == 0 {
		limit = math.MaxInt64
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-l.askSessions():
	case <-ctx.Done():
	}
	return l.on.Sessions.Latest()
}

// askSessions has servers be asked, and closes the channel when they have been, whether or not anybody still waits.
func (l *Locks) askSessions() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked == nil {
		asked := make(chan struct{})
		l.asked = asked
		l.all.Go(func() {
			_, _ = l.on.Sessions.Next(l.stop, 0) // fails only by l.stop
			l.mu.Lock()
			defer l.mu.Unlock()
			l.asked = nil
			close(asked)
		})
	}
	return l.asked
}

// client is what a report says of a session. Whether it's silent was to be seen when the servers were asked: it may
// have been heard of since. If it was, it's as if it still were.
func client(r sessions.Report, id int64, now time.Time) locks.Client {
	s, _ := r.Of(id)
	return locks.Client{Addr: s.Client, Silent: s.Silent(r.At), Quiet: s.Quiet(now), Timeout: s.Timeout}
}
