package locks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// TestHerdStays: a herd that servers reported is remembered, with its age, while nobody knows who watches because
// the lock has changed hands or a server doesn't answer; until the servers report none, or it's long ago.
func TestHerdStays(t *testing.T) {
	l := locks.New("/")
	path := func(i int) string { return fmt.Sprintf("/l/lock-%010d", i) }
	for i := range 5 {
		l.Put(handover.Node{Path: path(i), Session: int64(i + 1), MadeMS: began})
	}
	l.Begin(began)
	whole := true
	says := func(atMS, askedMS int64, watched, want string) {
		t.Helper()
		k := locks.Known{Watches: locks.Watches{AskedMS: began + askedMS, Whole: whole, Watchers: func(at string) []int64 {
			if at == watched {
				return []int64{3, 4, 5}
			}
			return nil
		}}}
		if got := text(l.Summary(began+atMS, "/", k)); (want == "") == strings.Contains(got, "trouble.herd") ||
			!strings.Contains(got, want) {
			t.Errorf("at %d ms it doesn't say %q: %s", atMS, want, got)
		}
	}
	says(2000, 1000, path(0), "trouble.herd(3, lock-0000000000)")
	whole = false
	says(12_000, 10_000, "", "trouble.herd.before(3, lock-0000000000, 11 s)")
	whole = true
	l.Apply(&event.Event{Kind: event.ZnodeDeleted, Path: path(0), Reason: event.ByOp}, began+3000, 1)
	l.Settle(began+3000, 7)
	says(13_000, 1000, path(0), "trouble.herd.was(3, lock-0000000000, 12 s)")
	says(1000+600_000, 1000, path(0), "")
	says(14_000, 1000, path(0), "trouble.herd.was(3, lock-0000000000, 13 s)")
	says(20_000, 15_000, "", "")
	says(21_000, 1000, "", "")
}

// TestHerdOfListsTakesBoth: servers say at different times who has listed children and who watches. Nothing is said of
// clients without a watch while either answer is from when they may still have been looking.
func TestHerdOfListsTakesBoth(t *testing.T) {
	for _, c := range []struct {
		askedMS, clientsMS int64 // since the last client came
		listed             bool
		want               string
	}{
		{5000, 500, false, ""},
		{500, 5000, true, ""},
		{5000, 1500, true, "trouble.herd.list(4)"},
		{5000, 1500, false, "trouble.blind(4)"},
		{5000, 0, false, "trouble.blind(4)"}, // it isn't known when
	} {
		l := locks.New("/")
		l.Begin(began - 10_000)
		for i := range int64(5) {
			l.Apply(&event.Event{Kind: event.ZnodeCreated, Path: fmt.Sprintf("/l/lock-%010d", i), Session: i + 1}, began, i+1)
		}
		l.Settle(began, 5)
		k := locks.Known{ClientsMS: c.clientsMS, Client: func(int64) locks.Client {
			return locks.Client{Server: "a:1", Listed: c.listed}
		}, Watches: locks.Watches{AskedMS: began + c.askedMS, Whole: true, Lists: map[string]int{"a:1": 4},
			Watchers: func(string) []int64 { return nil }}}
		if c.clientsMS != 0 {
			k.ClientsMS += began
		}
		got := text(l.Summary(began+6000, "/", k))
		if c.want == "" && strings.Contains(got, "trouble.") || !strings.Contains(got, c.want) {
			t.Errorf("asked after %d ms, told of clients after %d ms, it doesn't say %q: %s", c.askedMS, c.clientsMS,
				c.want, got)
		}
	}
}
