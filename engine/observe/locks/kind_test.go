package locks_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// TestKinds checks that each sentence about a trouble has a kind, and each kind a sentence.
func TestKinds(t *testing.T) {
	text, err := os.ReadFile("../../../static/strings/en.json")
	if err != nil {
		t.Fatal(err)
	}
	var words map[string]any
	if err := json.Unmarshal(text, &words); err != nil {
		t.Fatal(err)
	}
	found := map[locks.Kind]bool{}
	for key := range words {
		if strings.HasPrefix(key, "trouble.") {
			a := locks.Alert{Sentence: sentence.Of(key)}
			found[a.Kind()] = true
		}
	}
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, locks.Kinds()) {
		t.Errorf("the sentences are of the kinds %v, not %v", got, locks.Kinds())
	}
}

// TestTroubles has each kind of trouble once, worst first.
func TestTroubles(t *testing.T) {
	r := locks.Row{}
	for _, key := range []string{"trouble.deadlock", "trouble.held.usual", "trouble.deadlock", "trouble.herd.was"} {
		r.Alerts = append(r.Alerts, locks.Alert{Sentence: sentence.Of(key)})
	}
	if got := r.Troubles(); !slices.Equal(got, []locks.Kind{locks.Deadlock, locks.Held, locks.Herd}) {
		t.Errorf("the kinds are %v", got)
	}
}

// TestOneLook puts old znodes in every kind of trouble, and looks at them once. That shows all kinds that need no past.
func TestOneLook(t *testing.T) {
	const old = began - int64(24*time.Hour/time.Millisecond)
	l := locks.New("/")
	put := func(path string, session int64) {
		l.Put(handover.Node{Path: path, Session: session, MadeMS: old, Plain: session == 0})
	}
	l.Put(handover.Node{Path: "/blocked/lock-0000000000", MadeMS: old})
	put("/blocked/lock-0000000001", 90)
	for i := range int64(12) {
		put(fmt.Sprintf("/waits/lock-%010d", i), i+1)
	}
	for i, name := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"} {
		put("/herd/lock-000000000"+name, int64(i)+20)
		put("/queue/qn-000000000"+name, 0)
		put("/service/leader/_c_9f3a6c1e-0b7d-4f55-9a1b-0123456789ab-latch-000000000"+name, int64(i)+40)
		put("/group/member"+name, int64(i)+60)
	}
	put("/rw/read-0000000003", 80)
	put("/rw/write-0000000002", 81)
	put("/listed/lock-0000000000", 90)
	put("/listed/lock-0000000001", 91)
	l.Begin(began)
	known := locks.Known{Watches: locks.Watches{AskedMS: began, Whole: true, Lists: map[string]int{"a:1": 1}}}
	known.Client = func(id int64) locks.Client {
		return locks.Client{Server: "a:1", Listed: id == 91, Silent: id == 20, Quiet: 8 * time.Second,
			Timeout: 10 * time.Second}
	}
	known.Watchers = func(path string) (all []int64) {
		if path == "/herd/lock-0000000000" {
			all = []int64{21, 22, 23, 24, 25, 26, 27}
		}
		return all
	}
	seen := map[locks.Kind]bool{}
	for _, r := range l.Summary(began, "/", known).Rows {
		for _, k := range r.Troubles() {
			if seen[k] = true; k.NeedsPast() {
				t.Errorf("%s has %s at once", r.Path, k)
			}
		}
	}
	for _, k := range locks.Kinds() {
		if !seen[k] && !k.NeedsPast() && k != locks.Deadlock {
			t.Errorf("one look doesn't show %s", k)
		}
	}
}
