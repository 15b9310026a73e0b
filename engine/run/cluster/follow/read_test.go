package follow

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/run/cluster"
)

// all asks for everything that is read.
var all = Ask{Path: "/", Herds: true}

// TestReading compares the reports on a tree with what is known: nothing about a lock before every znode by which
// it is held or awaited is read, however long nothing comes; then everything; and the last state, with its age,
// while nothing can be seen or the tree is read again.
func TestReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReading("/", func() {})
		report := func() Report {
			t.Helper()
			got, err := r.report(t.Context(), all, func() (k locks.Known, untold []sentence.Sentence) { return k, nil })
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		found := func(path string, session int64) {
			r.Append(event.Event{Kind: event.ZnodeFound, Path: path, Session: session, N: 1, Zxid: 1})
		}
		has := func(what string, rows, found int, reading bool) {
			t.Helper()
			if got := report(); len(got.Rows) != rows || got.Found != found || got.Reading != reading || got.Away != "" {
				t.Errorf("%s: %+v", what, got)
			}
		}
		has("before anything", 0, 0, true)
		from := time.Now()
		r.Append(event.Event{Kind: event.RunStarted, N: from.UnixMilli()})
		found("/", 0)
		found("/l", 0)
		r.isLeft("/l/lock-0000000001", true)
		found("/l/lock-0000000002", 2)
		has("before it's whole", 0, 3, true)
		found("/m", 0)
		found("/m/lock-0000000007", 7)
		has("of what is whole", 1, 5, true)
		synctest.Wait()
		go func() {
			time.Sleep(time.Second)
			found("/l/lock-0000000001", 1)
			r.isLeft("/l/lock-0000000001", false)
			r.isWhole()
		}()
		from = time.Now()
		has("it waits for that", 2, 6, false)
		if took := time.Since(from); took != time.Second {
			t.Errorf("it waits for %v", took)
		}
		time.Sleep(20 * time.Second)
		has("while nobody knows yet that nothing comes", 2, 6, false)
		lost := time.Now()
		r.Append(event.Event{Kind: event.Disconnected, Text: "gone", N: 5000})
		time.Sleep(time.Hour)
		got := report()
		if got.Away != "gone" || len(got.Rows) != 2 || got.Rows[0].Holding[0].Session != 1 ||
			got.AsOfMS != lost.UnixMilli()-5000 || got.Rows[0].AsOfMS != got.AsOfMS {
			t.Errorf("while it's away: %+v", got)
		}
		r.Append(event.Event{Kind: event.Reconnected})
		r.isLeft("/l/lock-0000000001", true)
		got = report()
		for _, row := range got.Rows {
			if want := map[string]int64{"/l": lost.UnixMilli() - 5000}[row.Path]; row.AsOfMS != want {
				t.Errorf("before it's read again, %s is as of %d, not %d", row.Path, row.AsOfMS, want)
			}
		}
		r.isLeft("/l/lock-0000000001", false)
		has("when it's back", 2, 6, false)
		r.Append(event.Event{Kind: event.RunStarted, N: 2})
		r.isLeft("/l", true)
		r.isLeft("/m", true)
		has("while it's read once more", 2, 0, true)
		r.Append(event.Event{Kind: event.RecipeNote, Reason: event.LeftMissing, Path: "/"})
		r.isLeft("/l", false)
		r.isLeft("/m", false)
		r.isWhole()
		if got := report(); !got.Missing || got.Reading || len(got.Rows) != 0 {
			t.Errorf("of what isn't there: %+v", got)
		}
	})
}

// TestReadingWithoutQuorum: what a server without quorum still has is as of the time at which the quorum was lost,
// whether or not it was seen before, until there is one again.
func TestReadingWithoutQuorum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReading("/", func() {})
		holds := func(what string, asOf time.Time, want time.Duration) {
			t.Helper()
			got, err := r.report(t.Context(), all, func() (k locks.Known, untold []sentence.Sentence) {
				k.Client = func(int64) (c locks.Client) {
					if asOf.IsZero() {
						c.Addr = "a:1"
					}
					c.Silent = !asOf.IsZero()
					return c
				}
				return k, nil
			})
			var asOfMS int64
			if !asOf.IsZero() {
				asOfMS = asOf.UnixMilli()
			}
			now := time.Now().UnixMilli()
			if err != nil || len(got.Rows) != 1 || got.ReadOnly != (asOfMS != 0) || got.Rows[0].AsOfMS != asOfMS ||
				got.AsOfMS != asOfMS || got.ReadOnly && len(got.Rows[0].Alerts) > 0 {
				t.Fatalf("%s: %v, %+v", what, err, got)
			}
			row := &got.Rows[0]
			held := row.At(now) - row.Holding[0].GotMS
			if held != want.Milliseconds() || row.Holding[0].Client.Addr != "a:1" {
				t.Errorf("%s it's held for %d ms, not %v: %+v", what, held, want, row)
			}
		}
		note := func(why event.Reason) { r.Append(event.Event{Kind: event.RecipeNote, Reason: why}) }
		begins := func() {
			r.Append(event.Event{Kind: event.RunStarted, N: time.Now().UnixMilli()})
			r.Append(event.Event{Kind: event.ZnodeFound, Path: "/l/lock-0000000001", Session: 1, N: 1, Zxid: 1})
			r.isWhole()
		}
		begins()
		time.Sleep(41 * time.Second)
		holds("with a quorum", time.Time{}, 41*time.Second)
		lost := time.Now()
		r.Append(event.Event{Kind: event.Disconnected, Text: "gone"})
		time.Sleep(7 * time.Second)
		r.Append(event.Event{Kind: event.Reconnected})
		note(event.LeftDeep)
		note(event.LeftReadOnly)
		r.isWhole()
		time.Sleep(time.Hour)
		holds("without one", lost, 41*time.Second)
		r.Append(event.Event{Kind: event.Disconnected, Text: "gone", N: 3})
		r.Append(event.Event{Kind: event.Reconnected})
		holds("by another without one", lost, 41*time.Second)
		note(event.LeftNothing)
		holds("with one again", time.Time{}, 41*time.Second+7*time.Second+time.Hour)
		r.isWhole()
		time.Sleep(time.Second)
		lost = time.Now()
		note(event.LeftReadOnly)
		time.Sleep(time.Second)
		holds("without one once more", lost, 41*time.Second+7*time.Second+time.Hour+time.Second)

		r = newReading("/", func() {})
		r.was.Client = func(int64) locks.Client { return locks.Client{Addr: "a:1"} }
		begins()
		note(event.LeftReadOnly)
		from := time.Now()
		time.Sleep(time.Minute)
		holds("without one from the beginning", from, 0)
	})
}

// TestReadingNames asks for the data of all holders, though not for all at once, and says how many are still to come.
func TestReadingNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReading("/", func() {})
		const n = mostWanted + 7
		found := func(path string, text string, zxid int64) {
			r.Append(event.Event{Kind: event.ZnodeFound, Path: path, Session: 1, N: 1, Zxid: zxid, Code: 4, Text: text})
		}
		named := func(what string, naming int, wait time.Duration) {
			t.Helper()
			from := time.Now()
			got, err := r.report(t.Context(), all, func() (k locks.Known, untold []sentence.Sentence) { return k, nil })
			if took := time.Since(from); err != nil || got.Naming != naming || took != wait {
				t.Errorf("%s %d are still to come, not %d, after %v: %v", what, got.Naming, naming, took, err)
			}
		}
		r.Append(event.Event{Kind: event.RunStarted, N: 1})
		for i := range n {
			found("/l"+strconv.Itoa(i)+"/lock-0000000000", "", 1)
		}
		r.isWhole()
		named("at first", n, readingWait)
		late := <-r.wants
		for range mostWanted - 1 {
			found(<-r.wants, "data", 0)
		}
		named("without those that there's no room for", n-mostWanted+1, readingWait)
		for range n - mostWanted {
			found(<-r.wants, "data", 0)
		}
		named("without the last", 1, readingWait)
		found(late, "data", 0)
		named("with all", 0, 0)
	})
}

// TestReadingGoesOn for as long as a page asks, be it once a minute, and for a while after that.
func TestReadingGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(cluster.Cluster{})
		defer l.Close()
		ctx, end := context.WithCancel(t.Context())
		defer end()
		l.read["/"] = newReading("/", end)
		l.readingOf("/")
		l.all.Go(func() { l.endIdle(ctx, l.read["/"]) })
		for range 5 {
			time.Sleep(time.Minute)
			synctest.Wait()
			if ctx.Err() != nil {
				t.Fatal("it has ended while a page still asks")
			}
			l.readingOf("/")
		}
		time.Sleep(readingIdle)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Error("it goes on though nobody asks")
		}
	})
}

// TestReadingEnds: a caller that waits for a tree can stop, and learns at once if the tree can't be read.
func TestReadingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := time.Now()
		r := newReading("/", func() {})
		go func() {
			time.Sleep(time.Second)
			r.Append(event.Event{Kind: event.Disconnected, Text: "no"})
		}()
		ask := func() (k locks.Known, untold []sentence.Sentence) { return k, nil }
		got, err := r.report(t.Context(), all, ask)
		if err != nil || got.Away != "no" || !got.Reading || time.Since(from) != time.Second {
			t.Errorf("after %v %v, %+v", time.Since(from), err, got)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		stop(errors.New("stopped"))
		if _, err := newReading("/", func() {}).report(ctx, all, ask); err == nil || err.Error() != "stopped" {
			t.Errorf("it ends with %v", err)
		}
	})
}

// TestClient uses the servers' own limit for silence, and says how long it has lasted by now.
func TestClient(t *testing.T) {
	at := time.Unix(1000, 0)
	r := sessions.Report{At: at, Sessions: []sessions.Session{
		{ID: 1, Client: "a:1", Heard: at.Add(-7 * time.Second), Timeout: 12 * time.Second},
		{ID: 2, Heard: at.Add(-5 * time.Second), Timeout: 12 * time.Second}}}
	for _, c := range []struct {
		id   int64
		want locks.Client
	}{
		{1, locks.Client{Addr: "a:1", Silent: true, Quiet: 9 * time.Second, Timeout: 12 * time.Second}},
		{2, locks.Client{Quiet: 7 * time.Second, Timeout: 12 * time.Second}}, // it may have been heard since
		{3, locks.Client{}},
	} {
		if got := client(r, c.id, at.Add(2*time.Second)); got != c.want {
			t.Errorf("%d: %+v", c.id, got)
		}
	}
}
