package room

import (
	"context"
	"fmt"
	"log/slog"
	gostrings "strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// untimed are rooms in which computations may take as long as they like.
func untimed(t *testing.T) *Runs {
	s := New(Config{})
	t.Cleanup(s.Close)
	s.sims.timeout, s.within = 24*time.Hour, 24*time.Hour
	return s
}

// TestGoldenExplored asks for explorations, and compares the answers, as they are sent and in words.
func TestGoldenExplored(t *testing.T) {
	s := untimed(t)
	conn, err := s.Connect("a", func() {})
	if err != nil {
		t.Fatal(err)
	}
	p := newTalk()
	go func() {
		defer close(p.served)
		s.Serve(context.Background(), context.Background(), conn, p)
	}()
	defer p.over()
	var got gostrings.Builder
	for _, r := range []protocol.Request{
		{Query: "recipe=no-second-look&clients=3"},
		{Query: "recipe=no-second-look&clients=3", OwnFaults: true},
		{Query: "recipe=answer-not-read&clients=40&seed=7"},
		{Query: "recipe=unique-lock&clients=2&fault=crash+client-1+at+2s", OwnFaults: true},
		{Query: "recipe=redis-setnx&clients=2"},
		{Query: "recipe=unique-lock&clients=2&servers=3&flaw=acks-before-sync"},
		{Query: "recipe=publish-subscribe"},
		{Query: "recipe=unique-lock&clients=0"},
		{Query: "recipe=xyzzy"},
	} {
		r.Do = protocol.Explore
		request := protocol.AppendRequest(nil, r)
		p.send(string(request))
		m := p.next()
		for _, is := m.(*protocol.Progress); is; _, is = m.(*protocol.Progress) { // it depends on the pace
			m = p.next()
		}
		fmt.Fprintf(&got, "%s\n%s\n", request, protocol.AppendMessage(nil, m))
		switch m := m.(type) {
		case *protocol.Explored:
			for _, said := range m.Said {
				fmt.Fprintf(&got, "    %s\n", words(said))
			}
		case *protocol.Refusal:
			fmt.Fprintf(&got, "    %s\n", words(m.Why))
		}
	}
	golden.Compare(t, "testdata/explored.txt", got.String())
}

// counted returns a recipe without promises that calls do in each of its clients.
func counted(do func()) explore.Config {
	return explore.Config{Seeds: 1000, Recipe: recipe.Recipe{Name: "counted", Kind: recipe.Right, MinClients: 1,
		Parents: recipe.JustRoot,
		Main:    recipe.OnZooKeeper(func(zoo.Client, recipe.Params) error { do(); return nil })}}
}

// TestExploredOnce checks that simultaneous requests share one exploration, and that one that was interrupted leaves no
// result and frees its turn.
func TestExploredOnce(t *testing.T) {
	count := func(askers int) int64 {
		x := untimed(t).explorations
		ctx, leave := context.WithCancel(t.Context())
		if found, _ := x.explore(ctx, "a", counted(leave)); !found.Cut() || len(x.kept) > 0 {
			t.Errorf("the asker leaves, and gets %+v", found)
		}
		var n atomic.Int64
		var all sync.WaitGroup
		for range askers {
			all.Go(func() {
				found, err := x.explore(t.Context(), "a", counted(func() { n.Add(1) }))
				if err != nil || found.Seeds != 1000 || found.Cut() {
					t.Errorf("the next gets %+v, %v", found, err)
				}
			})
		}
		all.Wait()
		return n.Load()
	}
	if one, many := count(1), count(4); one == 0 || many != one {
		t.Errorf("%d clients run for four askers, and %d for one", many, one)
	}
}

// TestExploredPanics checks that a panic in one of the goroutines that explore is an error for the client.
func TestExploredPanics(t *testing.T) {
	x := untimed(t).explorations
	_, err := x.explore(t.Context(), "a", counted(func() { panic("a bug") }))
	if said := sentence.From(err); said.Key != "failed.simulation" {
		t.Errorf("it says %q", words(said))
	}
	if _, err := x.explore(t.Context(), "b", counted(func() {})); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

// slowly is a finder that explores, a second for each client.
type slowly struct {
	*oneRoom
	x *explorations
}

func (l *slowly) explore(ctx context.Context, who ClientKey, _ protocol.Request) (*protocol.Explored, error) {
	found, err := l.x.explore(ctx, who, counted(func() { time.Sleep(time.Second) }))
	return &protocol.Explored{Held: found.Found == nil, Tried: found.Seeds, Of: found.Of}, err
}

// TestExploring checks that a viewer learns twice a second how far an exploration is, and what was found when it's
// stopped, when its time is over, or when another client has waited for long.
func TestExploring(t *testing.T) {
	const it = `{"do":"explore","query":"recipe=unique-lock"}`
	const stopped = 7 * time.Second
	for name, c := range map[string]struct {
		after time.Duration
		by    func(ctx context.Context, p *talk, x *explorations)
	}{
		"its time": {computeTimeout, func(context.Context, *talk, *explorations) {}},
		"a stop": {stopped, func(_ context.Context, p *talk, _ *explorations) {
			time.Sleep(stopped)
			p.send(`{"do":"stop"}`)
		}},
		"a visitor": {longTurn, func(ctx context.Context, _ *talk, x *explorations) {
			go func() {
				if leave, err := x.turns.Enter(ctx, "b"); err == nil {
					leave()
				}
			}()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				one := newOneRoom(t, 1)
				sims := newSimulations(one.rs, slog.New(slog.DiscardHandler), 1)
				l := &slowly{one, newExplorations(sims, nil)}
				p := talkIn(l, l.rs)
				defer p.over()
				p.send(it)
				synctest.Wait()
				begin := time.Now()
				c.by(t.Context(), p, l.x)
				m, last := p.next(), 0
				for far, ok := m.(*protocol.Progress); ok; far, ok = m.(*protocol.Progress) {
					if far.Do != "explore" || far.Tried < last || far.Of != 1000 || far.Broke {
						t.Errorf("it is told %+v after %d", far, last)
					}
					last, m = far.Tried, p.next()
				}
				// A schedule's five clients take up to five seconds, and who waits is looked for now and then.
				late := time.Since(begin) - c.after
				got, ok := m.(*protocol.Explored)
				if !ok || !got.Held || got.Tried < last || got.Tried == 0 || got.Tried >= got.Of || late < 0 ||
					late > 5*time.Second+2*lookEvery {
					t.Errorf("%s late, after %d schedules, it is told %+v", late, last, m)
				}
			})
		})
	}
}
