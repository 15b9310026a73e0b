package oracle

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/testing/programs"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// timing is the timing of the rounds.
var timing = Timing{Asks: 8 * time.Second, Stays: 1500 * time.Millisecond, Session: 5 * time.Second}

// The rounds that run by default. A round that has begun is played to its end.
const (
	minute       = time.Minute
	seedOfMinute = 4711
)

// round is a plan in progress.
type round struct {
	*looks
	rounds   testing.TB // the test of all rounds
	plan     Plan
	book     *programs.Book
	programs map[string]*programs.Program
	root     string
	began    time.Time
	late     chan struct{} // closed when the round stops waiting for anyone

	mu    sync.Mutex
	stops []Stop
	moved time.Duration   // by how much the wall clock has moved beyond the time passed
	stuck map[string]bool // programs with clients that never answered
}

// playRounds plays random rounds until the time is over. A seed fixes what programs are told to do, and when; the
// outcome is up to them and the servers.
func playRounds(rounds *testing.T, l *looks) {
	span, seed := asked.span, asked.seed
	switch {
	case span == 0:
		span, seed = minute, seedOfMinute
	case seed == 0:
		seed = uint64(time.Now().UnixNano())
	}
	running, stays := map[string]*programs.Program{}, 0
	begin := time.Now()
	for n := asked.round; time.Since(begin) < span; n++ {
		p := NewPlan(seed, n, timing)
		ok := rounds.Run(fmt.Sprintf("seed=%d,round=%d", seed, n), func(t *testing.T) {
			l.tb = t
			r := &round{looks: l, rounds: rounds, plan: p, book: programs.NewBook(t), programs: running,
				root: fmt.Sprintf("%s/round-%d", top, n), late: make(chan struct{}), stuck: map[string]bool{}}
			defer r.tell()
			r.play(t)
			stays += r.judge()
		})
		if !ok {
			rounds.Errorf("play it again: make oracle ORACLE='-for 1s -seed %d -round %d'", seed, n)
		}
		fmt.Fprintf(os.Stderr, "oracle: seed %d, round %d, %v of %v, %d stays, failed %v\n", seed, n,
			time.Since(begin).Round(time.Second), span, stays, rounds.Failed())
	}
	l.tb = rounds
	for _, p := range running {
		p.End()
	}
}

// play plays the whole plan, and returns once nobody is inside or waits any more.
func (r *round) play(t *testing.T) {
	t.Helper()
	r.make(r.root)
	r.at(t, r.root)
	r.begin(t)
	var all, struck sync.WaitGroup
	r.began = time.Now()
	late := time.AfterFunc(timing.Asks+2*timing.Session+mostVisits*timing.Stays*mostAtOne, func() { close(r.late) })
	defer late.Stop()
	for _, s := range r.plan.Strikes {
		struck.Go(func() { r.strike(s) })
	}
	for _, a := range r.plan.Actors {
		all.Go(func() { r.act(a) })
	}
	struck.Wait()
	all.Wait()
	r.clear()
	r.moved = time.Now().Round(0).Sub(r.began.Round(0)) - time.Since(r.began)
}

// clear waits until nobody is left. A library may keep a session although it was told to close it, or never get one.
// So clear kills programs that never answered, and after a while all of them if clients are still there. It counts
// that as a strike.
func (r *round) clear() {
	r.tb.Helper()
	for name := range r.stuck {
		r.kill(name)
	}
	patient := time.Now().Add(3 * timing.Session)
	r.until("nobody is there", func() bool {
		left := slices.ContainsFunc(slices.Collect(maps.Values(r.tree(r.root))), func(owner int64) bool { return owner != 0 })
		if left && time.Now().After(patient) {
			patient = patient.Add(time.Hour)
			for name := range r.programs {
				r.kill(name)
			}
		}
		return !left
	})
}

func (r *round) kill(name string) {
	if p := r.programs[name]; !p.Ended() {
		r.stop(Stop{Program: name, FromMS: time.Now().UnixMilli(), ToMS: Never})
		p.Kill()
	}
}

func (r *round) stop(s Stop) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stops = append(r.stops, s)
}

// begin starts those of the plan's programs that don't run.
func (r *round) begin(t *testing.T) {
	t.Helper()
	for _, a := range r.plan.Actors {
		p := r.programs[a.Program]
		if p == nil || p.Ended() {
			p = programs.Start(r.rounds, programs.NewBook(r.rounds), a.Program[:1], r.tap.Addr().String(), timing.Session)
			r.programs[a.Program] = p
		}
		p.WriteTo(r.book)
	}
}

// strike pauses a program or kills it.
func (r *round) strike(s Strike) {
	p := r.programs[s.Program]
	time.Sleep(time.Until(r.began.Add(s.At)))
	if p == nil || p.Ended() {
		return
	}
	stop := Stop{Program: s.Program, FromMS: time.Now().UnixMilli(), ToMS: Never}
	if s.For == 0 {
		p.Kill()
	} else if err := p.Signal(syscall.SIGSTOP); err == nil {
		time.Sleep(s.For)
		_ = p.Signal(syscall.SIGCONT) // it was only paused
		stop.ToMS = time.Now().UnixMilli()
	}
	r.stop(stop)
}

// act carries out a client's visits.
func (r *round) act(a Actor) {
	p, path := r.programs[a.Program], r.path(a.Thing)
	defer p.Tell("close", a.Client)
	for _, v := range a.Visits {
		time.Sleep(time.Until(r.began.Add(v.At)))
		n, words := r.book.Len(), []string{"acquire", a.Client, a.Recipe, path}
		if v.Patience > 0 {
			words = append([]string{"try"}, append(words[1:], fmt.Sprint(v.Patience.Milliseconds()))...)
		}
		p.Tell(words...)
		var most <-chan time.Time // for a client that may never be told that it's inside
		if slices.Contains(r.plan.Things[a.Thing].Unwoken, a.Recipe) {
			most = time.After(timing.Session + v.Stays)
		}
		switch r.hear(a, p, n, most, programs.Got, programs.GaveUp, programs.Failed) {
		case programs.GaveUp:
			continue
		case programs.Got:
		default:
			return
		}
		time.Sleep(v.Stays)
		n = r.book.Len()
		p.Tell("release", a.Client, a.Recipe, path)
		if r.hear(a, p, n, nil, programs.Left, programs.Failed) != programs.Left {
			return
		}
	}
}

// hear waits for one of some events of a client, from the nth line on. It returns an empty Event if none comes.
func (r *round) hear(a Actor, p *programs.Program, n int, most <-chan time.Time, any ...programs.Event) programs.Event {
	for over := false; ; {
		lines, news := r.book.From(n)
		n += len(lines)
		for _, l := range lines {
			if l.Client == a.Client && l.Path == r.path(a.Thing) && slices.Contains(any, l.Event) {
				return l.Event
			}
		}
		if over {
			return ""
		}
		select {
		case <-news:
		case <-p.Over():
			over = true
		case <-most:
			over = true
		case <-r.late:
			over = true
			r.mu.Lock()
			r.stuck[a.Program] = true
			r.mu.Unlock()
		}
	}
}

func (r *round) path(thing int) string { return r.root + "/" + r.plan.Things[thing].Name }

// judge compares what each way says with what the programs have said, and returns the number of stays.
func (r *round) judge() (n int) {
	r.tb.Helper()
	zxid, tree := r.make(r.root+"-marked"), r.tree(r.root)
	r.stages[joined].has(r.tb, r.root, tree)
	r.stages[read].has(r.tb, r.root, tree)
	c := Case{Said: nil, Sessions: map[int64]string{}, Programs: map[string]string{}, Stops: r.stops}
	for _, a := range r.plan.Actors {
		c.Programs[a.Client] = a.Program
	}
	lines := r.book.All()
	for _, l := range lines {
		if l.Session != 0 {
			c.Sessions[l.Session] = l.Client
		}
	}
	of := r.history(zxid)
	c.Ends = of.ends
	for i, t := range r.plan.Things {
		c.Said = slices.DeleteFunc(slices.Clone(lines), func(l programs.Line) bool { return l.Path != r.path(i) })
		c.Room, c.Alone, c.Doubtful, c.Unwoken = t.Room, set(t.Alone), set(t.Doubtful), set(t.Unwoken)
		c.Hasty, c.Fickle = set(t.Hasty), set(t.Fickle)
		for _, at := range t.asked() {
			n += r.judgeAt(c, r.path(i)+at, of)
		}
	}
	return n
}

// tell logs the plan of a failed round, and the programs' other output.
func (r *round) tell() {
	if !r.tb.Failed() {
		return
	}
	r.tb.Logf("the wall clock has moved by %v; the plan:\n%v", r.moved, r.plan)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.stops {
		r.tb.Logf("%s stood still from %d to %d", s.Program, s.FromMS, s.ToMS)
	}
	r.tb.Logf("programs also said\n%s", r.book.Other())
}

// judgeAt judges what each way says about the thing at a path.
func (r *round) judgeAt(c Case, path string, of *history) int {
	r.tb.Helper()
	exact := stays(of.changes[path])
	r.stages[tapped].empty(r.tb, path)
	for _, w := range []way{files, joined, tapped, read} {
		c.Stays, c.Crossing, c.Untimed = exact, w == tapped, w == joined || r.moved.Abs() > time.Millisecond
		if w != files {
			// Such a log counts from the wall clock's ms in which it began.
			_, changes := r.stages[w].log(path)
			c.Stays, c.EarlyMS = stays(changes), 1
		}
		var all []string
		switch {
		case w == files:
			all = c.Judge()
		case w == joined && len(c.Doubtful) == 0:
			all = c.Same(exact)
		default:
			all = c.Late(exact)
			if w != read || r.stages[w].missed == 0 {
				all = append(all, c.Lacking()...)
			}
		}
		if len(all) > 0 {
			r.tb.Errorf("%s, %s:\n%s\nit says\n%s\nprograms said\n%s", path, w, strings.Join(all, "\n"), lines(c.Stays),
				lines(c.Said))
			if w != files {
				r.tb.Logf("its log has\n%s", lines(r.stages[w].about(path)))
			}
		}
	}
	return len(exact)
}

func lines[T any](all []T) string {
	var s strings.Builder
	for _, one := range all {
		fmt.Fprintln(&s, one)
	}
	return s.String()
}

func set(all []string) map[string]bool {
	s := map[string]bool{}
	for _, one := range all {
		s[one] = true
	}
	return s
}

// stays builds stays from changes. A stay that is taken back never happened.
func stays(changes []handover.Change) (all []Stay) {
	open, never := map[string]int{}, map[int]bool{}
	for i, c := range changes {
		if c.Got {
			open[c.Hand.Path] = len(all)
			all = append(all, Stay{Znode: c.Hand.Path, Session: c.Hand.Session, FromMS: c.TimeMS, ToMS: Never, From: i,
				To: math.MaxInt})
			continue
		}
		s := &all[open[c.Hand.Path]]
		if c.Never {
			never[open[c.Hand.Path]] = true
		}
		s.ToMS, s.To, s.Expired = c.TimeMS, i, c.Reason == event.BySessionExpired
	}
	real := all[:0]
	for i, s := range all {
		if !never[i] {
			real = append(real, s)
		}
	}
	return real
}

// history is the content of a server's files.
type history struct {
	changes map[string][]handover.Change // of each thing, by its path
	ends    map[int64]End                // of sessions
	last    int64                        // the last transaction
}

// history reads the files up to a transaction.
func (r *round) history(upTo int64) *history {
	r.tb.Helper()
	var of *history
	r.until("a server has written it all", func() bool {
		of = r.files(upTo)
		return of.last >= upTo
	})
	return of
}

// files reads a server's files as far as they go, up to a transaction.
func (r *round) files(upTo int64) *history {
	r.tb.Helper()
	found, err := past.Find(r.servers.Servers[0].Files())
	if err != nil {
		r.tb.Fatal(err)
	}
	of := &history{changes: map[string][]handover.Change{}, ends: map[int64]End{}}
	turns := map[string]*past.Handovers{}
	for i, t := range r.plan.Things {
		for _, at := range t.asked() {
			turns[r.path(i)+at] = past.NewHandovers(r.path(i) + at)
		}
	}
	err = found.ReadWith(r.tb.Context(), "/", func(t past.Trouble) { r.tb.Error(t) },
		func(s *replay.State, t *wire.Txn) {
			for _, of := range turns {
				of.Before(s, t)
			}
		}, func(_ *replay.State, t *wire.Txn, facts []replay.Fact) error {
			if of.last = t.Zxid; t.Zxid > upTo {
				return nil
			}
			for _, path := range slices.Sorted(maps.Keys(turns)) {
				of.changes[path] = append(of.changes[path], turns[path].Take(t, facts)...)
			}
			for _, f := range facts {
				if f.Kind == event.SessionExpired || f.Kind == event.SessionClosed {
					of.ends[f.Session] = End{t.TimeMS, f.Kind == event.SessionExpired}
				}
			}
			return nil
		})
	if err != nil {
		r.tb.Fatal(err)
	}
	return of
}
