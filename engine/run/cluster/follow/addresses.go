package follow

import (
	"cmp"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/observe/sessions"
)

// Limits of remembered addresses: those of sessions that a server has named within the last one or two hours, or among
// so many sessions.
const (
	addressSpan   = holds.Span
	mostAddresses = sessions.MaxSessions
)

// addresses remembers the last address of each session for a while, since servers no longer tell it once the session
// has gone. Its zero value knows none.
type addresses struct {
	mu       sync.Mutex
	number   int // of the last report
	now, old map[int64]string
	since    time.Time // of now
}

// note remembers what a report says.
func (a *addresses) note(r *sessions.Report) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Number == a.number {
		return
	}
	a.number = r.Number
	if a.now == nil || r.At.Sub(a.since) >= addressSpan || len(a.now)+len(r.Sessions) > 2*mostAddresses {
		a.now, a.old, a.since = map[int64]string{}, a.now, r.At
	}
	for i := range r.Sessions {
		if s := &r.Sessions[i]; s.Client != "" {
			a.now[s.ID] = s.Client
		}
	}
}

// of returns a session's last address; empty if it isn't remembered.
func (a *addresses) of(session int64) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return cmp.Or(a.now[session], a.old[session])
}
