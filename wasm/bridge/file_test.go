package bridge

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
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

// TestFileIsReadInPieces checks that pieces, at least an event each, give the same log.
func TestFileIsReadInPieces(t *testing.T) {
	f, err := OpenFile(traceOf(t, 10))
	if err != nil {
		t.Fatal(err)
	}
	pieces := 1
	for {
		all, err := f.Read(func() bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		if all {
			break
		}
		pieces++
	}
	if pieces != 11 || len(f.Events) != 10 || f.Events[9].Seq != 10 || f.Header.Recipe != "unique-lock" {
		t.Errorf("%d events of %q in %d pieces", len(f.Events), f.Header.Recipe, pieces)
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
		f, err := OpenFile([]byte(c.text))
		if err == nil {
			_, err = f.Read(func() bool { return true })
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
