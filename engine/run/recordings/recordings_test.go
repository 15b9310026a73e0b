package recordings_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/recordings"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// began is when the first recording begins; each next one begins a minute later.
var began = time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)

// server has recordings, and others' by NATS.
type server struct {
	*recordings.Shelf
	t      *testing.T
	ctx    context.Context // ends before the test's patience does
	folder *record.Folder
	dir    string
	bus    *shared.Bus
	stop   func()
}

// clusters says what a cluster's name stands for. Others may see the recordings of "a" and "b".
func clusters(name string) recordings.Cluster {
	return recordings.Cluster{Group: "group " + name, Label: "label " + name, Shared: name == "a" || name == "b"}
}

func open(t *testing.T, url string) *shared.Bus {
	t.Helper()
	bus, err := shared.Open(t.Context(), shared.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	return bus
}

// serve starts a server. records says whether it has a folder.
func serve(t *testing.T, url string, records bool) *server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	s := &server{t: t, ctx: ctx, dir: t.TempDir(), bus: open(t, url)}
	if records {
		var err error
		if s.folder, err = record.Open(record.Config{Dir: s.dir, Max: record.MinBytes}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.folder.Close() })
	}
	s.Shelf = recordings.New(recordings.Config{Folder: s.folder, Of: clusters, Bus: func() *shared.Bus { return s.bus }})
	serving, end := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { s.Run(serving) })
	s.stop = func() { end(); running.Wait() }
	t.Cleanup(s.stop)
	return s
}

// record records a log of a cluster's path that begins so many minutes after the first, with a number of znodes.
func (s *server) record(cluster, path string, minute, znodes int) {
	s.t.Helper()
	h := event.Header{Host: event.Observed, Root: path}
	before := len(s.folder.List())
	err := s.folder.Recorded(cluster, h, func(_ context.Context, sink event.Sink) error {
		at := began.Add(time.Duration(minute) * time.Minute)
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted, N: at.UnixMilli()})
		for i := range znodes {
			sink.Append(event.Event{Seq: event.Seq(i + 2), At: time.Second, Kind: event.ZnodeCreated,
				Path: fmt.Sprintf("%s/%d-%s", path, i, strings.Repeat("z", 100))})
		}
		end := event.EndOf(context.Canceled)
		end.Seq, end.At = event.Seq(znodes+2), 2*time.Second
		sink.Append(end)
		return nil
	})(s.t.Context(), event.Tee{})
	if err != nil {
		s.t.Fatal(err)
	}
	for done := false; !done; time.Sleep(time.Millisecond) { // it's written beside
		all := s.folder.List()
		done = len(all) > before
		for _, r := range all {
			done = done && !r.Live
		}
	}
}

// knows waits until a server finds so many recordings.
func (s *server) knows(n int) recordings.Found {
	s.t.Helper()
	for {
		f := s.Find(s.ctx, recordings.Query{All: true, Count: 1000})
		if f.All == n && f.Silent == 0 {
			return f
		}
		if s.ctx.Err() != nil {
			s.t.Fatalf("it finds %+v, not %d", f, n)
		}
		time.Sleep(time.Millisecond)
	}
}

func (s *server) read(id string) ([]byte, error) {
	r, err := s.Open(s.t.Context(), id)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// text prints what was found, without what differs each time.
func text(f recordings.Found, names map[string]string) string {
	var b strings.Builder
	for _, r := range f.Rows {
		folder, _, _ := strings.Cut(r.ID, ".")
		fmt.Fprintf(&b, "%s at %s of %s from %s, %d events, elsewhere: %v\n", r.Path, names[folder], r.Label,
			r.From.UTC().Format("15:04"), r.Events, r.Elsewhere)
	}
	return b.String()
}

// TestServersShare has recordings at two servers, and finds and reads them at each, and at a third one that records
// nothing.
func TestServersShare(t *testing.T) {
	n := natstest.Start(t)
	one, two, three := serve(t, n.URL(), true), serve(t, n.URL(), true), serve(t, n.URL(), false)
	one.record("a", "/app", 0, 3)
	one.record("b", "/app/lock", 1, 2000) // several pieces
	one.record("secret", "/app", 2, 3)
	two.record("a", "/app", 3, 4)
	two.record("a", "/other", 4, 5)
	names := map[string]string{one.folder.ID(): "one", two.folder.ID(): "two"}
	for _, c := range []struct {
		at   *server
		q    recordings.Query
		n    int
		want string
	}{
		{three, recordings.Query{All: true, Count: 10}, 4,
			`/other at two of label a from 03:04, 7 events, elsewhere: true
/app at two of label a from 03:03, 6 events, elsewhere: true
/app/lock at one of label b from 03:01, 2002 events, elsewhere: true
/app at one of label a from 03:00, 5 events, elsewhere: true
`},
		{two, recordings.Query{All: true, Skip: 1, Count: 2}, 4,
			`/app at two of label a from 03:03, 6 events, elsewhere: false
/app/lock at one of label b from 03:01, 2002 events, elsewhere: true
`},
		{one, recordings.Query{All: true, Count: 3}, 5, `/other at two of label a from 03:04, 7 events, elsewhere: true
/app at two of label a from 03:03, 6 events, elsewhere: true
/app at one of label secret from 03:02, 5 events, elsewhere: false
`},
		{two, recordings.Query{Group: "group b", Count: 10}, 1,
			`/app/lock at one of label b from 03:01, 2002 events, elsewhere: true
`},
		{two, recordings.Query{All: true, Path: "/app/lock/x", Count: 10}, 3,
			`/app at two of label a from 03:03, 6 events, elsewhere: false
/app/lock at one of label b from 03:01, 2002 events, elsewhere: true
/app at one of label a from 03:00, 5 events, elsewhere: true
`},
		{three, recordings.Query{All: true, AtMS: began.Add(time.Minute + time.Second).UnixMilli(), Count: 10}, 1,
			`/app/lock at one of label b from 03:01, 2002 events, elsewhere: true
`},
		{three, recordings.Query{Group: "group secret", Count: 10}, 0, ""},
	} {
		c.at.knows(map[*server]int{one: 5, two: 4, three: 4}[c.at])
		f := c.at.Find(t.Context(), c.q)
		if got := text(f, names); got != c.want || f.All != c.n {
			t.Errorf("%+v finds %d:\n%s\nnot %d:\n%s", c.q, f.All, got, c.n, c.want)
		}
	}
	for _, r := range three.knows(4).Rows {
		want, err := os.ReadFile(fileOf(one, two, r))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*server{one, two, three} {
			if got, err := s.read(r.ID); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes, %v, not %d", r.ID, len(got), err, len(want))
			}
		}
	}
	hidden := one.Find(t.Context(), recordings.Query{Group: "group secret", Count: 1}).Rows[0].ID
	if _, err := one.read(hidden); err != nil {
		t.Error("its own server can't read what isn't shared: ", err)
	}
	mine := one.folder.ID()
	for _, id := range []string{hidden, mine + ".../record.id", "record.id", mine + ".record.id", mine + ".", ""} {
		if got, err := two.read(id); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("another server reads %s: %q, %v", id, got, err)
		}
	}
}

// fileOf returns the file of a recording.
func fileOf(one, two *server, r recordings.Recording) string {
	s := one
	if strings.HasPrefix(r.ID, two.folder.ID()) {
		s = two
	}
	return s.dir + "/" + r.Name
}

// TestServerGoes checks that what a server that is gone had isn't found any more, that a reader of it gets an error
// and not an end, and that all is there again when it is.
func TestServerGoes(t *testing.T) {
	n := natstest.Start(t)
	link := n.Relay(t)
	one, two := serve(t, link.URL(), true), serve(t, n.URL(), true)
	one.record("a", "/app", 0, 2000)
	id := two.knows(1).Rows[0].ID
	reader, err := two.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if _, err := io.ReadFull(reader, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	link.Cut()
	if rest, err := io.ReadAll(reader); !errors.Is(err, recordings.ErrAway) {
		t.Errorf("a reader of what is gone gets %d bytes and %v", len(rest), err)
	}
	if f := two.Find(t.Context(), recordings.Query{All: true, Count: 1}); f.All != 0 || f.Silent != 1 {
		t.Errorf("while nobody knows that it's gone, %+v is found", f)
	}
	if _, err := two.Open(t.Context(), id); !errors.Is(err, recordings.ErrAway) {
		t.Errorf("opening it: %v", err)
	}
	link.Heal()
	two.knows(1)
	if got, err := two.read(id); err != nil || len(got) < 1000 {
		t.Errorf("when it is back: %d bytes, %v", len(got), err)
	}
	one.stop()
	two.knows(0) // without anybody who doesn't answer
}

// TestLongLists checks that a list comes in as many parts as it takes.
func TestLongLists(t *testing.T) {
	n := natstest.Start(t)
	one, two := serve(t, n.URL(), true), serve(t, n.URL(), false)
	const all = 120
	long := "/" + strings.Repeat("p", 800)
	for i := range all {
		one.record("a", long, i, 1)
	}
	f := two.knows(all)
	for i, r := range f.Rows {
		if want := began.Add(time.Duration(all-1-i) * time.Minute); !r.From.Equal(want) || r.Path != long {
			t.Fatalf("row %d is from %v, not %v", i, r.From, want)
		}
	}
	if len(f.Rows) != all {
		t.Errorf("%d rows of %d", len(f.Rows), all)
	}
}

// TestLies checks that another server's answers can't do more than be wrong.
func TestLies(t *testing.T) {
	n := natstest.Start(t)
	honest, liar := serve(t, n.URL(), true), open(t, n.URL())
	honest.record("a", "/app", 0, 1)
	const folder = "aaaaaaaaaaaaaaaa"
	lease, err := liar.Own(t.Context(), "recordings-"+folder)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var answer []byte
	err = lease.Answer(func(context.Context, []byte) []byte {
		mu.Lock()
		defer mu.Unlock()
		return answer
	})
	if err != nil {
		t.Fatal(err)
	}
	say := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		answer = []byte(text)
	}
	row := func(name, path string, bytes int64, to time.Time) string {
		text, err := json.Marshal(map[string]any{"all": 1, "rows": []map[string]any{{"name": name, "label": "<b>",
			"path": path, "from": began, "to": to, "events": 1, "bytes": bytes}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const name = "20261126T030000.000Z-1_a_app.jsonl"
	hear := func() { _ = liar.Say("recordings", fmt.Appendf(nil, `{"folder":%q}`, folder)) }
	say(row(name, "/app", 100, began))
	for hear(); len(honest.Find(t.Context(), recordings.Query{All: true, Count: 10}).Rows) != 2; hear() {
		time.Sleep(time.Millisecond)
	}
	for _, lie := range []string{
		row("../../etc/passwd", "/app", 100, began), row("record.id", "/app", 100, began), row(name, "app", 100, began),
		row(name, "/app", -1, began), row(name, "/app", 1<<40, began), row(name, "/app", 100, began.Add(-1)),
		row(name, "/"+strings.Repeat("x", 5000), 100, began), `{"all":1e9,"rows":[]}`, `{`, ``, `null`, `[]`,
	} {
		say(lie)
		hear()
		f := honest.Find(t.Context(), recordings.Query{All: true, Count: 10})
		if len(f.Rows) != 1 || f.All > record.MaxSegments+1 {
			t.Errorf("%.80s is believed: %+v", lie, f)
		}
	}
	say(row(name, "/app", 100, began))
	for _, lie := range []string{"", "p", "f", "x", "g", "g and more", "p" + strings.Repeat("x", 60<<10)} {
		say(row(name, "/app", 100, began))
		r, err := honest.Open(t.Context(), folder+"."+name)
		if err != nil {
			t.Fatal(err)
		}
		say(lie)
		if got, err := io.ReadAll(r); err == nil {
			t.Errorf("%.20q is taken for %d bytes of a file", lie, len(got))
		}
		_ = r.Close()
	}
	say(row(name, "/app", 100, began))
	r, err := honest.Open(t.Context(), folder+"."+name)
	if err != nil {
		t.Fatal(err)
	}
	say("p" + strings.Repeat("x", 1000)) // more than there is
	if got, err := io.ReadAll(r); err != nil || len(got) != 100 {
		t.Errorf("of a file of 100 bytes, %d come: %v", len(got), err)
	}
	for _, m := range []string{`{"folder":"../x"}`, `{"folder":"AAAAAAAAAAAAAAAA"}`, `{`, `null`, `{"folder":""}`} {
		_ = liar.Say("recordings", []byte(m))
	}
	for i := range 10 * recordings.MaxFolders {
		_ = liar.Say("recordings", fmt.Appendf(nil, `{"folder":"%s"}`, strings.Map(letter, fmt.Sprintf("%016d", i))))
	}
	hear()
	lease.Release(t.Context())
	if f := honest.Find(t.Context(), recordings.Query{All: true, Count: 10}); len(f.Rows) != 1 ||
		f.Silent > recordings.MaxFolders {
		t.Errorf("in the end, %+v is found", f)
	}
}

// letter makes a letter of a digit.
func letter(r rune) rune { return 'a' + r%26 }
