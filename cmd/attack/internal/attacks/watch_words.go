package attacks

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// The sizes of watch-words.
const (
	watchers      = 20
	watchesEach   = 50_000
	watchesAtOnce = 10_000 // in one request
	wordAskers    = 20
	wordRounds    = 5
)

func watchWords(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	early, cancel := part(ctx, setUpShare)
	defer cancel()
	for i := range w.n(watchers) {
		if early.Err() != nil {
			break
		}
		p, done, err := w.sessionFor(ctx, from[i%len(from)], longSession)
		if err != nil {
			t.add("not connected")
			continue
		}
		defer done()
		outcome := "watching"
		for first, n := 0, w.n(watchesEach); first < n && outcome == "watching" &&
			early.Err() == nil; first += watchesAtOnce {
			set := wire.Request{Xid: wire.XidSetWatches, Op: wire.OpSetWatches}
			for k := first; k < min(n, first+watchesAtOnce); k++ {
				set.ExistWatches = append(set.ExistWatches, fmt.Sprintf("%s/nothing-%d-%d", Root, i, k))
			}
			if a, _, err := p.Do(set); err != nil {
				outcome = "cut off while setting watches"
			} else if a.Code != zoo.OK {
				outcome = "refused: " + a.Code.Error()
			}
		}
		t.add(outcome)
		defer closing(p)
	}
	w.note("sessions: %s", &t)
	var asked tally
	for range wordRounds {
		if ctx.Err() != nil {
			break
		}
		each(ctx, w.n(wordAskers), func(ctx context.Context, i int) {
			asked.add(w.word(ctx, from[i%len(from)], []string{"wchp", "wchc"}[i%2]))
		})
	}
	w.note("words: %s", &asked)
	return nil
}

// word asks a four-letter word and drops the answer.
func (w *World) word(ctx context.Context, from client.From, word string) string {
	c, err := from.DialContext(ctx, "tcp", w.ZooKeeper)
	if err != nil {
		return "not connected"
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, word); err != nil {
		return "cut off"
	}
	switch n, err := io.Copy(io.Discard, c); {
	case err != nil:
		return "broken off"
	case n == 0:
		return "without an answer"
	}
	return "answered"
}
