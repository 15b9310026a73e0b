package fork

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

// TestSeenAsText: a comparison by the text of what was seen says the same as the fork itself, whether the run goes
// like that or not.
func TestSeenAsText(t *testing.T) {
	same := func(name string, f *Fork, s run.Scenario) string {
		t.Helper()
		seen, err := ParseSeen(f.Seen.String())
		if err != nil || seen.String() != f.Seen.String() || strings.ContainsAny(f.Seen.String(), "&+%# ") {
			t.Fatalf("%s: %q, %v", name, f.Seen.String(), err)
		}
		h, log, said := s.Header(event.Simulated), simulate(t, s), ""
		for _, x := range seen.Compare(h, slices.Values(log)) {
			said += told(x) + "\n"
		}
		want := ""
		for _, x := range f.Compare(h, slices.Values(log)) {
			want += told(x) + "\n"
		}
		if said != want {
			t.Errorf("%s: it says %q, not %q", name, said, want)
		}
		return said
	}
	f, err := Read(event.Header{Host: event.Joined}, joined(incident(t))).Fork(Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := of(t, f, "predecessor-lock")
	if said := same("as it was", &f, s); !strings.Contains(said, "as many sessions expire while they hold it: 1") {
		t.Errorf("it says %s", said)
	}
	s.Faults = []fault.Fault{}
	want := "1 session expired while holding it, and here 0 do"
	if said := same("without the pause", &f, s); !strings.Contains(said, want) {
		t.Errorf("it says %s", said)
	}
	name, err := Read(event.Header{Host: event.Joined}, slices.Values(logOf(made(0, 1, "/app/leader", 1),
		gone(second, 1, "/app/leader", event.ByOp), made(second, 2, "/app/leader", 2),
		gone(2*second, 2, "/app/leader", event.ByOp)))).Fork(Config{Path: "/app/leader"})
	if err != nil {
		t.Fatal(err)
	}
	same("a single znode", &name, of(t, name, recipes.Standing()[name.Kind()]))
	queue, err := Read(event.Header{Host: event.Joined}, slices.Values(logOf(made(second, 1, "/q/item-0000000001", 0),
		gone(2*second, 2, "/q/item-0000000001", event.ByOp)))).Fork(Config{})
	if err != nil {
		t.Fatal(err)
	}
	same("a queue", &queue, of(t, queue, recipes.Standing()[queue.Kind()]))
}

// TestStopped: about a run that is stopped at its limit on events, nothing else is said.
func TestStopped(t *testing.T) {
	f, err := Read(event.Header{Host: event.Joined}, joined(incident(t))).Fork(Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := of(t, f, "predecessor-lock")
	for _, most := range []int{5, 50} {
		s.MaxEvents = most
		said := ""
		for _, x := range f.Compare(s.Header(event.Simulated), slices.Values(simulate(t, s))) {
			said += told(x) + "\n"
		}
		if !strings.HasPrefix(said, "Played again, it's stopped at the limit on events, after ") ||
			strings.Count(said, "\n") != 1 || strings.Contains(said, "differs") {
			t.Errorf("of %d events it says %s", most, said)
		}
	}
}

// TestNoSeen: text that wasn't written as Seen is refused.
func TestNoSeen(t *testing.T) {
	for _, text := range []string{"", "lock_", "lock_1", "lock_1.2.3", "lock_1.2.3.4.5.6", "lock_1.-2",
		"lock_1.99999999999", "members_1.1", "nothing", "lock_x", "lock" + strings.Repeat("_1.1", MaxVisits+1)} {
		if _, err := ParseSeen(text); err != ErrSeen {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}
