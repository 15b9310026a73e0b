package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// errWindowOver ends the reading once the window is complete.
var errWindowOver = errors.New("that is all")

// save saves a window of the log as a trace, like an observer of the ensemble would have recorded it.
func (c *logCmd) save(term *terminal, r *fileProgress, files past.Files, w past.Filter) error {
	trace, err := createTrace(term, c.Trace, event.Header{Host: event.Joined, Root: c.Below})
	if err != nil {
		return err
	}
	defer trace.discard()
	end := int64(math.MaxInt64)
	if c.Until != "" { // clocks go back: earlier times may follow the first later one
		if end, err = files.LastWithin(term.ctx, &w); err != nil {
			return err
		}
	}
	var excerpt *feed.Excerpt
	var gap replay.Gap
	full, broken := false, false
	requested := newPresence(w.Below, nil)
	err = files.ReadWith(term.ctx, c.Below, r.complain,
		func(s *replay.State, t *wire.Txn) {
			if excerpt == nil && w.At(t.TimeMS) {
				excerpt, gap = feed.NewExcerpt(c.Below, s, t, trace), s.Gap()
			}
		}, func(s *replay.State, t *wire.Txn, facts []replay.Fact) error {
			requested.take(s, t, facts)
			switch {
			case t.Zxid > end:
				return errWindowOver
			case excerpt != nil && s.Gap() != gap:
				gap, broken = s.Gap(), true
				return errWindowOver
			case excerpt != nil && !excerpt.Take(s, t, facts):
				full = true
				return errWindowOver
			}
			return nil
		})
	if err != nil && !errors.Is(err, errWindowOver) {
		return err
	}
	if err := requested.check(); err != nil && !full && !broken {
		return err
	}
	if excerpt == nil {
		return fmt.Errorf("nothing happened in that time: --trace has nothing to save")
	}
	excerpt.Close()
	if err := trace.commit(); err != nil {
		return err
	}
	if broken {
		term.complain("the trace ends at %s: %s. For what comes after that, save another with --since",
			wallTime(excerpt.Until()), missingText(gap))
	}
	if full {
		term.complain("the trace is full at %s: for what comes after that, save another with --since",
			wallTime(excerpt.Until()))
	}
	return nil
}
