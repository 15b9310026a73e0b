package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/attacks"
	"github.com/zkviz/zkviz/cmd/attack/internal/meter"
	"github.com/zkviz/zkviz/engine/live/zktest"
)

// stubborn is the variable that has the attacker of a test ignore whatever it is told.
const stubborn = "ZKVIZ_STUBBORN_ATTACKER"

// TestMain is also the attacker, which this program starts as a process of its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-play" {
		if os.Getenv(stubborn) != "" {
			for {
				time.Sleep(time.Hour)
			}
		}
		os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// small is a crowd that costs little.
func small() crowd { return crowd{learners: 3, clients: 5, pause: 20 * time.Millisecond} }

// smallField starts a small one for a test.
func smallField(t *testing.T) *field {
	t.Helper()
	zktest.Need(t)
	if err := supported(); err != nil {
		t.Skip(err)
	}
	t.Chdir("../..") // where viz-server is built
	f, err := newField(t.Context(), options{memoryMB: 2048}, small())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.close)
	if err := f.ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

func find(t *testing.T, name string) attacks.Attack {
	t.Helper()
	found, err := attacks.Find([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

// TestField goes through what the program does: a server in peace, whose learners open a run, do faults and come
// back; then one that dies; then another in its place; and the end, after which nothing is left.
func TestField(t *testing.T) {
	f := smallField(t)
	peace := find(t, "peace")
	r, err := f.withstand(t.Context(), peace, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if r.death != "" || len(r.pages.Took) == 0 || len(r.answers.Took) == 0 || len(r.arrivals.Took) == 0 || r.peakMB == 0 ||
		r.after.Files == 0 {
		t.Errorf("in peace: %+v", r)
	}
	// until a fault was done and a learner has come back
	for end := time.Now().Add(10 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		w := f.class.Take()
		if len(w.Unserved) > 0 {
			t.Errorf("learners were not served: %q", w.Unserved)
		}
		if r.class.Steps += w.Steps; r.class.Steps > 3*10 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("learners got %d things only", r.class.Steps)
		}
	}
	pid := f.server.PID
	var killed sync.WaitGroup
	killed.Go(func() {
		for f.pages.Answered() == 0 { // the attack has begun
			time.Sleep(time.Millisecond)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL) // the planted death
	})
	r, err = f.withstand(t.Context(), peace, time.Minute)
	killed.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if r.death == "" || len(r.broken) != 1 || !strings.Contains(r.broken[0], "died") || r.took >= time.Minute {
		t.Errorf("a server that died: %q after %v, %q", r.death, r.took, r.broken)
	}
	if err := f.ready(t.Context()); err != nil || f.server.PID == pid {
		t.Fatalf("another server: %v", err)
	}
	if last := f.end(t.Context()); len(last.broken) > 0 {
		t.Errorf("the end: %q", last.broken)
	}
	dir := f.dir
	if f.close(); f.server != nil {
		t.Error("a server runs on")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dir, err)
	}
}

// TestCommand goes all the way of make attack with two attacks. How fast a busy machine is may be found wanting, but
// each is played to its end.
func TestCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("each attack takes seconds")
	}
	zktest.Need(t)
	if err := supported(); err != nil {
		t.Skip(err)
	}
	program := filepath.Join(t.TempDir(), "viz-server")
	build := exec.Command("go", "build", "-o", program, "github.com/zkviz/zkviz/cmd/viz-server")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"-server", program, "-only", "peace, trace-escapes", "-for", "1s", "-learners", "1"},
		nil, &out, &errs)
	last := "Everything held."
	if code == 1 {
		last = "What did not hold:"
	}
	if code == 2 || strings.Count(out.String(), "\n  = ") != 2 || !strings.Contains(out.String(), last) {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
}

// TestAttacker has an attack played by a process of its own: it has the lowest priority, says what it finds, and
// ends when it is told to.
func TestAttacker(t *testing.T) {
	if err := supported(); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "viz-server") // one that writes what it should not, and its priority
	text := "#!/bin/sh\nprintf '\\033[2J'\nps -o ni= -p $$ >&2\nnice >'" + file + ".nice'\n"
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	const patient = 10 * time.Minute // at the lowest priority it may take long to begin
	o := orders{For: time.Hour, World: attacks.World{Program: file, MemoryMB: 1024, Dir: t.TempDir(), Scale: 1}}
	found, err := attack(t.Context(), find(t, "trace-escapes"), &o, patient, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 || !found[0].Broken || !strings.Contains(found[0].Text, `\x1b[2J`) {
		t.Errorf("a program that clears the screen: %+v", found)
	}
	if nice, err := os.ReadFile(file + ".nice"); err != nil || strings.TrimSpace(string(nice)) != "19" {
		t.Errorf("the attacker's nice value is %q (%v), want 19", nice, err)
	}
	stop := make(chan struct{})
	close(stop)
	start := time.Now()
	if _, err := attack(t.Context(), find(t, "peace"), &o, patient, stop); err != nil {
		t.Errorf("told to stop, it did after %v: %v", time.Since(start), err)
	}
}

// TestStubbornAttacker is killed when it has been told to end and doesn't.
func TestStubbornAttacker(t *testing.T) {
	if err := supported(); err != nil {
		t.Skip(err)
	}
	t.Setenv(stubborn, "1")
	stop := make(chan struct{})
	close(stop)
	_, err := attack(t.Context(), find(t, "peace"), &orders{For: time.Hour}, time.Millisecond, stop)
	if err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it ends with %v", err)
	}
}

// TestJudge plants what must not be, one thing at a time.
func TestJudge(t *testing.T) {
	sound := func() result {
		r := result{memoryMB: 1024, peakMB: 500, took: time.Minute, crowd: aClass()}
		for range 200 {
			r.pages.Took = append(r.pages.Took, 20*time.Millisecond)
			r.answers.Took = append(r.answers.Took, time.Millisecond)
		}
		r.class.Served = 30
		return r
	}
	for _, test := range []struct {
		plant func(*result)
		want  string
	}{
		{func(*result) {}, ""},
		{func(r *result) { r.pages.Took[0] = time.Second }, ""}, // one in two hundred
		{func(r *result) { r.pages.Took[0], r.pages.Took[1], r.pages.Took[2] = 1e9, 1e9, 1e9 }, "a page took 1s"},
		{func(r *result) { r.answers.Took[0], r.answers.Took[1], r.answers.Took[2] = 6e7, 6e7, 6e7 },
			"ZooKeeper inside took 60ms"},
		{func(r *result) { r.pages = meter.Window{} }, "nobody got a page"},
		{func(r *result) { r.answers.Failed, r.answers.Failures = 1, []string{"cut"} },
			"1 of 200 polite requests failed: cut"},
		{func(r *result) { r.arrivals.Failed, r.arrivals.Failures = 1, []string{"full"} },
			"newcomers were not served at once: full"},
		{func(r *result) { r.class.Unserved = []string{"learner 1: full"} },
			"1 of 30 learners were not served: learner 1: full"},
		{func(r *result) { r.class.Waiting = 2 }, "2 of 30 learners got nothing"},
		{func(r *result) { r.class.Waiting, r.took = 2, time.Second }, ""},
		{func(r *result) { r.peakMB = 1024 }, "1024 MB resident"},
		{func(r *result) { r.death = "fatal error" }, "the server died"},
		{func(r *result) { r.others = 0.5 }, "the times do not count"},
	} {
		r := sound()
		test.plant(&r)
		r.judge()
		got := strings.Join(r.broken, "; ")
		if test.want == "" && got != "" || !strings.Contains(got, test.want) || len(r.broken) > 1 {
			t.Errorf("judged %q, want %q", got, test.want)
		}
		var out bytes.Buffer
		table(&out, []result{r})
		if held := summary(&out, []result{r}); held != (test.want == "") || !strings.Contains(out.String(), test.want) {
			t.Errorf("held %v, and printed\n%s", held, out.String())
		}
	}
}

// TestOptions are the command line's.
func TestOptions(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"-list"}, nil, &out, &errs); code != 0 ||
		!strings.Contains(out.String(), "multi-read") {
		t.Errorf("-list: %d, %s%s", code, out.String(), errs.String())
	}
	for _, bad := range [][]string{{"-only", "nothing"}, {"-for", "0s"}, {"-memory", "-1"}, {"-nothing"}} {
		if code := run(t.Context(), bad, strings.NewReader(""), io.Discard, &errs); code != 2 {
			t.Errorf("%q: exit code %d", bad, code)
		}
	}
	if runtime.GOOS != "linux" {
		t.Skip("attacks are played on Linux")
	}
	all := attacks.All()
	left, sum := 10*time.Minute, time.Duration(0)
	for i := range all { // each takes its share and no more
		d := share(all[i:], left)
		sum, left = sum+d, left-d*5/4
	}
	if sum > 10*time.Minute || left < 0 {
		t.Errorf("all attacks take %v of ten minutes, and leave %v", sum, left)
	}
}
