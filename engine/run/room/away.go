package room

import (
	"context"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// What is inside a program can be seen at another one, which gets the log of a room there: ReportZoo reports that log,
// and Config.Away observes it.

// ErrZooAway refuses what can only be done where the ZooKeeper is.
var ErrZooAway = sentence.Error("refused.zoo.away")

// ReportZoo reports what the room shows in which the ZooKeeper inside is observed below a path, for others than its
// viewers, until ctx ends, or the log does: with event.ErrLogFull if another one begins.
func (s *Runs) ReportZoo(ctx context.Context, who ClientKey, path string, sink event.Sink) error {
	r, err := s.zoo(who, protocol.Request{Do: protocol.Zoo, Path: path})
	if err != nil {
		return err
	}
	defer func() { s.rooms.leave(r, who, time.Now()) }()
	b, ok := r.firstBranch()
	if !ok {
		return errGone
	}
	for next := event.Seq(1); ; {
		news := r.bell.Next()
		some := b.log.Read(next)
		for _, e := range some {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			sink.Append(e)
			next = e.Seq + 1
		}
		if len(some) > 0 {
			continue
		}
		switch now, ok := r.firstBranch(); {
		case !ok:
			return errGone
		case now.log != b.log:
			return event.ErrLogFull
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// firstBranch returns the room's first branch. It reports false if the room is gone.
func (r *room) firstBranch() (branch, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.branches) == 0 {
		return branch{}, false
	}
	return r.branches[0], true
}
