package room

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/trace"
)

// traceOf returns a trace file of n events.
func traceOf(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := trace.NewWriter(&b, event.Header{Host: event.Cluster, Recipe: "unique-lock", Clients: 2})
	for i := range n {
		w.Append(event.Event{Seq: event.Seq(i + 1), Kind: event.RecipeNote, Actor: 1, Text: "hm"})
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// opened opens a file as a viewer has handed it over.
func opened(t *testing.T, cfg Config, text []byte) (*room, error) {
	t.Helper()
	cfg.File = func(name string) ([]byte, bool) { return text, name == "1 a.jsonl" }
	s := New(cfg)
	t.Cleanup(s.Close)
	return s.openFile(t.Context(), "a", "1 a.jsonl")
}

// TestFile checks that a file is a run with one branch, and that reading it yields.
func TestFile(t *testing.T) {
	yielded := 0
	r, err := opened(t, Config{Yield: func() { yielded++ }}, traceOf(t, 1000))
	if err != nil {
		t.Fatal(err)
	}
	var last event.Seq
	r.events(0, 1, func(e event.Event) bool { last = e.Seq; return true })
	m := r.whole()
	if len(m.Branches) != 1 || m.Branches[0].Events != 1000 || !m.Branches[0].Ended || last != 1000 ||
		m.Header.Recipe != "unique-lock" || m.Query != "" || r.carryOut != nil {
		t.Errorf("the run is %+v, its last event %d", m, last)
	}
	if yielded != 1000/eventsPerCheck {
		t.Errorf("it yielded %d times", yielded)
	}
}

// TestNoFile checks that a server opens no files, and that a file that nobody handed over is refused.
func TestNoFile(t *testing.T) {
	s := New(Config{})
	t.Cleanup(s.Close)
	_, err := s.openFile(t.Context(), "a", "1")
	if got := words(sentence.From(err)); got != "this server opens no files: a page opens them in the browser" {
		t.Errorf("a server says %q", got)
	}
	none := New(Config{File: func(string) ([]byte, bool) { return nil, false }})
	t.Cleanup(none.Close)
	_, err = none.openFile(t.Context(), "a", "1")
	if got := words(sentence.From(err)); got != `the file "1" isn't there any more` {
		t.Errorf("of no file it says %q", got)
	}
}

// TestFileWithoutMemory checks that a file's log counts.
func TestFileWithoutMemory(t *testing.T) {
	_, err := opened(t, Config{Memory: 1 << 10}, traceOf(t, 1000))
	if got := words(sentence.From(err)); !strings.Contains(got, "more than the 0 MB of runs") {
		t.Errorf("it says %q", got)
	}
}

// TestHostileFiles checks that invalid and oversized files are refused with a reason.
func TestHostileFiles(t *testing.T) {
	good := string(traceOf(t, 3))
	header, _, _ := strings.Cut(good, "\n")
	for name, c := range map[string]struct{ text, want string }{
		"nothing":            {"", "the trace is empty"},
		"a picture":          {"\x89PNG\r\n\x1a\n\x00\x00", "not a zkviz trace file"},
		"a page":             {"<script>alert(1)</script>", "not a zkviz trace file"},
		"a header alone":     {header + "\n", "the trace has no events"},
		"cut off":            {good[:len(good)-5], "cut off in the middle"},
		"a line in between":  {strings.Replace(good, "\n", "\nhello\n", 1), "trace line 2: not an event"},
		"events left out":    {strings.Replace(good, `{"seq":2,`, `{"seq":3,`, 1), "lines are missing"},
		"too many clients":   {strings.Replace(good, `"clients":2`, `"clients":99999`, 1), "not 99999"},
		"too many events":    {string(traceOf(t, MaxFileEvents+1)), fmt.Sprintf("more than %d events", MaxFileEvents)},
		"too many bytes":     {strings.Repeat("x", MaxFile+1), fmt.Sprintf("more than %d bytes", MaxFile)},
		"depth without end":  {header + "\n" + `{"seq":1,"x":` + strings.Repeat("[", 1<<20) + "\n", "not an event"},
		"a later version":    {strings.Replace(good, `"version":2`, `"version":99`, 1), "format version 99"},
		"a time of no clock": {strings.Replace(good, `"at_ns":0`, `"at_ns":9223372036854775807`, 1), "the latest time"},
	} {
		_, err := opened(t, Config{}, []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
