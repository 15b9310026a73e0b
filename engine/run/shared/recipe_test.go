package shared_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// What a server can be told to do about the name, in TestRecipeIsTheSame.
const (
	take    = "take"    // try once to own it
	own     = "own"     // wait until it owns it
	renew   = "renew"   // the lease
	expire  = "expire"  // the server's lease ends, and nobody tells it
	release = "release" // the lease, if it still stands
	write   = "write"   // an entry of the log, with the server's last epoch
)

// What comes of that.
const (
	owns    = "it owns the name, with a higher epoch"
	taken   = "another owns it"
	stands  = "the lease stands"
	over    = "the lease is over"
	done    = "done"
	stored  = "the log has it"
	refused = "the log refuses it"
)

// TestRecipeIsTheSame asks the same of two servers that own a name with NATS and of two that do so by the recipe
// server-lease, in the simulator: what each answers must be the same.
func TestRecipeIsTheSame(t *testing.T) {
	t.Parallel()
	script := []question{
		{"a", take, owns}, {"a", write, stored}, {"b", take, taken}, {"a", renew, stands}, {"a", write, stored},
		// One that gives it up is followed at once.
		{"a", release, done}, {"b", own, owns}, {"b", write, stored}, {"a", write, refused},
		{"a", take, taken}, {"b", renew, stands},
		// One whose lease ended doesn't know it. Until the next has written, the log can't know it either.
		{"b", expire, done}, {"a", own, owns}, {"b", write, stored}, {"a", write, stored},
		{"b", write, refused}, {"b", renew, over}, {"b", release, done}, {"b", take, taken}, {"a", renew, stands},
		{"a", write, stored}, {"b", write, refused},
		// One that takes it again is another owner.
		{"a", expire, done}, {"a", take, owns}, {"a", renew, stands}, {"a", write, stored}, {"a", release, done},
	}
	for name, answers := range map[string][]string{"NATS": onNATS(t, script), "the recipe": byRecipe(t, script)} {
		for i, q := range script {
			if answers[i] != q.want {
				t.Errorf("%s, step %d: %s on %s: %s, want: %s", name, i+1, q.do, q.on, answers[i], q.want)
			}
		}
	}
}

type question struct{ on, do, want string }

// onNATS asks the code that the servers run.
func onNATS(t *testing.T, script []question) (answers []string) {
	t.Helper()
	n := natstest.Start(t)
	ctx := patient(t)
	all := map[string]*natsServer{}
	var epoch uint64
	for _, name := range []string{"a", "b"} {
		s := &natsServer{bus: open(t, shared.Config{URL: n.URL(), Lease: unhurried}), epoch: &epoch}
		var err error
		if s.log, err = s.bus.Log("class"); err != nil {
			t.Fatal(err)
		}
		all[name] = s
	}
	for _, q := range script {
		answer, err := all[q.on].do(ctx, q.do)
		if err != nil {
			t.Fatalf("%s on %s: %v", q.do, q.on, err)
		}
		answers = append(answers, answer)
	}
	return answers
}

// natsServer is a server with its last lease.
type natsServer struct {
	bus   *shared.Bus
	log   *shared.Log
	lease *shared.Lease
	epoch *uint64 // the last one of all servers
}

func (s *natsServer) do(ctx context.Context, what string) (string, error) {
	switch what {
	case take, own:
		try := shared.TryOwn
		if what == own {
			try = func(ctx context.Context, b *shared.Bus, name string) (*shared.Lease, error) { return b.Own(ctx, name) }
		}
		l, err := try(ctx, s.bus, "class")
		if l == nil || err != nil {
			return taken, err
		}
		s.lease = l
		higher := l.Epoch() > *s.epoch
		*s.epoch = l.Epoch()
		return either(higher, owns, "it owns the name, with an old epoch"), nil
	case renew:
		return either(shared.RenewNow(s.lease), stands, over), nil
	case expire:
		return done, shared.Expire(ctx, s.bus, "class")
	case release:
		s.lease.Release(ctx)
		return done, nil
	case write:
		last, err := s.log.Last(ctx)
		if err == nil {
			_, err = s.log.Append(ctx, s.lease.Epoch(), last, []byte("entry"))
		}
		if errors.Is(err, shared.ErrNotOwner) {
			return refused, nil
		}
		return stored, err
	}
	return "", fmt.Errorf("no server can %s", what)
}

// byRecipe asks what the recipe is made of. One step begins when those before have ended.
func byRecipe(t *testing.T, script []question) (answers []string) {
	t.Helper()
	const lease = 10 * time.Minute
	models, err := run.Simulated([]event.System{{Kind: event.EtcdSystem, Servers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	answers = make([]string, len(script))
	var epoch int64
	var processes []systems.Program
	for _, name := range []string{"a", "b"} {
		processes = append(processes, systems.Program{Main: func(w systems.World) error {
			s := &recipeServer{EtcdName: kit.NewEtcdName(w, recipe.Params{Root: "/r", Lease: lease}), epoch: &epoch}
			begins := time.Duration(0)
			for i, q := range script {
				begins += time.Second
				if q.on == name {
					if err := w.Sleep(begins - w.Now()); err != nil {
						return err
					}
					var err error
					if answers[i], err = s.do(w, q.do, lease); err != nil {
						t.Errorf("%s on %s: %v", q.do, q.on, err)
						return err
					}
				}
				if q.do == renew {
					begins += lease / 3
				}
			}
			return nil
		}})
	}
	var log event.Log
	cfg := sim.Config{NoZooKeeper: true, Systems: models}
	if err := sim.Run(t.Context(), cfg, processes, &log); err != nil {
		t.Fatal(err)
	}
	return answers
}

// recipeServer is a client of the simulated etcd with its last lease.
type recipeServer struct {
	*kit.EtcdName
	held  *kit.Lease
	epoch *int64 // the last one of all
}

func (s *recipeServer) do(w systems.World, what string, lease time.Duration) (string, error) {
	switch what {
	case take, own:
		held, seen, err := s.Try(w)
		for what == own && held == nil && err == nil {
			if err = s.AwaitEnd(seen); err == nil {
				held, seen, err = s.Try(w)
			}
		}
		if held == nil || err != nil {
			return taken, err
		}
		s.held = held
		higher := held.Fence > *s.epoch
		*s.epoch = held.Fence
		return either(higher, owns, "it owns the name, with an old epoch"), nil
	case renew:
		stop := w.Beside(func(w systems.World) error { return s.Renew(w, s.held) })
		defer stop()
		err := w.Sleep(lease/3 - time.Second) // it renews after a third of what it believes in
		if errors.Is(err, kit.ErrOver) {
			return over, nil
		}
		return stands, err
	case write:
		err := w.Write("log", "entry", s.held.Fence)
		if errors.Is(err, program.ErrFenced) {
			return refused, nil
		}
		return stored, err
	}
	_, err := s.Release() // also for expire: what the server believes is in held
	return done, err
}

func either(so bool, this, that string) string {
	if so {
		return this
	}
	return that
}
