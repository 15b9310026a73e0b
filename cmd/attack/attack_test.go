// Package attack plays against a viz-server what somebody could who means it no good, while polite users work with it.
// The tests of the packages hold each defence by itself. Here a whole server bears everything at once: what occupies
// memory and places stays for the whole time, and what costs processor time comes in turn. It is only tests. Run it
// with make attack.
//
// The server is a process whose data may take 1 GB (RLIMIT_DATA, which counts what Go has mapped to write to and not
// what it has only reserved): one that wants more dies, as it would in a container. Attackers are processes of their
// own at nice 19, with bounded rates, so that the figures tell of the server and not of guests without a processor.
// Everybody has addresses of 127.0.0.0/8, since budgets go by the address.
//
// A page may take 200 ms and an answer of the ZooKeeper inside 50 ms, at the 99th percentile of each attack, and every
// guest must be served. Afterwards the server must have given everything back, and must stop as it is asked to. When
// other programs use more than a tenth of the processors the times mean nothing, and the test says so and fails.
package attack

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// options are what make attack may be told in ATTACK.
type options struct {
	span     time.Duration // of all attacks together
	only     string        // names of attacks, separated by commas
	memoryMB int           // what the server may have
	learners int           // in the class
	scale    float64       // of all sizes: 1 is an attack, less a rehearsal
}

// asked is what the command line says. Only TestMain writes it.
var asked = options{scale: 1}

func TestMain(m *testing.M) {
	var a attacker
	play := flag.String("play", "", "be an attacker with these attacks: for this program's own use")
	flag.StringVar(&a.pages, "pages", "", "where the pages are: likewise")
	flag.StringVar(&a.zookeeper, "zookeeper", "", "where the ZooKeeper inside is: likewise")
	flag.Float64Var(&a.scale, "scale", 1, "the share of all sizes: likewise")
	flag.DurationVar(&asked.span, "for", 0, "how long all attacks take; without it TestAttack is a rehearsal")
	flag.StringVar(&asked.only, "only", "", "the attacks to play in turn, separated by commas; all if empty")
	flag.IntVar(&asked.memoryMB, "memory", 1024, "what the server may have of memory, in MB")
	flag.IntVar(&asked.learners, "learners", 30, "how many learners there are")
	flag.Parse()
	if *play != "" {
		a.play(strings.Split(*play, ","), os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// TestAttack is what make attack runs. Without -for it rehearses every attack at a small size: the server must serve
// each kind of guest, give everything back and stop, but how long guests wait is only printed.
func TestAttack(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it needs Linux: /proc, a limit on data that is kept, and all of 127.0.0.0/8 as addresses")
	}
	if testing.Short() {
		t.Skip("it builds a server")
	}
	o := asked
	if o.span == 0 {
		o = options{memoryMB: 2048, learners: 2, scale: 1.0 / 300}
	}
	turns := named(working, o.only)
	if len(turns) == 0 {
		t.Fatalf("no attack is called %q; there are %s", o.only, strings.Join(namesOf(working), ", "))
	}
	cluster, err := embed.Listen(embed.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	s := startServer(t, o.memoryMB, "--zk", cluster.Addr().String(), "--zk-path", "/zkviz")
	g := invite(t, s, o)
	before := s.usage(t)

	each := o.span / time.Duration(len(turns)+2) // one share for peace, and one to come to rest
	results := []result{g.during(t, "peace", each, nil)}
	stay := startAttackers(t, s, o.scale, namesOf(holding))
	g.ours = append(g.ours, stay.cmd.Process.Pid)
	for _, l := range turns {
		if s.death() != "" {
			break
		}
		results = append(results, g.during(t, l.name, each, startAttackers(t, s, o.scale, []string{l.name})))
	}
	t.Log(stay.end())
	for _, r := range results {
		t.Log(r)
		for _, what := range r.broken(o.memoryMB) {
			if asked.span > 0 || r.death != "" {
				t.Errorf("%s: %s", r.name, what)
			}
		}
	}
	g.wantAllServed(t)
	s.wantRest(t, before)
	g.leave()
	s.stop(t)
}

// result is what came of one attack.
type result struct {
	name                               string
	pages, answers, learners, arrivals answers // of the visitor, the ZooKeeper client, the class, and newcomers
	peakMB                             int     // of the server's memory
	others                             float64 // share of the processors that other programs used
	death                              string  // how the server died, if it did
}

// What guests are promised at the 99th percentile, and how busy other programs may keep the machine.
const (
	pageLimit   = 200 * time.Millisecond
	answerLimit = 50 * time.Millisecond
	busiest     = 0.10
)

// broken lists what the server owes its guests and did not give them.
func (r result) broken(memoryMB int) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if r.death != "" {
		return []string{fmt.Sprintf("the server died, with %d MB: %s", r.peakMB, r.death)}
	}
	if r.peakMB >= memoryMB {
		add("the server had %d MB resident, and may have %d", r.peakMB, memoryMB)
	}
	for _, kind := range []struct {
		name  string
		got   answers
		limit time.Duration
	}{
		{"the visitor", r.pages, pageLimit}, {"the ZooKeeper client", r.answers, answerLimit},
		{"the class", r.learners, learnerWaits}, {"newcomers", r.arrivals, newcomerWaits},
	} {
		if n := len(kind.got.failed); n > 0 {
			add("%s asked %d times and was not served %d times: %s", kind.name, len(kind.got.took), n,
				strings.Join(slices.Compact(slices.Sorted(slices.Values(kind.got.failed))), "; "))
		}
		if got := kind.got.quantile(0.99); got > kind.limit {
			add("%s waited %v at the 99th percentile, and may wait %v", kind.name, got.Round(time.Millisecond), kind.limit)
		}
	}
	if len(r.pages.took) == 0 || len(r.answers.took) == 0 {
		add("the visitor got %d pages, and the ZooKeeper client %d answers", len(r.pages.took), len(r.answers.took))
	}
	if r.others > busiest {
		add("other programs used %.0f %% of the processors: the times do not count", 100*r.others)
	}
	return all
}

// String gives the figures: the median, the 99th percentile and the longest of each kind of guest.
func (r result) String() string {
	return fmt.Sprintf("%-16s pages %v, ZooKeeper %v, class %v, newcomers %v, peak %d MB, others %.0f %%", r.name, r.pages,
		r.answers, r.learners, r.arrivals, r.peakMB, 100*r.others)
}

// during plays an attack for a while, until all of it has begun at least, and says how the guests fared.
func (g *guests) during(t *testing.T, name string, span time.Duration, a *attackers) result {
	t.Helper()
	g.take()
	resetPeak(g.server.pid())
	from := ticksOf(g.ours)
	for end := time.Now().Add(span); time.Now().Before(end) && g.server.death() == ""; sleep(t.Context(), lookEvery) {
	}
	if a != nil {
		t.Log(a.end())
	}
	r := g.take()
	r.name, r.death, r.others = name, g.server.death(), from.others(ticksOf(g.ours))
	if r.death == "" {
		r.peakMB = g.server.usage(t).peakMB
	}
	return r
}

// lookEvery is the pause between two looks at whether the server lives, or at what it has given back.
const lookEvery = 100 * time.Millisecond

// TestBroken plants what guests must not meet, one thing at a time.
func TestBroken(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		plant func(*result)
		want  string
	}{
		{func(*result) {}, ""},
		{func(r *result) { r.pages.took[0] = time.Second }, ""}, // one in two hundred
		{func(r *result) { copy(r.pages.took, []time.Duration{300 * ms, 300 * ms, 300 * ms}) }, "the visitor waited 300ms"},
		{func(r *result) { copy(r.answers.took, []time.Duration{60 * ms, 60 * ms, 60 * ms}) }, "client waited 60ms"},
		{func(r *result) { r.pages.took = nil }, "the visitor got 0 pages"},
		{func(r *result) { r.arrivals.failed = []string{"full", "full"} }, "not served 2 times: full"},
		{func(r *result) { r.learners.failed = []string{"cut"} }, "class asked 200 times and was not served 1 times: cut"},
		{func(r *result) { r.peakMB = 1024 }, "1024 MB resident"},
		{func(r *result) { r.death, r.pages.failed = "fatal error", []string{"cut"} }, "the server died, with 500 MB: fatal"},
		{func(r *result) { r.others = 0.5 }, "the times do not count"},
	} {
		r := result{peakMB: 500}
		for _, a := range []*answers{&r.pages, &r.answers, &r.learners, &r.arrivals} {
			a.took = slices.Repeat([]time.Duration{20 * ms}, 200)
		}
		c.plant(&r)
		got := strings.Join(r.broken(1024), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q is broken, want %q", got, c.want)
		}
	}
}

// sleep waits for d, and reports whether ctx goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
