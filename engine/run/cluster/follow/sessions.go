package follow

import (
	"context"
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/sessions"
)

// sessionsWait is how long a report waits for the servers' answers about sessions, once there are earlier ones. For
// answers about watches, which somebody asked for, it waits as long as they may take.
const sessionsWait = time.Second

// sessions returns what servers say about sessions. The first time it waits for late servers; later it uses their
// previous answers meanwhile.
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

// askSessions asks the servers, and closes the channel when they have answered, whether or not anybody still waits.
func (l *Locks) askSessions() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked == nil {
		asked := make(chan struct{})
		l.asked = asked
		l.all.Go(func() {
			_, _ = l.on.Sessions.Next(l.stop, 0) // only l.stop makes it fail
			l.mu.Lock()
			defer l.mu.Unlock()
			l.asked = nil
			close(asked)
		})
	}
	return l.asked
}

// client returns what a report says about a session. Whether it is silent dates from when the servers were asked:
// it may have been heard since, but still counts as silent.
func client(r sessions.Report, id int64, now time.Time) locks.Client {
	s, _ := r.Of(id)
	return locks.Client{Addr: s.Client, Silent: s.Silent(r.At), Quiet: s.Quiet(now), Timeout: s.Timeout,
		Server: s.Server, Listed: s.Listed}
}
