// Package attacks is what is played against a server: one file for each attack, and a table of them. An attack
// has a named size, ends by itself when its time is over, and connects to loopback addresses only. Most judge
// nothing: whether polite users were served meanwhile is seen by package meter, in another process. What only the
// attacker can see, such as data that has gone, it reports itself.
package attacks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// Attack is a row of the table.
type Attack struct {
	Name   string
	Shows  string        // in one sentence, what it shows if it is survived
	Weight int           // its share of the time, in seconds if all are played in ten minutes
	Rest   time.Duration // after which everything that it took is free again
	Live   bool          // newcomers look at the real ZooKeeper meanwhile
	// how many connections a second the server may open to the real ZooKeeper meanwhile; 0: any number
	Dials int
	Play  func(ctx context.Context, w *World) error
}

// rest is how long most attacks may be felt: sessions of attackers end after sessionTimeout and a tick of 2 s.
const rest = 20 * time.Second

// longRest is for what keeps a room open on a cluster for a minute.
const longRest = 100 * time.Second

// All is every attack, in the order in which they are played.
func All() []Attack {
	return slices.Concat([]Attack{{
		Name: "peace", Shows: "Polite users are served while nobody attacks: the figures to compare the others with.",
		Weight: 20, Rest: rest, Play: peace,
	}}, ofData(), ofMemory(), ofRooms(), ofStandstill(), ofTraces(), ofHTTP())
}

// Find looks attacks up by name. All of them are meant by no name.
func Find(names []string) ([]Attack, error) {
	all := All()
	if len(names) == 0 {
		return all, nil
	}
	var found []Attack
	for _, name := range names {
		i := slices.IndexFunc(all, func(a Attack) bool { return a.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no attack %q; -list names them", name)
		}
		found = append(found, all[i])
	}
	return found, nil
}

func peace(ctx context.Context, _ *World) error {
	<-ctx.Done()
	return nil
}

// World is what an attack is played in.
type World struct {
	Pages     string  // http://host:port
	ZooKeeper string  // host:port of the ZooKeeper inside the server
	PID       int     // of the server
	Program   string  // a built viz-server, for attacks on servers of their own and on the command line
	MemoryMB  int     // what each of these may have
	Dir       string  // a folder for files
	Scale     float64 // of the sizes: 1 is an attack, less a rehearsal

	Say func(Finding) `json:"-"` // called by one goroutine at a time

	mu    sync.Mutex
	hasty bool // there was no time for others to clean up
}

// hurry remembers that there was no time for others to clean up.
func (w *World) hurry() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hasty = true
}

// Finding is something that an attack saw.
type Finding struct {
	Text   string
	Broken bool // it is something that must not be
}

// note reports what somebody who reads the figures wants to know.
func (w *World) note(format string, args ...any) { w.say(false, format, args...) }

// broken reports what must not be.
func (w *World) broken(format string, args ...any) { w.say(true, format, args...) }

func (w *World) say(broken bool, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Say(Finding{fmt.Sprintf(format, args...), broken})
}

// n is a size to play with, at least 1.
func (w *World) n(full int) int { return max(1, int(float64(full)*w.Scale)) }

// sleep waits for d, and reports whether there is time left.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// held waits until the attack's time is over, or, in a rehearsal, only as long as its scale says.
func (w *World) held(ctx context.Context) {
	if w.Scale < 1 {
		sleep(ctx, time.Duration(w.Scale*float64(time.Second)))
		return
	}
	<-ctx.Done()
}

// part is a context that ends when the share of the time that is left is over.
func part(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(share*float64(time.Until(end))))
}

// twice plays from one address and then from a handful, each for half of a share of the time.
func twice(ctx context.Context, share float64, play func(ctx context.Context, n int, from []client.From)) {
	for n, from := range [][]client.From{{loner()}, sources()} {
		half, cancel := part(ctx, share/2*float64(n+1)) // of what is left
		play(half, n, from)
		cancel()
	}
}

// each calls do n times at once, and waits.
func each(ctx context.Context, n int, do func(ctx context.Context, i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(ctx, i) })
	}
	all.Wait()
}

// paced calls do up to n times, perSecond times a second, by at most workers at once: when all are busy, the next
// waits. It ends early with ctx.
func paced(ctx context.Context, n, perSecond, workers int, do func(ctx context.Context, i int)) {
	var all sync.WaitGroup
	places := make(chan struct{}, workers)
	beat := time.NewTicker(time.Second / time.Duration(perSecond))
	defer beat.Stop()
	defer all.Wait()
	for i := range n {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		all.Go(func() {
			defer func() { <-places }()
			do(ctx, i)
		})
		select {
		case <-beat.C:
		case <-ctx.Done():
			return
		}
	}
}

// tally counts how requests came out, for a note. All methods may be called at the same time.
type tally struct {
	mu    sync.Mutex
	count map[string]int
	order []string
}

// maxOutcomes bounds how many different outcomes are told apart.
const maxOutcomes = 12

func (t *tally) add(outcome string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == nil {
		t.count = map[string]int{}
	}
	if t.count[outcome] == 0 {
		if len(t.order) >= maxOutcomes {
			outcome = "otherwise"
		}
		if t.count[outcome] == 0 {
			t.order = append(t.order, outcome)
		}
	}
	t.count[outcome]++
}

func (t *tally) get(outcome string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count[outcome]
}

// String names the outcomes in the order in which they first came.
func (t *tally) String() (s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, outcome := range t.order {
		if s != "" {
			s += ", "
		}
		s += fmt.Sprintf("%d %s", t.count[outcome], outcome)
	}
	if s == "" {
		return "nothing"
	}
	return s
}

// over reports whether an error only says that the attack's time is over.
func over(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
