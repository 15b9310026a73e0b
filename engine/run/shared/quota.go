package shared

import (
	"context"
	"fmt"
	"sync"
)

// quota knows how full the stream is, and asks again every quotaEvery. Several servers may go beyond the limits by what
// they write in that time; the stream's own limit, which is reserveBytes higher, holds always.
type quota struct {
	mu    sync.Mutex
	asked instant
	bytes uint64
	logs  uint64
}

// check returns ErrFull if there's no room for an entry, or for another log. If NATS doesn't say, there is: it will
// refuse the entry itself.
func (q *quota) check(ctx context.Context, b *Bus, another bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t := now(); q.asked == (instant{}) || t.since(q.asked) > quotaEvery {
		ctx, cancel := context.WithTimeout(ctx, answerOfNATS)
		defer cancel()
		if info, err := b.entries.Info(ctx); err == nil {
			q.asked, q.bytes, q.logs = t, info.State.Bytes, info.State.NumSubjects
		}
	}
	switch {
	case q.bytes > LogsBytes:
		return fmt.Errorf("%w: all logs together have %d bytes of %d", ErrFull, q.bytes, LogsBytes)
	case another && q.logs > Logs:
		return fmt.Errorf("%w: there are %d logs of %d", ErrFull, q.logs, Logs)
	}
	return nil
}
