package room

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// slowRoom is a finder whose runs compute a block of events each second, for ever.
type slowRoom struct {
	*oneRoom
	sims *simulations
}

func (l *slowRoom) openRoom(ctx context.Context, who ClientKey, _ protocol.Request) (*room, error) {
	count := new(progress)
	w := work{progress: count, quick: func(ctx context.Context, _ int) (judged, error) {
		for seq := event.Seq(1); ctx.Err() == nil; seq++ {
			if count.Append(event.Event{Seq: seq}); seq%eventsPerCount == 0 {
				time.Sleep(time.Second)
			}
		}
		return judged{}, ctx.Err()
	}}
	_, err := l.sims.do(ctx, who, logKey{1}, w)
	return nil, err
}

// newSlowRoom returns a viewer of a slowRoom. Its end waits for the computations.
func newSlowRoom(t *testing.T) (*talk, *simulations) {
	one := newOneRoom(t, 1)
	l := &slowRoom{one, newSimulations(one.rs, slog.New(slog.DiscardHandler), 1)}
	return talkIn(l, l.rs), l.sims
}

// TestProgress checks that a viewer learns twice a second how far its computation is, until that is refused.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, s := newSlowRoom(t)
		defer s.close()
		defer p.over()
		p.send(openAny)
		begin, m, n := time.Now(), p.next(), 1
		for ; ; m, n = p.next(), n+1 {
			got, ok := m.(*protocol.Progress)
			if !ok {
				break
			}
			computed, after := got.Events/eventsPerCount, time.Since(begin)
			if got.Do != protocol.Open || computed < n/2 || computed > n/2+1 || after != time.Duration(n)*progressEvery {
				t.Fatalf("after %s it is told %+v", after, got)
			}
		}
		if r, ok := m.(*protocol.Refusal); !ok || r.Why.Key != "refused.slow" || n < int(computeTimeout/progressEvery) {
			t.Errorf("after %d messages it is told %+v", n, m)
		}
		time.Sleep(time.Minute)
		if synctest.Wait(); len(p.said) > 0 {
			t.Errorf("later it is told %+v", p.next())
		}
	})
}

// endingRoom is a finder whose runs are computed in a little more than a second, with or without a count of their
// events. What comes then takes another second.
type endingRoom struct {
	*oneRoom
	sims  *simulations
	count *progress
}

func (l *endingRoom) openRoom(ctx context.Context, who ClientKey, _ protocol.Request) (*room, error) {
	w := work{progress: l.count, quick: func(context.Context, int) (judged, error) {
		time.Sleep(2*progressEvery + progressEvery/4)
		return ending(event.EndAllDone), nil
	}}
	_, err := l.sims.do(ctx, who, logKey{1}, w)
	time.Sleep(time.Second)
	return nil, errors.Join(err, errGone)
}

// TestProgressEnds checks that a viewer who takes messages slowly isn't told how far a computation is after its end,
// and that none hears of one whose events nobody counts.
func TestProgressEnds(t *testing.T) {
	for want, count := range map[int]*progress{0: nil, 1: new(progress)} {
		synctest.Test(t, func(t *testing.T) {
			one := newOneRoom(t, 1)
			sims := newSimulations(one.rs, slog.New(slog.DiscardHandler), 1)
			defer sims.close()
			p := newTalk()
			p.slow = time.Second
			talkAs(p, &endingRoom{one, sims, count}, one.rs)
			defer p.over()
			p.send(openAny)
			for n := 0; ; n++ {
				switch m := p.next().(type) {
				case *protocol.Progress:
					continue
				case *protocol.Refusal:
					if n != want {
						t.Errorf("it is told %d times how far the computation is, want %d", n, want)
					}
				default:
					t.Errorf("it is told %+v", m)
				}
				return
			}
		})
	}
}

// TestStop checks that stop ends at once what is computed and what waits behind it, and nothing else.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, s := newSlowRoom(t)
		defer s.close()
		defer p.over()
		p.send(`{"do":"stop"}`)
		p.send(openAny)
		p.send(openAny)
		synctest.Wait()
		begin := time.Now()
		p.send(`{"do":"stop"}`)
		p.send(resumeIt)
		for range 2 {
			if r := p.refused(t); r.Do != "open" || r.Why.Key != protocol.Stopped || r.AgainMS > 0 {
				t.Errorf("it is told %+v", r)
			}
		}
		// The viewer's messages come in one read or in several, with a rest after each.
		if _, ok := p.next().(*protocol.Run); !ok || time.Since(begin) > progressEvery {
			t.Errorf("the next request is answered after %s", time.Since(begin))
		}
		if s.running.Wait(); len(s.pending) > 0 {
			t.Error("it is still computed")
		}
	})
}

// TestPageLimits checks that a page may compute for longer than a server does, and what is said of too much: nothing
// that makes the page ask again.
func TestPageLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := New(Config{Page: true, Memory: 64 << 20})
		defer runs.Close()
		tooLarge := func(context.Context, int) (judged, error) { return judged{}, run.ErrTooLarge }
		for key, c := range []struct {
			f    compute
			key  string
			took time.Duration
		}{{endless, "refused.slow.page", pageTimeout}, {tooLarge, "refused.large.page", 0}} {
			begin := time.Now()
			_, err := runs.sims.get(t.Context(), "page", logKey{byte(key)}, c.f)
			var again Busy
			if said := sentence.From(err); said.Key != c.key || time.Since(begin) != c.took || errors.As(err, &again) {
				t.Errorf("after %s it is told %q, want %q", time.Since(begin), words(said), c.key)
			}
		}
		limited, cancel := context.WithTimeout(t.Context(), time.Second) // the request's own limit
		defer cancel()
		_, err := runs.sims.get(limited, "page", logKey{9}, endless)
		if said := sentence.From(err); said.Key != "refused.slow.page" {
			t.Errorf("after its own limit it is told %q", words(said))
		}
		if runs.within <= pageTimeout {
			t.Errorf("a request ends after %s, before its computation", runs.within)
		}
	})
}
