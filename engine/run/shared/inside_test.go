package shared_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/run/shared"
)

// TestInside checks that a NATS inside keeps logs over a restart, in a folder that only one process uses.
func TestInside(t *testing.T) {
	ctx := patient(t)
	dir := filepath.Join(t.TempDir(), "new")
	epoch := uint64(0)
	for n := range uint64(3) {
		b, err := shared.Open(ctx, shared.Config{Dir: dir, Lease: unhurried})
		if err != nil {
			t.Fatal(err)
		}
		if !b.Connected() {
			t.Error("not connected")
		}
		_, err = shared.Open(ctx, shared.Config{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), "another process") {
			t.Error("the folder is used twice:", err)
		}
		lease, log := must(b.Own(ctx, "x")), must(b.Log("x"))
		if lease.Epoch() <= epoch {
			t.Errorf("epoch %d comes after %d", lease.Epoch(), epoch)
		}
		epoch = lease.Epoch()
		if last := must(log.Take(ctx, epoch)); last != n {
			t.Errorf("the last entry is %d, not %d", last, n)
		}
		must(log.Append(ctx, epoch, n, fmt.Append(nil, "entry", n)))
		checkLog(t, must(shared.Everything(ctx, b, "x")))
		b.Close()
		if lease.Held() {
			t.Error("a closed bus owns something")
		}
	}
	if s, err := os.Stat(dir); err != nil || s.Mode().Perm() != 0o700 {
		t.Error("others can look into the folder:", s.Mode(), err)
	}
}

// TestForgetful checks that a NATS without a folder leaves none behind, and that others see nothing of it.
func TestForgetful(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	b, err := shared.Open(patient(t), shared.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if in := must(os.ReadDir(tmp)); len(in) != 1 {
		t.Errorf("%v", in)
	}
	b.Close()
	if in := must(os.ReadDir(tmp)); len(in) != 0 {
		t.Errorf("%v is left", in)
	}
}

// slowly is how long a function goes on after its context's end, so that a Close that doesn't wait is noticed.
const slowly = 200 * time.Millisecond

// TestClose checks that whatever waits ends with the bus, and that functions have returned.
func TestClose(t *testing.T) {
	ctx := patient(t)
	b := open(t, shared.Config{Lease: unhurried})
	lease, log := must(b.Own(ctx, "x")), must(b.Log("x"))
	waiting := make(chan error)
	go func() {
		_, err := b.Own(ctx, "x")
		waiting <- err
	}()
	go func() { waiting <- log.Read(ctx, 1, func(uint64, []byte) error { return nil }) }()
	begun, answered := make(chan struct{}), false
	if err := lease.Answer(func(ctx context.Context, _ []byte) []byte {
		close(begun)
		<-ctx.Done()
		time.Sleep(slowly)
		answered = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := b.Ask(ctx, "x", nil)
		waiting <- err
	}()
	<-begun
	b.Close()
	if !answered {
		t.Error("Close didn't wait for Answer's function")
	}
	for range 3 {
		if err := <-waiting; !errors.Is(err, shared.ErrClosed) {
			t.Error(err)
		}
	}
	_, own := b.Own(ctx, "x")
	_, ask := b.Ask(ctx, "x", nil)
	_, hear := b.Hear("x", nil)
	_, last := log.Last(ctx)
	for _, err := range []error{own, ask, hear, last, log.Read(ctx, 1, nil)} {
		if !errors.Is(err, shared.ErrClosed) {
			t.Error(err)
		}
	}
	b.Close()
}

// TestRelease checks that the function of Answer has returned, and that the name is free at once.
func TestRelease(t *testing.T) {
	ctx := patient(t)
	b := open(t, shared.Config{Lease: unhurried})
	lease := must(b.Own(ctx, "x"))
	begun, answered := make(chan struct{}), false
	if err := lease.Answer(func(ctx context.Context, _ []byte) []byte {
		close(begun)
		<-ctx.Done()
		time.Sleep(slowly)
		answered = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithCancel(ctx)
	go func() { <-begun; lease.Release(ctx); cancel() }()
	if _, err := b.Ask(short, "x", nil); err == nil {
		t.Error("an answer comes from one that isn't the owner any more")
	}
	<-short.Done()
	if !answered {
		t.Error("Release didn't wait for Answer's function")
	}
	if next := must(b.Own(ctx, "x")); next.Epoch() <= lease.Epoch() {
		t.Errorf("epoch %d comes after %d", next.Epoch(), lease.Epoch())
	}
}

// TestFull checks the limits of all logs together: the one that is asked for, and NATS's own.
func TestFull(t *testing.T) {
	ctx := patient(t)
	b := open(t, shared.Config{Lease: unhurried})
	lease, log := must(b.Own(ctx, "x")), must(b.Log("x"))
	must(log.Append(ctx, lease.Epoch(), 0, []byte("entry")))
	fails := func(what string) {
		t.Helper()
		if _, err := log.Append(ctx, lease.Epoch(), 1, []byte("entry")); !errors.Is(err, shared.ErrFull) {
			t.Errorf("%s: %v", what, err)
		}
	}
	shared.SetQuota(b, shared.LogsBytes+1, 1)
	fails("asked for")
	shared.SetQuota(b, 1, shared.Logs+1)
	must(log.Append(ctx, lease.Epoch(), 1, []byte("entry"))) // it isn't another log
	another, other := must(b.Own(ctx, "y")), must(b.Log("y"))
	if _, err := other.Append(ctx, another.Epoch(), 0, nil); !errors.Is(err, shared.ErrFull) {
		t.Error("another log:", err)
	}
	shared.SetQuota(b, 1, 1)
	if err := shared.Shrink(ctx, b, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(ctx, lease.Epoch(), 2, []byte("entry")); !errors.Is(err, shared.ErrFull) {
		t.Error("NATS's own:", err)
	}
}

// TestWrongConfig checks what Open refuses.
func TestWrongConfig(t *testing.T) {
	for _, cfg := range []shared.Config{
		{Lease: time.Millisecond}, {URL: "nats://%"}, {URL: "nats://"}, {Copies: 3}, {Dir: "/dev/null/x"},
		{URL: "http://127.0.0.1:1"}, {URL: "nats://127.0.0.1:1", Creds: "/no/such/file"}, {Creds: os.Args[0]},
	} {
		if _, err := shared.Open(patient(t), cfg); err == nil {
			t.Errorf("%+v works", cfg)
		} else {
			t.Log(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := shared.Open(ctx, shared.Config{URL: "nats://me:secret@127.0.0.1:1"})
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	t.Log(err)
	ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = shared.Open(ctx, shared.Config{URL: "nats://me:secret@127.0.0.1:1"})
	if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	t.Log(err)
}

// insideMain opens a NATS inside, and says by how many kB the process grew, and how long that took in microseconds.
func insideMain() {
	before := residentKB()
	began := time.Now()
	b := must(shared.Open(context.Background(), shared.Config{Dir: os.Getenv(dirVariable)}))
	took := time.Since(began)
	fmt.Println("grew", residentKB()-before, took.Microseconds())
	b.Close()
}

// residentKB returns what the process has in memory, in kB.
func residentKB() int {
	status := string(must(os.ReadFile("/proc/self/status")))
	_, after, _ := strings.Cut(status, "VmRSS:")
	return must(strconv.Atoi(strings.Fields(after)[0]))
}
