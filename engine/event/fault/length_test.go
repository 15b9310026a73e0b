package fault_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
)

func TestBeyondASession(t *testing.T) {
	if list := fault.Lengths(); !slices.IsSorted(list) || list[len(list)-1] > fault.MaxAt {
		t.Errorf("the lengths are %v", list)
	}
	for session, want := range map[time.Duration]time.Duration{
		0: 2 * time.Second, 2 * time.Second: 5 * time.Second, 6 * time.Second: 15 * time.Second,
		15*time.Second - 1: 15 * time.Second, 15 * time.Second: 30 * time.Second, time.Minute: time.Minute,
		time.Hour: time.Minute,
	} {
		if got := fault.Beyond(session); got != want {
			t.Errorf("beyond a session of %s is %s, not %s", session, got, want)
		}
	}
}
