package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/attacks"
	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/cmd/attack/internal/meter"
	"github.com/zkviz/zkviz/cmd/attack/internal/target"
)

// shortest is what every attack is given, even if those before it have used up the time.
const shortest = 5 * time.Second

// campaign plays the attacks one after the other and prints what came of each. It reports whether all held.
func campaign(ctx context.Context, o options, c crowd, chosen []attacks.Attack, out io.Writer) (held bool, err error) {
	f, err := newField(ctx, o, c)
	if err != nil {
		return false, err
	}
	defer f.close()
	if err := f.ready(ctx); err != nil {
		return false, err
	}
	var done []result
	end := time.Now().Add(o.span)
	for i, a := range chosen {
		if ctx.Err() != nil {
			break
		}
		if err := f.ready(ctx); err != nil {
			if ctx.Err() != nil {
				break
			}
			return false, err
		}
		fmt.Fprintf(out, "%-18s %s\n", a.Name, a.Shows)
		r, err := f.withstand(ctx, a, share(chosen[i:], time.Until(end)))
		if ctx.Err() != nil {
			break // it was cut off, so it says nothing
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", a.Name, err)
		}
		r.print(out)
		done = append(done, r)
	}
	last := f.end(ctx)
	last.print(out)
	if len(done) > 0 {
		table(out, done)
	}
	if ctx.Err() != nil {
		return false, errors.New("it was interrupted; all that it made is removed")
	}
	return summary(out, append(done, last)), nil
}

// share is the first attack's part of the time that is left. A fifth of all is for coming to rest.
func share(chosen []attacks.Attack, left time.Duration) time.Duration {
	sum := 0
	for _, a := range chosen {
		sum += a.Weight
	}
	return max(shortest, left*4/5*time.Duration(chosen[0].Weight)/time.Duration(sum))
}

// withstand has one attack played, and looks at what it did.
func (f *field) withstand(ctx context.Context, a attacks.Attack, span time.Duration) (r result, err error) {
	r = result{name: a.Name, memoryMB: f.memoryMB, crowd: f.crowd}
	target.ResetPeak(f.server.PID)
	if r.before, err = target.UsageOf(f.server.PID); err != nil {
		return r, nil // it died before anything was done to it; the next takes a new one
	}
	f.take()
	ticks, dialed, start := target.TicksOf(f.pids()...), f.gate.Dialed(), time.Now()
	stopNewcomers := f.newcome(ctx, a.Live)
	o := orders{For: span, Least: min(span, shortest), World: attacks.World{
		Pages: f.server.Pages, ZooKeeper: f.server.ZooKeeper, PID: f.server.PID,
		Program: f.program, MemoryMB: f.memoryMB, Dir: f.attackerDir(), Scale: 1,
	}}
	watch := f.follow(&r)
	found, err := attack(ctx, a, &o, aGrace, f.server.Ended())
	watch()
	stopNewcomers()
	r.took = time.Since(start)
	r.pages, r.answers, r.arrivals, r.class = f.take()
	r.others = others(ticks, target.TicksOf(f.pids()...))
	r.death = f.server.Death()
	if err != nil && r.death == "" {
		return r, err
	}
	for _, finding := range found {
		if finding.Broken {
			r.broken = append(r.broken, finding.Text)
		} else {
			r.notes = append(r.notes, finding.Text)
		}
	}
	if n := r.class.Again; n > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%d runs of learners had to give way and were opened anew", n))
	}
	r.judge()
	if dials := int(f.gate.Dialed() - dialed); a.Dials > 0 && dials > int(float64(a.Dials)*r.took.Seconds()) {
		r.fail("the server opened %d connections to the real ZooKeeper in %.0f s, more than %d a second", dials,
			r.took.Seconds(), a.Dials)
	}
	if r.death == "" {
		f.rest(ctx, a.Rest, &r)
	}
	return r, nil
}

// pids are this program and what it has started and will not end before the attack does.
func (f *field) pids() []int { return []int{os.Getpid(), f.server.PID, f.zk.PID()} }

// take ends the window of every meter.
func (f *field) take() (pages, answers, arrivals meter.Window, class meter.ClassWindow) {
	return f.pages.Take(), f.answers.Take(), f.arrivals.Take(), f.class.Take()
}

// others is the share of the processors that programs which are not ours used, other machines of the host included.
func others(from, to target.Ticks) float64 {
	machine := to.Machine - from.Machine
	if machine <= 0 {
		return 0
	}
	return max(0, float64(to.Busy-from.Busy-(to.Ours-from.Ours))/float64(machine))
}

// lookEvery is the pause between two looks at the server's memory.
const lookEvery = 100 * time.Millisecond

// follow looks at the server's memory until the returned function is called: when a process has died, nobody can
// say any more what it had.
func (f *field) follow(r *result) (stop func()) {
	quit, done, pid := make(chan struct{}), make(chan struct{}), f.server.PID
	go func() {
		defer close(done)
		beat := time.NewTicker(lookEvery)
		defer beat.Stop()
		for {
			if u, err := target.UsageOf(pid); err == nil {
				r.peakMB, r.mostFiles = max(r.peakMB, u.PeakMB), max(r.mostFiles, u.Files)
			}
			select {
			case <-quit:
				return
			case <-beat.C:
			}
		}
	}()
	return func() { close(quit); <-done }
}

const (
	// slackFiles is how many more files may be open after an attack: polite users and the cluster have some.
	slackFiles = 40
	// restShare is the part of its memory that the server may still occupy after an attack.
	restShare = 0.75
	// cleanTimeout is for removing what attacks have made on the ZooKeeper inside.
	cleanTimeout = time.Minute
)

// rest waits until the server has everything back, and reports what it has not.
func (f *field) rest(ctx context.Context, limit time.Duration, r *result) {
	start := time.Now()
	cleaning, cancel := context.WithTimeout(ctx, cleanTimeout)
	defer cancel()
	if err := attacks.Clean(cleaning, client.Address(0, ownHost), f.server.ZooKeeper); err != nil {
		r.fail("what the attack had made inside could not be removed: %v", err)
	}
	left := []string{"nothing was looked at"}
	for end := time.Now().Add(limit); len(left) > 0 && ctx.Err() == nil; {
		if left = f.left(ctx, r); len(left) == 0 || time.Now().After(end) {
			break
		}
		select {
		case <-time.After(time.Second):
		case <-f.server.Ended():
		}
	}
	for _, what := range left {
		r.fail("%v after it, %s", time.Since(start).Round(time.Second), what)
	}
	r.rested = time.Since(start)
}

// left is what the server has not got back, or has left behind.
func (f *field) left(ctx context.Context, r *result) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	u, err := target.UsageOf(f.server.PID)
	if err != nil {
		return []string{"the server had died: " + f.server.Death()}
	}
	r.after = u
	if u.Files > r.before.Files+slackFiles {
		add("%d files are open, and %d were before", u.Files, r.before.Files)
	}
	if most := int(restShare * float64(f.memoryMB)); u.ResidentMB > most {
		add("%d MB are resident, more than %d", u.ResidentMB, most)
	}
	if names, err := target.Leftovers(f.serverDir()); err != nil || len(names) > 0 {
		add("there are temporary files: %v %v", names, err)
	}
	if n, err := f.znodesInside(ctx); err != nil || n > f.inside {
		add("%d znodes are on the ZooKeeper inside, and %d were before (%v)", n, f.inside, err)
	}
	if n, err := f.znodesOutside(); err != nil || n != f.outside {
		add("%d znodes are on the real ZooKeeper, and %d were before (%v)", n, f.outside, err)
	}
	return all
}

// end stops the server and looks for what it has left.
func (f *field) end(ctx context.Context) result {
	r := result{name: "the end", memoryMB: f.memoryMB}
	if f.server != nil && f.server.Death() == "" {
		if err := f.shut(); err != nil && ctx.Err() == nil {
			r.fail("%v", err)
		}
	}
	if names, err := target.Leftovers(f.serverDir()); err != nil || len(names) > 0 {
		r.fail("the server left temporary files: %v %v", names, err)
	}
	if n, err := f.znodesOutside(); err != nil || n != f.outside {
		r.fail("%d znodes are on the real ZooKeeper, and %d were before (%v)", n, f.outside, err)
	}
	return r
}
