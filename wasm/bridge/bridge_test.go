package bridge

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/stage/player"
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

// TestLink checks that a link names the faults of the branch that is shown and of its ancestors, in order, and reads
// back as the same moment.
func TestLink(t *testing.T) {
	branches := []player.Branch{
		{ID: 0, Parent: -1}, {ID: 1, Parent: 0, Fault: "crash client-1 at 2s"},
		{ID: 2, Parent: 0, Fault: "cut client-2 at 1s for 3s"}, {ID: 3, Parent: 1, Fault: "expire client-3 at 5s"},
	}
	place := Place{Set: true, At: 5500 * time.Millisecond, Seq: 214, Sum: "00000000000000ab"}
	got, err := url.ParseQuery(Link("recipe=unique-lock&clients=3", branches, 3, place))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"crash client-1 at 2s", "expire client-3 at 5s"}; !slices.Equal(got["fault"], want) {
		t.Errorf("the faults are %q, want %q", got["fault"], want)
	}
	if back := ReadPlace(got.Get); back != place {
		t.Errorf("the place is %+v, want %+v", back, place)
	}
	for _, query := range []string{"", "at=-1s", "at=soon&event=x", "event=0&sum=1", "event=99999999999"} {
		if q, _ := url.ParseQuery(query); ReadPlace(q.Get).Set {
			t.Errorf("%q names a place", query)
		}
	}
}

// TestPlace checks that a place reads back as written, with and without an event.
func TestPlace(t *testing.T) {
	for _, place := range []Place{
		{Set: true, At: 6787705630}, {Set: true, At: 6787705630, Seq: 73}, {Set: true, At: time.Minute, Seq: 1, Sum: "ab"},
		{Set: true},
	} {
		q, err := url.ParseQuery(place.Query())
		if back := ReadPlace(q.Get); err != nil || back != place {
			t.Errorf("%s is %+v, %v, want %+v", place.Query(), back, err, place)
		}
	}
}
