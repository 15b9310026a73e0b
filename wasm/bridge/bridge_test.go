package bridge

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
)

func TestFaultAt(t *testing.T) {
	for _, c := range []struct {
		text string
		at   time.Duration
		want string
	}{
		{"pause client-1 for 15s", 2345 * time.Millisecond, "pause client-1 at 2.345s for 15s"},
		{"crash client-12", 2345*time.Millisecond + 1, "crash client-12 at 2.346s"},
		{"crash client-1", 0, "crash client-1 at 0s"},
		{"crash client-1 at 4s", time.Second, "crash client-1 at 4s"},
		{"partition server-1 | server-2 server-3 for 5s", time.Second,
			"partition server-1 | server-2 server-3 at 1s for 5s"},
		{"cut client-1 from server-2 for 5s", time.Second, "cut client-1 from server-2 at 1s for 5s"},
		{"crash", time.Second, "crash"},
		{"", time.Second, ""},
	} {
		got := FaultAt(c.text, c.at)
		if got != c.want {
			t.Errorf("%q at %s: %q, want %q", c.text, c.at, got, c.want)
		}
		if f, err := fault.Parse(got); err == nil && f.String() != got {
			t.Errorf("%q is written %q", got, f)
		}
	}
}

func TestFaultOn(t *testing.T) {
	for text, want := range map[string]int{"pause client-2 for 15s": 2, "crash client-12": 12, "restart server for 1s": 0,
		"crash": 0} {
		if who, ok := FaultOn(text); int(who) != want || ok != (want > 0) {
			t.Errorf("%q is for %d, %v", text, who, ok)
		}
	}
}

func TestTheInboxKeepsItsOrderAndLeavesWhatThereIsNoTimeFor(t *testing.T) {
	var b inbox
	var did []int
	for i := range 5 {
		b.put(func() {
			did = append(did, i)
			if i == 1 {
				b.put(func() { did = append(did, 9) })
			}
		})
	}
	if b.empty(func() bool { return len(did) < 3 }) {
		t.Error("it says that nothing is left")
	}
	if b.empty(func() bool { return false }) || !b.empty(func() bool { return true }) {
		t.Error("it does not do at least one, or not all")
	}
	want := []int{0, 1, 2, 3, 4, 9}
	for i := range want {
		if len(did) != len(want) || did[i] != want[i] {
			t.Fatalf("did %v, want %v", did, want)
		}
	}
}

func TestBackoffGrowsToALimit(t *testing.T) {
	last := time.Duration(0)
	for n := range 100 {
		d := backoff(n)
		if d < last || d < firstWait || d > longWait {
			t.Fatalf("attempt %d after %s, the one before after %s", n, d, last)
		}
		last = d
	}
	if last != longWait {
		t.Errorf("it ends at %s", last)
	}
}
