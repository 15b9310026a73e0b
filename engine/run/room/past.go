package room

import (
	"context"
	"crypto/sha256"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Past reads the history of a ZooKeeper from its files.
type Past interface {
	// Window writes what happened at a znode and below it into a log, from since to before until, in ms since 1970.
	// It never writes to the files. Its error is meant for people.
	Window(ctx context.Context, path string, since, until int64, sink event.Sink) error
}

// window opens a room for a past period, together with all equal requests.
func (s *Runs) window(ctx context.Context, who ClientKey, path, text string) (*room, error) {
	if s.past == nil {
		return nil, sentence.Error("refused.no-past")
	}
	w, err := protocol.ParseWindow(text)
	if err != nil {
		return nil, err
	}
	key := logKey(sha256.Sum256([]byte("past " + w.String() + path)))
	k, err := s.sims.get(ctx, who, key, func(ctx context.Context, most int) (judged, error) {
		return windowOf(ctx, s.past, path, w, most)
	})
	if err != nil {
		return nil, err
	}
	return s.openLog(who, k, key)
}

// windowOf returns a past period as a branch of at most that many bytes.
func windowOf(ctx context.Context, p Past, path string, w protocol.Window, most int) (judged, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	log := bounded{most: most, full: func() { cancel(run.ErrTooLarge) }}
	err := p.Window(ctx, path, w.Since, w.Until, &log)
	if context.Cause(ctx) == run.ErrTooLarge {
		err = run.ErrTooLarge
	}
	if err != nil {
		return judged{}, err
	}
	h := event.Header{Host: event.Joined, Root: path}
	return judged{Branch: run.Branch{Parent: -1, From: 1, Header: h, Own: log.Log()}}, nil
}

// bounded is a log that calls full when it exceeds most bytes.
type bounded struct {
	packed.Builder
	most int
	full func()
}

// Append adds the next event.
func (b *bounded) Append(e event.Event) {
	if b.Builder.Append(e); b.Size() > b.most {
		b.full()
	}
}
