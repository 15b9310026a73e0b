package trace_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
)

func sample() event.Log {
	return event.Log{
		Header: event.Header{Recipe: "unique-lock", Host: "sim", Root: "/zkviz/1", Clients: 2, Rounds: 1, Seed: 1<<64 - 1,
			Hold: -1, SessionTimeout: 10 * time.Second, Latency: time.Millisecond, Faults: []string{"crash client-1 at 2s"},
			Systems: []event.System{{Kind: event.ZooKeeperSystem, Servers: 3}, {Kind: "redis"}}, Promises: []string{"order"},
			Limits:  []string{"a", "b"},
			Parents: []string{"/a"}, Keeps: []string{"x-"}, Drawing: event.Drawing{Kind: event.DrawQueue, Queue: "q",
				Stores: []event.StoreDrawing{{Name: "printer", Form: event.StoreSheet, Trays: 2}, {}}}},
		Events: []event.Event{
			{Seq: 1, Kind: event.RunStarted, Text: "unique-lock"},
			{Seq: 2, At: 5, Cause: 1, Actor: 1, Kind: event.OpSent, Op: event.Create, Path: "/l<ö>", Mode: 1, N: 9, Line: 12},
			{Seq: 3, At: 5, Cause: 2, Peer: 1, Kind: event.WatchFired, Watch: event.ExistWatch, Type: 2, Session: -3, Zxid: -9,
				Code: -110},
			{Seq: 4, At: 9, Kind: event.ZnodeCreated, Path: strings.Repeat("/<", 100_000), Mode: 77, Type: 9},
			{Seq: 5, At: 9, Kind: event.RunEnded},
		},
	}
}

func write(t testing.TB, l event.Log) []byte {
	var buf bytes.Buffer
	w := trace.NewWriter(&buf, l.Header)
	for _, e := range l.Events {
		w.Append(e)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestTraceComesBack(t *testing.T) {
	got, err := trace.Read(bytes.NewReader(write(t, sample())))
	if err != nil || !reflect.DeepEqual(got, sample()) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestStoreOfOldTraces checks that old traces say only that there is a store, without its name or form.
func TestStoreOfOldTraces(t *testing.T) {
	l, err := trace.Read(strings.NewReader(`{"format":"zkviz-trace","version":2,"host":"sim","store":true}` + "\n"))
	if got := l.Header.Drawing.Stores; err != nil || len(got) != 1 || got[0] != (event.StoreDrawing{}) {
		t.Errorf("the stores are %+v, %v", got, err)
	}
}

const version1 = `{"format":"zkviz-trace","version":1,"recipe":"unique-lock","host":"sim","seed":"1"}` + "\n"

// TestLaterWords reads what a later program may write. Unknown fields are skipped, and an event with an unknown word
// becomes event.Unknown.
func TestLaterWords(t *testing.T) {
	header := `{"format":"zkviz-trace","version":2,"host":"mars","systems":[{"kind":"etcd","servers":3,"zone":"x"}],"wind":{"a":1}}` + "\n"
	for line, want := range map[string]event.Event{
		`{"seq":1,"at_ns":5,"kind":"op.sent","actor":"client-2","mood":"good"}`: {Seq: 1, At: 5, Kind: event.OpSent,
			Actor: 2},
		`{"seq":1,"at_ns":5,"kind":"vote.sent","actor":"server-3"}`: {Seq: 1, At: 5, Kind: event.Unknown,
			Text: "vote.sent"},
		`{"seq":1,"at_ns":5,"kind":"op.sent","actor":"quorum-1"}`: {Seq: 1, At: 5, Kind: event.Unknown,
			Text: "op.sent"},
		`{"seq":1,"at_ns":5,"kind":"op.sent","actor":7}`: {Seq: 1, At: 5, Kind: event.Unknown,
			Text: "op.sent"},
		`{"seq":1,"at_ns":5,"kind":"run.ended","reason":"boredom"}`: {Seq: 1, At: 5, Kind: event.Unknown,
			Text: "run.ended"},
		`{"seq":1,"at_ns":5,"kind":"op.sent","peer":"store-4","op":"get"}`: {Seq: 1, At: 5, Kind: event.OpSent,
			Peer: event.Store(4), Op: event.Get},
	} {
		got, err := trace.Read(strings.NewReader(header + line + "\n"))
		if err != nil || len(got.Events) != 1 || got.Events[0] != want {
			t.Errorf("%s: %+v, %v", line, got.Events, err)
		}
		if h := got.Header; h.Host != "mars" || len(h.Systems) != 1 ||
			!reflect.DeepEqual(h.Systems[0], event.System{Kind: "etcd", Servers: 3}) {
			t.Errorf("the header is %+v", h)
		}
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	whole := string(write(t, sample()))
	lines := strings.SplitAfter(whole, "\n")
	for name, c := range map[string]struct{ in, want string }{
		"empty":      {"", "empty"},
		"foreign":    {"GIF89a\n", "not a zkviz trace file"},
		"other JSON": {`{"format":"har","version":2}` + "\n", "not a zkviz trace file"},
		"newer": {`{"format":"zkviz-trace","version":3}` + "\n",
			"version 3; this program reads versions 1 to 2"},
		"version 0": {`{"format":"zkviz-trace"}` + "\n", "version 0"},
		"not the type": {`{"format":"zkviz-trace","version":2,"clients":"three"}` + "\n",
			`trace line 1: the header's "clients" has the wrong type: "three"`},
		"no seed": {`{"format":"zkviz-trace","version":2,"seed":"x"}` + "\n",
			`trace line 1: the header's "seed" has the wrong type: "x"`},
		"many servers": {`{"format":"zkviz-trace","version":2,"systems":[{"kind":"zookeeper","servers":1001}]}` + "\n",
			"a system must have between 0 and 1000 servers, not 1001"},
		"a crowd": {`{"format":"zkviz-trace","version":1,"clients":1000000000,"seed":"1"}` + "\n", "clients"},
		"less than no rounds": {`{"format":"zkviz-trace","version":1,"rounds":-1,"seed":"1"}` + "\n",
			"trace line 1: rounds must not be negative, but are -1"},
		"negative hold": {`{"format":"zkviz-trace","version":1,"hold_ns":-2,"seed":"1"}` + "\n",
			"trace line 1: the hold must not be negative, but is -2ns"},
		"negative timeout": {`{"format":"zkviz-trace","version":1,"session_timeout_ns":-9223372036854775808,"seed":"1"}` +
			"\n", "trace line 1: the session timeout must not be negative"},
		"negative latency": {`{"format":"zkviz-trace","version":1,"latency_ns":-1,"seed":"1"}` + "\n",
			"trace line 1: the latency must not be negative"},
		"centuries": {lines[0] + `{"seq":1,"at_ns":9223372036854775807,"kind":"op.sent"}` + "\n",
			"line 2: event 1 is at 2562047h47m16.854775807s, later than 876000h0m0s, the latest time allowed"},
		"cut off":      {whole[:len(lines[0])+len(lines[1])+20], "line 3: cut off"},
		"line gone":    {lines[0] + lines[1] + lines[3], "line 3: event 3 is where event 2 should be"},
		"unknown kind": {version1 + `{"seq":1,"at_ns":0,"kind":"op.lost"}` + "\n", `line 2: event 1: unknown kind "op.lost"`},
		"not JSON":     {lines[0] + "seq 1\n", "line 2: not an event"},
		"backwards": {lines[0] + `{"seq":1,"at_ns":5,"kind":"op.sent"}` + "\n" + `{"seq":2,"at_ns":4,"kind":"op.sent"}` +
			"\n", "line 3: event 2 is earlier"},
		"a billion": {version1 + `{"seq":1,"at_ns":5,"kind":"op.sent","actor":1000000000}` + "\n",
			"line 2: event 1: unknown actor \"1000000000\""},
		"no session": {lines[0] + `{"seq":1,"at_ns":5,"kind":"op.sent","session":"7"}` + "\n",
			`line 2: event 1: unknown session "7"`},
		"endless line": {lines[0] + strings.Repeat("x", trace.MaxLine+1), "line 2: longer than"},
	} {
		if _, err := trace.Read(strings.NewReader(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestReaderKnowsTheEnd(t *testing.T) {
	l := sample()
	for n := range l.Events {
		part := l
		part.Events = l.Events[:n+1]
		r, err := trace.NewReader(bytes.NewReader(write(t, part)))
		for err == nil {
			_, err = r.Next()
		}
		if want := n == len(l.Events)-1; r.Ended != want {
			t.Errorf("after %d events Ended is %v", n+1, r.Ended)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriterKeepsTheError(t *testing.T) {
	w := trace.NewWriter(full{}, event.Header{})
	w.Append(event.Event{Seq: 1, Kind: event.RunStarted})
	if err := w.Flush(); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("Flush: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, event.Log{Header: sample().Header, Events: sample().Events[:3]}))
	f.Fuzz(func(t *testing.T, src []byte) {
		l, err := trace.Read(bytes.NewReader(src))
		if err != nil {
			return
		}
		again, err := trace.Read(bytes.NewReader(write(t, l)))
		if err != nil || len(again.Events) != len(l.Events) {
			t.Fatalf("%d events come back as %d, %v", len(l.Events), len(again.Events), err)
		}
		for i, e := range l.Events {
			if again.Events[i] != e {
				t.Fatalf("%+v comes back as %+v", e, again.Events[i])
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	src := write(b, event.Log{Events: sample().Events[:3]})
	for b.Loop() {
		if _, err := trace.Read(bytes.NewReader(src)); err != nil {
			b.Fatal(err)
		}
	}
}
