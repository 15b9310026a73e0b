package cluster

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/observe/past/index"
)

// TestJobs checks that a job runs once for all who ask, and ends with the list of jobs.
func TestJobs(t *testing.T) {
	jobs := newJobs()
	begun, go_ := make(chan struct{}), make(chan struct{})
	work := func(ctx context.Context, tell index.Progress) (any, error) {
		close(begun)
		tell(0.5)
		<-go_
		return 7, nil
	}
	hurry, cancel := context.WithCancel(t.Context())
	cancel()
	j, err := jobs.do(hurry, "a", work)
	if <-begun; err != nil || j.done() {
		t.Fatalf("at once it is done: %v", err)
	}
	close(go_)
	j, err = jobs.do(t.Context(), "a", work)
	if err != nil || !j.done() || j.value != 7 || j.share() != 0.5 {
		t.Errorf("%v: it is %v, done to %v", err, j.value, j.share())
	}
	j, _ = jobs.do(hurry, "b", func(ctx context.Context, _ index.Progress) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	jobs.close()
	if !j.done() || !errors.Is(j.err, context.Canceled) {
		t.Errorf("at the end it is %v", j.err)
	}
	if _, err := jobs.do(t.Context(), "c", work); !errors.Is(err, errTooManyJobs) {
		t.Errorf("after the end: %v", err)
	}
}

// TestBusy checks that busy holds exactly while somebody may come back for a job.
func TestBusy(t *testing.T) {
	jobs := newJobs()
	defer jobs.close()
	busy := func(want bool, later time.Duration) {
		t.Helper()
		if got := jobs.busy(time.Now().Add(later)); got != want {
			t.Errorf("busy is %t", got)
		}
	}
	busy(false, 0)
	end := make(chan struct{})
	work := func(context.Context, index.Progress) (any, error) { <-end; return 1, nil }
	hurry, cancel := context.WithCancel(t.Context())
	cancel()
	j, err := jobs.do(hurry, "a", work)
	if err != nil {
		t.Fatal(err)
	}
	busy(true, 0)
	close(end)
	<-j.ended
	busy(true, 0) // nobody has come for it yet
	busy(false, 2*abandonTimeout)
	if _, err := jobs.do(t.Context(), "a", work); err != nil {
		t.Fatal(err)
	}
	busy(false, 0)
}
