package ensemble

import (
	"context"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/sessions"
)

// Merged returns source with the changes among the servers merged into its log, as notes. The poller may be nil: then
// nothing is merged.
func (p *Poller) Merged(source sessions.Source) sessions.Source {
	if p == nil {
		return source
	}
	return func(ctx context.Context, sink event.Sink, begun func(sessions.Say)) error {
		var rep reporter
		asking, stop := context.WithCancel(ctx)
		var tells sync.WaitGroup
		defer tells.Wait()
		defer stop()
		return source(ctx, event.Tee{sink, &rep}, func(say sessions.Say) {
			if begun != nil {
				begun(say)
			}
			tells.Go(func() { p.report(asking, &rep, say) })
		})
	}
}

// report asks the servers until ctx ends, and tells each change since the log began.
func (p *Poller) report(ctx context.Context, rep *reporter, say sessions.Say) {
	s, err := p.Next(ctx, 0)
	for last := s.Last(); err == nil; {
		for _, e := range rep.news(s.After(last), s.Name) {
			say(0, e)
		}
		last = s.Last()
		s, err = p.Next(ctx, s.Number)
	}
}

// reporter makes notes of changes. As a Sink it reads the log to know when nothing can be added to it.
type reporter struct {
	mu           sync.Mutex
	disconnected bool
	held         []event.Event // noticed meanwhile
}

// Append implements event.Sink.
func (r *reporter) Append(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Kind == event.Disconnected || e.Kind == event.Reconnected {
		r.disconnected = e.Kind == event.Disconnected
	}
}

// news returns the notes that can be added now. While the observer is disconnected, it holds them: the log already says
// so, and what comes later happened before.
func (r *reporter) news(changes []Change, name func(string) string) []event.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range changes {
		switch c := &changes[i]; {
		case c.Kind == AllAway, c.Kind == Reached: // the log itself says what it doesn't see
		case c.Kind == QuorumLost && r.disconnected: // by the time it could be added, there may be a quorum again
		default:
			r.held = append(r.held, c.note(name))
		}
	}
	r.held = r.held[max(len(r.held)-maxChanges, 0):]
	if r.disconnected {
		return nil
	}
	now := r.held
	r.held = nil
	return now
}

// note returns the change as an event.
func (c *Change) note(name func(string) string) event.Event {
	e := event.Event{Kind: event.RecipeNote}
	switch c.Kind {
	case QuorumLost:
		e.Reason = event.QuorumLost
	case QuorumBack:
		if e.Reason = event.QuorumBack; !c.Longer {
			e.N = c.ForMS * 1e6
		}
	case NewLeader:
		e.Reason, e.N, e.Text = event.LeaderNow, c.Epoch, event.PlaceText(name(c.Leader), name(c.Was))
	}
	return e
}
