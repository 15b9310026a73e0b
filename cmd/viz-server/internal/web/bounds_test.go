package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/hub"
	"github.com/zkviz/zkviz/engine/run"
)

func isBusy(err error) bool { return errors.As(err, new(busy)) }

// TestRoomsAreFew opens as many runs as one address may have, and as there may be.
func TestRoomsAreFew(t *testing.T) {
	rs := newRooms()
	for range MaxRoomsOfAsker {
		mustOpen(t, rs, "a")
	}
	if _, err := simRoom(rs, "a", 1); !isBusy(err) {
		t.Errorf("one more than an address may have: %v", err)
	}
	for range MaxRooms - MaxRoomsOfAsker {
		mustOpen(t, rs, "b")
	}
	mustOpen(t, rs, "c")
	all := func(*room) bool { return true }
	if n, a := rs.countWhere(all), rs.countWhere(func(r *room) bool { return r.owner == "a" }); n != MaxRooms || a != MaxRoomsOfAsker-1 {
		t.Errorf("%d runs are kept, %d of the address that has most; want %d and %d", n, a, MaxRooms, MaxRoomsOfAsker-1)
	}
}

// TestMemoryIsBounded lets the logs of two addresses grow as far as they may, each and all.
func TestMemoryIsBounded(t *testing.T) {
	rs := newRooms()
	grown := func(who asker) *room {
		r := rs.newRoom(hostObserved, who)
		if err := rs.open(r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, who := range []asker{"a", "b"} {
		for range MaxKeptOfAsker / MaxLiveBytes {
			r := grown(who)
			if err := r.grow(MaxLiveBytes); err != nil {
				t.Fatal(err)
			}
			if err := r.grow(1); !errors.Is(err, hub.ErrFull) {
				t.Errorf("a log of more than it may have: %v", err)
			}
		}
		if err := grown(who).grow(1); !isBusy(err) {
			t.Errorf("%s has %d bytes and gets another: %v", who, rs.logs.of[who], err)
		}
	}
	if rs.logs.total != MaxKept {
		t.Errorf("%d bytes are kept, want %d", rs.logs.total, MaxKept)
	}
	if err := grown("c").grow(1); err != nil || rs.logs.total != MaxKept-MaxLiveBytes+1 {
		t.Errorf("another address gets its first byte with %v, and %d are kept", err, rs.logs.total)
	}
}

// TestContendersInAll counts them over all rooms.
func TestContendersInAll(t *testing.T) {
	rs := newRooms()
	for i := range MaxContendersInAll / MaxContenders {
		r := rs.newRoom(hostZoo, asker(rune('a'+i%2)))
		if err := rs.open(r); err != nil {
			t.Fatal(err)
		}
		if err := rs.mayContend(r, MaxContenders); err != nil {
			t.Fatalf("room %d: %v", i+1, err)
		}
		r.setContenders(MaxContenders)
	}
	r := rs.newRoom(hostZoo, "c")
	if err := rs.open(r); err != nil {
		t.Fatal(err)
	}
	if err := rs.mayContend(r, 1); !isBusy(err) {
		t.Errorf("one more than there may be: %v", err)
	}
}

// TestSeatsOfTheServer takes all that there are.
func TestSeatsOfTheServer(t *testing.T) {
	s, err := New(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.patience != patience {
		t.Errorf("a page that takes nothing gets %s", s.patience)
	}
	if n := s.stages.sims.computing.slots; n < 1 || n > MaxComputing {
		t.Errorf("%d simulations are computed at once", n)
	}
	now := time.Now()
	take := func(who asker) error {
		x, err := s.seats.take(who, func() {}, now)
		if err == nil {
			x.follow(true)
		}
		return err
	}
	for i := range MaxSockets {
		who := asker("a")
		if i >= MaxSocketsOfAsker {
			who = asker(fmt.Sprint(i))
		}
		if err := take(who); err != nil {
			t.Fatalf("page %d: %v", i+1, err)
		}
	}
	if err := take("a"); !isBusy(err) {
		t.Errorf("one more than an address may have: %v", err)
	}
	if err := take("new"); err != nil || len(s.seats.taken) != MaxSockets {
		t.Errorf("another address: %v, and %d are connected", err, len(s.seats.taken))
	}
}

// TestEveryRunHasAnEnd: however a page asks for one.
func TestEveryRunHasAnEnd(t *testing.T) {
	s, err := New(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, m := range []Message{
		{Lesson: s.stages.book.Lessons[0].Slug},
		{Recipe: "unique-lock", Clients: 3},
		{Query: "recipe=unique-lock&clients=3"},
	} {
		if sc, _, err := s.stages.scenario(m); err != nil || sc.MaxEvents != MaxRunEvents || !sc.Lines {
			t.Errorf("%+v: up to %d events, lines %v, %v", m, sc.MaxEvents, sc.Lines, err)
		}
	}
}

// TestFaultsToBeginWithAreFew in a message and in a link.
func TestFaultsToBeginWithAreFew(t *testing.T) {
	for n, want := range map[int]bool{MaxOpenFaults: true, MaxOpenFaults + 1: false} {
		quoted, linked := make([]string, n), make([]string, n)
		for i := range n {
			quoted[i], linked[i] = `"crash client-1 at 1s"`, "fault=crash+client-1+at+1s"
		}
		_, err := ParseMessage([]byte(`{"do":"open","recipe":"unique-lock","faults":[` + strings.Join(quoted, ",") + `]}`))
		if (err == nil) != want {
			t.Errorf("a message with %d faults: %v", n, err)
		}
		_, err = asked("recipe=unique-lock&clients=2&" + strings.Join(linked, "&"))
		if (err == nil) != want {
			t.Errorf("a link with %d faults: %v", n, err)
		}
	}
}

// TestMessagesToTheByte: what is as long as it may be, and longer by one.
func TestMessagesToTheByte(t *testing.T) {
	sized := func(n int) string {
		const head, tail = `{"do":"resume","run":"`, `"}`
		return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
	}
	for _, c := range []struct {
		what, text string
		ok         bool
	}{
		{"a message", sized(MaxMessage), true},
		{"a message", sized(MaxMessage + 1), false},
		{"a path", `{"do":"observe","path":"/` + strings.Repeat("a", MaxPath-1) + `"}`, true},
		{"a path", `{"do":"observe","path":"/` + strings.Repeat("a", MaxPath) + `"}`, false},
		{"a hold", `{"do":"open","recipe":"unique-lock","hold_ms":3600000}`, true},
		{"a hold", `{"do":"open","recipe":"unique-lock","hold_ms":3600001}`, false},
		{"contenders", `{"do":"contend","clients":10}`, true},
		{"contenders", `{"do":"contend","clients":11}`, false},
		{"a fault", `{"do":"open","recipe":"unique-lock","faults":["bogus"]}`, false},
		{"a lesson with clients", `{"do":"open","lesson":"x","clients":1}`, false},
		{"a lesson with rounds", `{"do":"open","lesson":"x","rounds":1}`, false},
		{"a lesson with a seed", `{"do":"open","lesson":"x","seed":1}`, false},
		{"a lesson with a hold", `{"do":"open","lesson":"x","hold_ms":1}`, false},
		{"a lesson with a fault", `{"do":"open","lesson":"x","faults":["crash client-1 at 1s"]}`, false},
		{"a query with clients", `{"do":"open","query":"recipe=x","clients":1}`, false},
		{"a character that no path has", `{"do":"observe","path":"/\u009f"}`, false},
		{"the one after it", `{"do":"observe","path":"/\u00a0"}`, true},
		{"a private character", `{"do":"observe","path":"/\uf8ff"}`, false},
		{"the one after it", `{"do":"observe","path":"/\uf900"}`, true},
		{"a special character", `{"do":"observe","path":"/\ufff0"}`, false},
		{"a space", `{"do":"observe","path":"/ "}`, true},
		{"what comes before it", `{"do":"observe","path":"/\u001f"}`, false},
		{"a part of one dot", `{"do":"observe","path":"/a/./b"}`, false},
		{"a part of three", `{"do":"observe","path":"/..."}`, true},
	} {
		if _, err := ParseMessage([]byte(c.text)); (err == nil) != c.ok {
			t.Errorf("%s (%d bytes): %v", c.what, len(c.text), err)
		}
	}
}

// TestKeptPagesAreBounded: those that differ by their query, which count with it.
func TestKeptPagesAreBounded(t *testing.T) {
	m := newMaking()
	const size = 1 << 20
	text := strings.Repeat("x", size)
	for i := range 2*maxStill/size + 1 {
		key := stillKey{path: "/lab", query: fmt.Sprint(i)}
		if _, _, err := m.page(accepting(""), key, func() (templ.Component, error) { return templ.Raw(text), nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(m.still.byKey); m.still.weight > maxStill || n != maxStill/size-1 {
		t.Errorf("%d pages of %d bytes are kept, with their queries %d, and there may be %d", n, size, m.still.weight, maxStill)
	}
	m = newMaking()
	query := strings.Repeat("q", maxStill)
	if _, _, err := m.page(accepting(""), stillKey{query: query}, func() (templ.Component, error) { return templ.Raw("x"), nil }); err != nil || m.still.weight > 0 {
		t.Errorf("a query of %d bytes is kept: %v", len(query), err)
	}
}

// TestOnlyWhatThereIsIsRemembered: pictures of steps that there are, recipes that there are.
func TestOnlyWhatThereIsIsRemembered(t *testing.T) {
	s, err := New(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	slug := s.stages.book.Lessons[0].Slug
	for i := range 100 {
		name := fmt.Sprint("none-", i)
		for _, key := range []pictureKey{{slug, name, false}, {name, name, true}} {
			if _, ok, err := s.site.pictures.of(t.Context(), "a", key); ok || err != nil {
				t.Errorf("%v is a picture: %v", key, err)
			}
		}
		s.site.recipeSource(name)
	}
	if p, r := len(s.site.pictures.known), len(s.site.sources.byKey); p > 0 || r > maxSources {
		t.Errorf("%d pictures and %d sources are remembered", p, r)
	}
	if most := s.site.sources.most; most != maxSources {
		t.Errorf("there may be %d sources", most)
	}
}

// TestWhatIsRememberedOfAskersIsBounded: of those who have computed, and of what was too slow.
func TestWhatIsRememberedOfAskersIsBounded(t *testing.T) {
	c, now := newComputing(1), time.Now()
	for i := range maxSpending + 100 {
		c.spend(asker(fmt.Sprint(i)), now.Add(-10*time.Second), now)
	}
	if len(c.spent) != maxSpending {
		t.Errorf("%d askers are remembered, want %d", len(c.spent), maxSpending)
	}
	c.spend("late", now, now.Add(forgetIn*10))
	if len(c.spent) != 1 {
		t.Errorf("%d askers are remembered who have long done nothing", len(c.spent))
	}
	s := newSimulations(newRooms(), new(strings.Builder), 1)
	defer s.close()
	for i := range maxTooSlow + 1 {
		s.tooSlow[logKey{1, byte(i), byte(i >> 8)}] = now
	}
	if _, err := s.get(t.Context(), "a", logKey{2}, func(context.Context, int) (run.Branch, error) {
		return run.Branch{}, context.DeadlineExceeded
	}); err != errTooSlow || len(s.tooSlow) != 1 {
		t.Errorf("%v, and %d slow runs are remembered", err, len(s.tooSlow))
	}
}

// TestSpendingHalves every forgetIn.
func TestSpendingHalves(t *testing.T) {
	now := time.Now()
	s := spending{time.Minute, now}
	for n, want := range []time.Duration{time.Minute, 30 * time.Second, 15 * time.Second} {
		if got := s.now(now.Add(time.Duration(n) * forgetIn)); got != want {
			t.Errorf("after %d times %s: %s, want %s", n, forgetIn, got, want)
		}
	}
}

// TestConnectionsAreHalfOfTheFiles, and never more than maxConnections.
func TestConnectionsAreHalfOfTheFiles(t *testing.T) {
	for files, all := range map[int]int{0: 4000, 1 << 20: 4000, 8000: 4000, 1000: 500, 3: 2} {
		if c := newConnections(files, nil); c.all != all || c.each != all/2 {
			t.Errorf("of %d files: %d connections, %d of each address; want %d and %d", files, c.all, c.each, all, all/2)
		}
	}
	if runtime.GOOS == "linux" && filesLimit() <= 0 {
		t.Error("how many files may be open is not known")
	}
}

// TestLargeFilesAreNotCompressed when the server starts, and small ones not at all.
func TestLargeFilesAreNotCompressed(t *testing.T) {
	for size, forms := range map[int]int{smallest - 1: 1, smallest: 3, mostPlain: 3, mostPlain + 1: 1} {
		a, err := loadAssets(fstest.MapFS{"a.css": {Data: make([]byte, size)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(a.byName["a.css"].forms); got != forms {
			t.Errorf("a file of %d bytes has %d forms, want %d", size, got, forms)
		}
	}
}

// TestFormsAreShort to the byte.
func TestFormsAreShort(t *testing.T) {
	g := newGuard("", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := r.Body.Read(make([]byte, 2*maxForm))
		if n != maxForm || err != nil {
			t.Errorf("the handler gets %d bytes, %v", n, err)
		}
	}), "/form")
	for size, want := range map[int]int{maxForm: 200, maxForm + 1: 413} {
		r := httptest.NewRequest("POST", "http://localhost/form", strings.NewReader(strings.Repeat("x", size)))
		r.Header.Set("Origin", "http://localhost")
		w := httptest.NewRecorder()
		if g.ServeHTTP(w, r); w.Code != want || want != 200 && w.Header().Get("Connection") != "close" {
			t.Errorf("a form of %d bytes: %d, %v, want %d", size, w.Code, w.Header(), want)
		}
	}
}

// TestEveryAnswerSaysWhatItMayDo, refusals, too.
func TestEveryAnswerSaysWhatItMayDo(t *testing.T) {
	want := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
			"connect-src 'self'; frame-src 'self'; manifest-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'self'; object-src 'none'",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "same-origin",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	}
	g := newGuard("", http.NotFoundHandler(), "/form")
	for status, r := range map[int]*http.Request{
		404: httptest.NewRequest("GET", "http://localhost/", nil),
		421: httptest.NewRequest("GET", "http://evil.example/", nil),
		405: httptest.NewRequest("PUT", "http://localhost/form", nil),
		403: httptest.NewRequest("POST", "http://localhost/form", nil),
		400: httptest.NewRequest("GET", "http://localhost/", strings.NewReader("body")),
	} {
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		for name, value := range want {
			if got := w.Header().Get(name); got != value {
				t.Errorf("the answer %d has the %s %q, want %q", w.Code, name, got, value)
			}
		}
		if w.Code != status || (w.Header().Get("Connection") == "close") != (status != 404) || (w.Header().Get("Allow") == "GET, HEAD") != (status == 405) {
			t.Errorf("%s %s: %d %v, want %d", r.Method, r.URL, w.Code, w.Header(), status)
		}
	}
	if picturePolicy != "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox" {
		t.Errorf("a picture by itself may do %s", picturePolicy)
	}
}

// stuckCluster lets a run go on until it is told to stop, and takes no faults. It never sees the end of what it observes.
type stuckCluster struct {
	Cluster
	scenario run.Scenario
	run      func(ctx context.Context, sink event.Sink) error
}

func (c *stuckCluster) Place(s run.Scenario) run.Scenario { return s }
func (c *stuckCluster) Run(ctx context.Context, s run.Scenario, sink event.Sink, _ <-chan fault.Fault) error {
	c.scenario = s
	return c.run(ctx, sink)
}

// TestARunOnTheClusterHasAnEnd: its log takes MaxLiveEvents and what it still says when it is stopped then.
func TestARunOnTheClusterHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zk := &stuckCluster{run: func(ctx context.Context, sink event.Sink) error {
			for s := event.Seq(1); ctx.Err() == nil; s++ {
				sink.Append(event.Event{Seq: s, Kind: event.RunStarted})
			}
			return ctx.Err()
		}}
		rs := newRooms()
		defer rs.close()
		r, err := newLive(Config{Cluster: zk}).open(rs, "a", run.Scenario{Recipe: "unique-lock", Clients: 2}.WithDefaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		<-r.done
		if got := r.branches[0].log.Status(); got.Next != MaxLiveEvents+lastWords+1 || !got.Ended || zk.scenario.MaxEvents != MaxLiveEvents {
			t.Errorf("the log of a run of up to %d events ends as %+v", zk.scenario.MaxEvents, got)
		}
	})
}

// TestFaultsWaitForTheRun, a few of them.
func TestFaultsWaitForTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zk := &stuckCluster{run: func(ctx context.Context, _ event.Sink) error { <-ctx.Done(); return ctx.Err() }}
		rs := newRooms()
		defer rs.close()
		r, err := newLive(Config{Cluster: zk}).open(rs, "a", run.Scenario{Recipe: "unique-lock", Clients: 2}.WithDefaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := fault.Parse("crash client-1 at 1s")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 9 {
			if err := r.carryOut(t.Context(), 0, f); (err == nil) != (i < 8) {
				t.Errorf("fault %d: %v", i+1, err)
			}
		}
	})
}
