package room

import (
	"context"
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/fork"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// longestFork is the maximum length of a fork's query: run.MaxQuery without room for a recipe's name and for what the
// lab adds.
const longestFork = run.MaxQuery - 96

// whatIf makes a scenario of what was seen in a branch up to a moment and after it, in the client's turn. It is about
// the znodes at m.Path, or about others if none can be forked there.
func (s *Runs) whatIf(
	ctx context.Context, who ClientKey, r *room, m protocol.Request) (said *protocol.Fork, err error) {
	if _, _, ok := r.headerOf(m.Branch); !ok {
		return nil, sentence.Error("bad.branch", sentence.Number(m.Branch))
	}
	leave, err := s.sims.turns.Enter(ctx, who)
	if err != nil {
		return nil, err
	}
	defer leave()
	defer s.sims.recovered("a fork", &err)
	facts, err := s.factsOf(ctx, r, m.Branch)
	if err != nil {
		return nil, err
	}
	return forkOf(facts, fork.Config{At: time.Duration(m.AtMS) * time.Millisecond, Path: m.Path})
}

// factsOf reads a branch, as long as somebody waits for it.
func (s *Runs) factsOf(ctx context.Context, r *room, branch int) (*fork.Facts, error) {
	whole := false
	facts := fork.Read(r.header, func(yield func(event.Event) bool) {
		n := 0
		whole = r.events(branch, 1, func(e event.Event) bool {
			if n++; n%eventsPerCheck == 0 && s.yield != nil {
				s.yield()
			}
			return (n%eventsPerCheck > 0 || ctx.Err() == nil) && yield(e)
		})
	})
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, busy("busy.computing")
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !whole:
		return nil, errGone
	}
	return facts, nil
}

func forkOf(facts *fork.Facts, cfg fork.Config) (*protocol.Fork, error) {
	whole, err := facts.Fork(cfg)
	if err != nil && cfg.Path != "" {
		cfg.Path = ""
		whole, err = facts.Fork(cfg)
	}
	if err != nil {
		return nil, err
	}
	fits := func(f *fork.Fork) bool { return len(f.Query("")) <= longestFork }
	short, long := whole, ""
	if !fits(&whole) {
		if short, err = facts.Fitting(cfg, fits); err != nil {
			return nil, err
		}
		long = whole.Query("")
	}
	return &protocol.Fork{Use: short.Kind(), Said: short.Said, Seen: short.Seen.String(), Query: short.Query(""),
		Whole: long}, nil
}
