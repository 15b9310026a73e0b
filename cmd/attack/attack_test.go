// Package attack attacks a viz-server like a hostile user, while polite users work with it. The tests of the packages
// check each defence alone. Here a whole server bears everything at once: attacks on memory and places stay for the
// whole time, and attacks on processor time take turns. It has only tests. Run it with make attack.
//
// The server is a process with a limit of 1 GB on its data (RLIMIT_DATA, which counts memory that Go has mapped for
// writing, but not what it has only reserved). If it needs more it dies, as it would in a container. Attackers are
// separate processes at nice 19 with bounded rates, so that the figures show the server and not guests without a
// processor. All parties have addresses in 127.0.0.0/8, since budgets go by address.
//
// A page may take 200 ms and an answer of the ZooKeeper inside 50 ms, at the 99th percentile of each attack, and
// every guest must be served. Afterwards the server must have released everything, and must stop on request. If other
// programs use more than a tenth of the processors, the times mean nothing, and the test says so and fails.
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

// options holds the options that make attack takes from ATTACK.
type options struct {
	span     time.Duration // all attacks together
	only     string        // names of attacks, separated by commas
	memoryMB int           // the server's limit
	learners int           // who look at runs
	scale    float64       // the factor of all sizes: 1 is an attack, less a rehearsal
}

// asked holds the command line's options. Only TestMain writes it.
var asked = options{scale: 1}

func TestMain(m *testing.M) {
	var a attacker
	play := flag.String("play", "", "be an attacker with these attacks: for this program's own use")
	flag.StringVar(&a.pages, "pages", "", "where the pages are: likewise")
	flag.StringVar(&a.class, "class", "", "the polite class: likewise")
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

// TestAttack is the test that make attack runs. Without -for it rehearses every attack at a small size: the server
// must serve each kind of guest, release everything and stop, but times are only printed.
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

	each := o.span / time.Duration(len(turns)+2) // one share for peace, and one for rest
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

// result is the outcome of one attack.
type result struct {
	name                               string
	pages, answers, learners, arrivals answers // for the visitor, the ZooKeeper client, learners, and newcomers
	led                                answers // for a class that follows its teacher
	peakMB                             int     // the server's memory
	others                             float64 // share of the processors that other programs used
	death                              string  // how the server died, if it did
}

// The limits for guests at the 99th percentile, and for other programs' share of the machine.
const (
	pageLimit   = 200 * time.Millisecond
	answerLimit = 50 * time.Millisecond
	busiest     = 0.10
)

// broken lists the broken promises to guests.
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
		{"learners", r.learners, learnerWaits}, {"newcomers", r.arrivals, newcomerWaits}, {"the class", r.led, ledWaits},
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

// String returns the figures: median, 99th percentile and maximum for each kind of guest.
func (r result) String() string {
	return fmt.Sprintf("%-16s pages %v, ZooKeeper %v, learners %v, newcomers %v, class %v, peak %d MB, others %.0f %%",
		r.name, r.pages, r.answers, r.learners, r.arrivals, r.led, r.peakMB, 100*r.others)
}

// during runs an attack for span, and at least until all of it has begun, and returns how the guests fared.
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

// lookEvery is the interval between checks of the server.
const lookEvery = 100 * time.Millisecond

// TestBroken plants each kind of failure alone.
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
		{func(r *result) { r.led.failed = []string{"cut"} }, "the class asked 200 times and was not served 1 times: cut"},
		{func(r *result) { r.peakMB = 1024 }, "1024 MB resident"},
		{func(r *result) { r.death, r.pages.failed = "fatal error", []string{"cut"} }, "the server died, with 500 MB: fatal"},
		{func(r *result) { r.others = 0.5 }, "the times do not count"},
	} {
		r := result{peakMB: 500}
		for _, a := range []*answers{&r.pages, &r.answers, &r.learners, &r.arrivals, &r.led} {
			a.took = slices.Repeat([]time.Duration{20 * ms}, 200)
		}
		c.plant(&r)
		got := strings.Join(r.broken(1024), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q is broken, want %q", got, c.want)
		}
	}
}

// sleep waits for d, and reports whether ctx is still alive.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
