package event_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// full has every field set, at its limit where it has one.
var full = event.Event{
	At: 5002100 * time.Microsecond, Zxid: -1, Session: -0x7eff00ffff0000, N: 1 << 40,
	Path: "/zkviz/lock-é", Text: "<b>&\"\\\n\u2028", Seq: 1 << 31, Cause: 7,
	Actor: event.MaxActor, Peer: 2, Code: -112, Line: 65535,
	Kind: event.OpDone, Op: event.SetWatches, Watch: event.ChildWatch, Type: 4, Mode: 255,
}

func samples() []event.Event {
	list := []event.Event{full}
	for k := event.RunStarted; k.Valid(); k++ {
		list = append(list, event.Event{Seq: 1, Kind: k})
		list = append(list, event.Event{Seq: 9, Cause: 8, At: 1, Kind: k, Actor: 1, Path: "/a", N: -5})
	}
	return list
}

func TestNamesParseBack(t *testing.T) {
	seen := map[string]bool{}
	for k := event.RunStarted; k.Valid(); k++ {
		name := k.String()
		if got, ok := event.ParseKind(name); !ok || got != k || seen[name] || !strings.Contains(name, ".") {
			t.Errorf("kind %d is written %q and read as %d, %v", k, name, got, ok)
		}
		seen[name] = true
	}
	for o := event.NoOp; o <= event.Reconfig; o++ {
		if got, ok := event.ParseOp(o.String()); !ok || got != o {
			t.Errorf("operation %d is written %q and read as %d, %v", o, o, got, ok)
		}
	}
	for w := event.NoWatch; w <= event.RecursiveWatch; w++ {
		if got, ok := event.ParseWatch(w.String()); !ok || got != w {
			t.Errorf("watch %d is written %q and read as %d, %v", w, w, got, ok)
		}
	}
	for _, s := range []string{"", "op", "op.sent ", "OP.SENT", "200"} {
		if k, ok := event.ParseKind(s); ok {
			t.Errorf("%q is read as kind %v", s, k)
		}
	}
}

func TestValidRefuses(t *testing.T) {
	for name, change := range map[string]func(*event.Event){
		"no kind":          func(e *event.Event) { e.Kind = 0 },
		"unknown kind":     func(e *event.Event) { e.Kind = 200 },
		"unknown op":       func(e *event.Event) { e.Op = 99 },
		"unknown watch":    func(e *event.Event) { e.Watch = 9 },
		"no number":        func(e *event.Event) { e.Seq, e.Cause = 0, 0 },
		"its own cause":    func(e *event.Event) { e.Cause = e.Seq },
		"before the start": func(e *event.Event) { e.At = -1 },
		"a billion":        func(e *event.Event) { e.Actor = 1e9 },
		"negative client":  func(e *event.Event) { e.Peer = -1 },
		"long path":        func(e *event.Event) { e.Path = strings.Repeat("a", event.MaxPath+1) },
		"long text":        func(e *event.Event) { e.Text = strings.Repeat("a", event.MaxText+1) },
	} {
		e := full
		change(&e)
		if e.Valid() == nil {
			t.Errorf("%s: valid", name)
		}
	}
}

func TestJSONIsWhatEncodingJSONReads(t *testing.T) {
	for _, e := range samples() {
		b := event.AppendJSON(nil, e)
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if s, _ := m["text"].(string); s != e.Text || m["kind"] != e.Kind.String() {
			t.Errorf("%s: text %q, kind %v", b, s, m["kind"])
		}
		if bytes.ContainsAny(b, "<>&\n") {
			t.Errorf("%s is not safe inside a page", b)
		}
	}
}

func TestHashSink(t *testing.T) {
	sum := func(events ...event.Event) uint64 {
		var h event.HashSink
		for _, e := range events {
			h.Append(e)
		}
		return h.Sum()
	}
	other := full
	other.Line--
	if sum(full, other) != sum(full, other) || sum(full, other) == sum(other, full) || sum(full) == sum(other) ||
		sum() == sum(full) {
		t.Error("equal logs and only those must have equal hashes")
	}
}

func FuzzAppendQuoted(f *testing.F) {
	f.Add("a\x00<\xff\u2029")
	f.Fuzz(func(t *testing.T, s string) {
		b := event.AppendQuoted(nil, s)
		var got string
		if err := json.Unmarshal(b, &got); err != nil || got != string([]rune(s)) {
			t.Fatalf("%q is written %s and read as %q, %v", s, b, got, err)
		}
	})
}

func BenchmarkAppendBinary(b *testing.B) {
	var buf []byte
	for b.Loop() {
		buf = event.AppendBinary(buf[:0], full)
	}
	b.SetBytes(int64(len(buf)))
}
