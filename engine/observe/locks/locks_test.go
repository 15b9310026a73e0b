package locks_test

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// began is when each incident begins, in ms since 1970.
const began = 1_700_000_000_000

// incident is a ZooKeeper whose transactions go to locks and, as a log of events shows them, to those of a log.
type incident struct {
	t     *testing.T
	state *replay.State
	locks *locks.Locks
	log   *locks.Log
	zxid  int64
	known locks.Known
}

func newIncident(t *testing.T) *incident {
	in := &incident{t: t, state: replay.New("/"), locks: locks.New("/"), log: locks.NewLog(locks.New("/"))}
	in.locks.Begin(began)
	in.log.Append(event.Event{Kind: event.RunStarted, N: began})
	return in
}

func (in *incident) apply(at time.Duration, x wire.Txn) {
	in.zxid++
	x.Zxid, x.TimeMS = in.zxid, began+at.Milliseconds()
	for _, f := range in.state.Apply(&x) {
		in.locks.Apply(&f.Event, x.TimeMS, f.By)
		e := f.Event
		e.At, e.Peer = at, event.Actor(f.By)
		in.log.Append(event.Event{Kind: event.SessionSeen, Peer: e.Peer, Session: f.By})
		in.log.Append(e)
	}
	in.locks.Settle(x.TimeMS, x.Zxid)
}

// do carries out a line: TIME create SESSION PATH [DATA], delete SESSION PATH, close SESSION, expire SESSION, with
// "every TIME until TIME" before it to repeat; * in a path or in data is the number of the repetition.
func (in *incident) do(line string) {
	words := strings.Fields(line)
	at, last, step := in.duration(words[0]), in.duration(words[0]), time.Second
	words = words[1:]
	if words[0] == "every" {
		step, last = in.duration(words[1]), in.duration(words[3])
		words = words[4:]
	}
	for n := 0; at <= last; at, n = at+step, n+1 {
		in.one(at, words, n)
	}
}

func (in *incident) duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		in.t.Fatal(err)
	}
	return d
}

func (in *incident) one(at time.Duration, words []string, n int) {
	arg := func(i int) string {
		if i >= len(words) {
			return ""
		}
		return strings.ReplaceAll(words[i], "*", fmt.Sprintf("%010d", n))
	}
	session, err := strconv.ParseInt(arg(1), 10, 64)
	if err != nil {
		in.t.Fatal(err)
	}
	x := wire.Txn{Session: session, Cxid: 1, Path: arg(2), Data: []byte(arg(3))}
	switch words[0] {
	case "create":
		x.Op, x.Ephemeral = wire.OpCreate, session != 0
	case "delete":
		x.Op = wire.OpDelete
	case "close":
		x.Op = wire.OpCloseSession
	case "expire":
		x.Op, x.Cxid = wire.OpCloseSession, 0
	default:
		in.t.Fatalf("%q", words)
	}
	in.apply(at, x)
}

// text writes a summary: a line for each row and below it what is wrong.
func text(s locks.Summary) string {
	var b strings.Builder
	for _, r := range s.Rows {
		fmt.Fprintf(&b, "%s: %s of %q", r.Path, r.Use, r.Whose)
		for _, h := range r.Holding {
			owner := "a znode of no session"
			if h.Session != 0 {
				owner = handover.SessionText(h.Session)
			}
			fmt.Fprintf(&b, "; %s %q since %v", owner, h.Data, ago(h.GotMS))
		}
		if r.Unsure > 0 {
			fmt.Fprintf(&b, "; %d unsure: %s", r.Unsure, r.Doubt)
		}
		fmt.Fprintf(&b, "; %d inside, %d wait, the first for %v, %d items, %+d; %d a minute\n", r.Inside, r.Waiting,
			time.Duration(r.LongestMS)*time.Millisecond, r.Items, r.Growth, r.Minute)
		if len(r.Turns) > 0 {
			t := r.Turns[0]
			fmt.Fprintf(&b, "  at %v from %s to %s: %s by %d\n", ago(t.TimeMS), path.Base(t.From.Path), path.Base(t.To.Path),
				t.Reason, t.By)
		}
		for _, w := range r.Wakes {
			fmt.Fprintf(&b, "  the end of %s wakes %d:%s\n", path.Base(w.Of.Path), w.Least, woken(w))
		}
		for _, a := range r.Alerts {
			fmt.Fprintf(&b, "  %d %s\n", a.Weight, a.Sentence)
		}
	}
	if s.Left > 0 {
		fmt.Fprintf(&b, "and %d more\n", s.Left)
	}
	return b.String()
}

func woken(w locks.Wake) (names string) {
	for _, one := range w.Whom {
		names += strings.TrimRight(" "+handover.SessionText(one.Session)+" "+one.Client.Addr, " ")
	}
	return names
}

func ago(ms int64) time.Duration { return time.Duration(ms-began) * time.Millisecond }

// TestGoldenIncidents plays incidents to which engineers on call are called. Locks that follow a log of events say
// the same.
func TestGoldenIncidents(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, file string) {
		in := newIncident(t)
		golden.Script(t, file, func(t *testing.T, d *datadriven.TestData) string {
			in.t = t
			switch d.Cmd {
			case "quiet":
				in.quiet(d)
				return ""
			case "watches":
				in.watches(d)
				return ""
			case "lists":
				in.lists(d)
				return ""
			}
			for line := range strings.Lines(d.Input) {
				in.do(line)
			}
			now, below := "", "/"
			d.ScanArgs(t, "now", &now)
			d.MaybeScanArgs(t, "below", &below)
			at := began + in.duration(now).Milliseconds()
			in.log.Done()
			write := text
			if d.Cmd == "line" {
				write = func(s locks.Summary) string { return lineText(s, at) }
			}
			got := write(in.locks.Summary(at, below, in.known))
			if log := write(in.log.Summary(at, below, in.known)); log != got {
				t.Errorf("the log has\n%s\nnot\n%s", log, got)
			}
			return got
		})
	})
}

// quiet sets how long ago a session was last heard.
func (in *incident) quiet(d *datadriven.TestData) {
	var session int64
	var ago, timeout string
	d.ScanArgs(in.t, "session", &session)
	d.ScanArgs(in.t, "ago", &ago)
	d.ScanArgs(in.t, "timeout", &timeout)
	in.known.Client = func(id int64) locks.Client {
		if id != session {
			return locks.Client{}
		}
		s := sessions.Session{Heard: time.Unix(0, 0), Timeout: in.duration(timeout)}
		quiet := in.duration(ago)
		return locks.Client{Addr: "10.0.0.1:5", Silent: s.Silent(s.Heard.Add(quiet)), Quiet: quiet, Timeout: s.Timeout}
	}
}

// watches sets who watches what when servers are asked, a line each: PATH SESSION…. With some, there is more.
func (in *incident) watches(d *datadriven.TestData) {
	var at string
	d.ScanArgs(in.t, "at", &at)
	all := map[string][]int64{}
	for line := range strings.Lines(d.Input) {
		words := strings.Fields(line)
		for _, word := range words[1:] {
			session, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				in.t.Fatal(err)
			}
			all[words[0]] = append(all[words[0]], session)
		}
	}
	in.known.AskedMS, in.known.Whole = began+in.duration(at).Milliseconds(), !d.HasArg("some")
	in.known.Watchers = func(path string) []int64 { return all[path] }
}

// lists sets how many child watches a server counts, and the sessions that are connected to it. Those that follow have
// listed children last.
func (in *incident) lists(d *datadriven.TestData) {
	var server string
	var n int
	d.ScanArgs(in.t, "server", &server)
	d.ScanArgs(in.t, "counts", &n)
	listed := strings.Fields(d.Input)
	in.known.Lists = map[string]int{server: n}
	in.known.Client = func(id int64) locks.Client {
		return locks.Client{Server: server, Listed: slices.Contains(listed, strconv.FormatInt(id, 10))}
	}
}

// TestSettledDoubt: a settled doubt has no reason: a reader that may wait for the writer behind it does.
func TestSettledDoubt(t *testing.T) {
	const reads, writes = "/l/00000000000000000000000000000001__rlock__0000000000",
		"/l/00000000000000000000000000000002__lock__0000000001"
	in := newIncident(t)
	for _, line := range []string{"0s create 0 /l", "1s create 1 " + reads, "1.5s create 2 " + writes} {
		in.do(line)
	}
	row := func() locks.Row { return in.locks.Summary(began+10_000, "/", in.known).Rows[0] }
	if r := row(); r.Unsure != 1 || r.Doubt != naming.WriterBehind {
		t.Errorf("nobody has been asked: %d unsure, %q", r.Unsure, r.Doubt)
	}
	for _, watches := range []bool{true, false} {
		in.known = locks.Known{Watches: locks.Watches{AskedMS: began + 10_000, Whole: true}}
		in.known.Watchers = func(path string) (all []int64) {
			if path == writes && watches {
				all = append(all, 1)
			}
			return all
		}
		if r := row(); r.Unsure != 0 || r.Doubt != "" {
			t.Errorf("it watches: %t; %d unsure, %q", watches, r.Unsure, r.Doubt)
		}
	}
}

// TestAnew: the tree is read again, and the holders keep their times.
func TestAnew(t *testing.T) {
	l := locks.New("/")
	put := func(session int64) {
		l.Put(handover.Node{Path: "/lock", MadeMS: began})
		l.Put(handover.Node{Path: "/lock/lock-0000000001", Session: session, MadeMS: began})
		l.Put(handover.Node{Path: "/gone/lock-0000000001", Session: session, MadeMS: began})
	}
	put(1)
	l.Begin(began)
	l.Apply(&event.Event{Kind: event.ZnodeDeleted, Path: "/lock/lock-0000000001", Reason: event.ByOp}, began+1000, 1)
	l.Apply(&event.Event{Kind: event.ZnodeCreated, Path: "/lock/lock-0000000002", Session: 2,
		Mode: uint8(zoo.EphemeralSequential)}, began+1000, 2)
	l.Settle(began+1000, 7)
	l.Anew()
	l.Put(handover.Node{Path: "/lock/lock-0000000002", Session: 2, MadeMS: began})
	l.Begin(began + 5000)
	s := l.Summary(began+6000, "/", locks.Known{})
	if len(s.Rows) != 1 || s.Rows[0].Path != "/lock" || s.FromMS != began {
		t.Fatal(text(s))
	}
	if h := s.Rows[0].Holding; len(h) != 1 || h[0].GotMS != began+1000 || h[0].Had || len(s.Rows[0].Turns) != 1 {
		t.Error(text(s))
	}
}

// TestAnewReaders: a read-write lock is still one when the tree is read again and only a writer is left.
func TestAnewReaders(t *testing.T) {
	const name = "/lock/0123456789abcdef0123456789abcdef__"
	l := locks.New("/")
	l.Put(handover.Node{Path: name + "rlock__0000000000", Session: 1})
	l.Put(handover.Node{Path: name + "lock__0000000001", Session: 2})
	l.Begin(began)
	l.Anew()
	l.Put(handover.Node{Path: name + "lock__0000000001", Session: 2})
	l.Begin(began + 5000)
	if s := l.Summary(began+6000, "/", locks.Known{}); len(s.Rows) != 1 || s.Rows[0].Use != naming.ReadWrite {
		t.Error(text(s))
	}
}

// TestBlockedBefore looks once at a line that was blocked long ago.
func TestBlockedBefore(t *testing.T) {
	for _, test := range []struct {
		made   int64
		alerts int
	}{{began - 60_000, 1}, {began - 1000, 0}} {
		l := locks.New("/")
		l.Put(handover.Node{Path: "/lock/lock-0000000001", MadeMS: test.made})
		l.Put(handover.Node{Path: "/lock/lock-0000000002", Session: 2, MadeMS: began})
		l.Begin(began)
		if s := l.Summary(began+500, "/", locks.Known{}); len(s.Rows) != 1 || len(s.Rows[0].Alerts) != test.alerts {
			t.Errorf("made %d ms before: %s", began-test.made, text(s))
		}
	}
}

// TestBounds exceeds the limits: some are left out, which is reported, and idle ones make room.
func TestBounds(t *testing.T) {
	l := locks.New("/")
	name := func(i int) string { return fmt.Sprintf("/l%d/lock-0000000001", i) }
	create := func(i int) {
		l.Apply(&event.Event{Kind: event.ZnodeCreated, Path: name(i), Session: 1,
			Mode: uint8(zoo.EphemeralSequential)}, began, 1)
		l.Settle(began+int64(i), int64(i))
	}
	for i := range locks.MaxThings + 10 {
		create(i)
	}
	s := l.Summary(began, "/", locks.Known{})
	if len(s.Rows) != locks.MaxThings || s.Left != 10 {
		t.Errorf("%d rows, %d left out", len(s.Rows), s.Left)
	}
	for i := range locks.MaxThings / 2 {
		l.Apply(&event.Event{Kind: event.ZnodeDeleted, Path: name(i)}, began, 1)
	}
	l.Settle(began, 1)
	for i := range locks.MaxThings {
		create(locks.MaxThings + 10 + i)
	}
	if s := l.Summary(began, "/", locks.Known{}); len(s.Rows) > locks.MaxThings || s.Left <= 10 {
		t.Errorf("%d rows, %d left out", len(s.Rows), s.Left)
	}
}

// BenchmarkTransactions hands over 100 locks of 100 clients each: two transactions a time.
func BenchmarkTransactions(b *testing.B) {
	state, l := replay.New("/"), locks.New("/")
	n := 0
	do := func(x wire.Txn) {
		n++
		x.Zxid, x.TimeMS, x.Cxid = int64(n), began+int64(n), 1
		for _, f := range state.Apply(&x) {
			l.Apply(&f.Event, x.TimeMS, f.By)
		}
		l.Settle(x.TimeMS, x.Zxid)
	}
	name := func(i int) string {
		return fmt.Sprintf("/app/lock-%d/_c_01234567-89ab-cdef-0123-456789abcdef-lock-%010d", i%100, i/100)
	}
	for i := range 10_000 {
		do(wire.Txn{Op: wire.OpCreate, Session: int64(i + 1), Path: name(i), Ephemeral: true})
	}
	for i := 0; b.Loop(); i++ {
		do(wire.Txn{Op: wire.OpCreate, Session: int64(i%10_000 + 1), Path: name(i + 10_000), Ephemeral: true})
		do(wire.Txn{Op: wire.OpDelete, Session: int64(i%10_000 + 1), Path: name(i)})
	}
}

// BenchmarkSummary summarizes 10,000 locks of ten clients each.
func BenchmarkSummary(b *testing.B) {
	l := locks.New("/")
	for i := range 10_000 {
		for j := range 10 {
			l.Put(handover.Node{Path: fmt.Sprintf("/l%d/lock-%010d", i, j), Session: int64(i), MadeMS: began})
		}
	}
	l.Begin(began)
	for b.Loop() {
		l.Summary(began+1000, "/", locks.Known{})
	}
}
