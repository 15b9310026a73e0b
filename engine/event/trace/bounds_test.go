package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
)

const header = `{"format":"zkviz-trace","version":1,"seed":"1"}` + "\n"

// TestAnyEventComesBack writes random events of all kinds and reads them back.
func TestAnyEventComesBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	l := event.Log{Header: event.Header{Recipe: "r", Host: "h", Root: "/r", Clients: 3, Rounds: 4, Seed: 5, Hold: 6,
		SessionTimeout: 7,
		Latency:        8, Faults: []string{"a", "b"}, Parents: []string{"c"}, Keeps: []string{"d"}}}
	extreme := func() int64 { return []int64{0, 1, -1, math.MinInt64, math.MaxInt64, r.Int64()}[r.IntN(6)] }
	word := func() string {
		return []string{"", "/a", "é<>&\"\\\n", "\u2028\x00𝄞", fmt.Sprint(r.Int())}[r.IntN(5)]
	}
	for i := range 5000 {
		l.Append(event.Event{
			Seq: event.Seq(i + 1), At: time.Duration(i) * time.Hour, Cause: event.Seq(r.IntN(i + 1)),
			Kind:  1 + event.Kind(r.IntN(int(event.ZnodeFound))),
			Actor: event.Actor(r.IntN(event.MaxActor + 1)), Peer: event.Actor(r.IntN(event.MaxActor + 1)),
			Op:    event.Op(r.IntN(int(event.Reconfig) + 1)),
			Watch: event.Watch(r.IntN(int(event.RecursiveWatch) + 1)), Type: uint8(r.IntN(256)), Mode: uint8(r.IntN(256)),
			Path: word(), Text: word(),
			Zxid: extreme(), Session: extreme(), N: extreme(), Code: int32(extreme()), Line: uint16(extreme()),
		})
	}
	got, err := trace.Read(bytes.NewReader(write(t, l)))
	if err != nil || !reflect.DeepEqual(got.Header, l.Header) || len(got.Events) != len(l.Events) {
		t.Fatalf("%d events, %+v, %v", len(got.Events), got.Header, err)
	}
	for i, e := range l.Events {
		if got.Events[i] != e {
			t.Fatalf("got  %+v\nwant %+v", got.Events[i], e)
		}
	}
}

// TestHeaderAtItsBounds checks each bound of the header and one beyond.
func TestHeaderAtItsBounds(t *testing.T) {
	for _, c := range []struct {
		field   string
		in, out int64
		want    string
	}{
		{"version", 1, 0, "the trace has format version 0; this program reads versions 1 to 2"},
		{"version", 2, 3, "the trace has format version 3; this program reads versions 1 to 2"},
		{"clients", 0, -1, "trace line 1: clients must be between 0 and 10000, not -1"},
		{"clients", 10_000, 10_001, "trace line 1: clients must be between 0 and 10000, not 10001"},
		{"rounds", 0, -1, "trace line 1: rounds must not be negative, but are -1"},
		{"hold_ns", -1, -2, "trace line 1: the hold must not be negative, but is -2ns"},
		{"session_timeout_ns", 0, -1, "trace line 1: the session timeout must not be negative, but is -1ns"},
		{"latency_ns", 0, -1, "trace line 1: the latency must not be negative, but is -1ns"},
	} {
		head := func(n int64) io.Reader {
			return strings.NewReader(fmt.Sprintf(`{"format":"zkviz-trace","version":1,"seed":"1","%s":%d}`+"\n", c.field, n))
		}
		if _, err := trace.Read(head(c.in)); err != nil {
			t.Errorf("%s of %d: %v", c.field, c.in, err)
		}
		if _, err := trace.Read(head(c.out)); err == nil || err.Error() != c.want {
			t.Errorf("%s of %d: %v, want %s", c.field, c.out, err, c.want)
		}
	}
}

// TestListsAtTheirBounds checks the maximum number of rules and systems, and one more.
func TestListsAtTheirBounds(t *testing.T) {
	for _, c := range []struct {
		field, item string
		most        int
		want        string
	}{
		{"promises", `"order"`, event.MaxRules, "trace line 1: there must be at most 100 rules, not 101"},
		{"limits", `"order"`, event.MaxRules, "trace line 1: there must be at most 100 rules, not 101"},
		{"systems", `{"kind":"zookeeper","servers":1000}`, event.MaxSystems, "trace line 1: there must be at most 100 systems, not 101"},
	} {
		read := func(n int) error {
			_, err := trace.Read(strings.NewReader(fmt.Sprintf(`{"format":"zkviz-trace","version":2,"%s":[%s]}`+"\n",
				c.field, strings.TrimSuffix(strings.Repeat(c.item+",", n), ","))))
			return err
		}
		if err := read(c.most); err != nil {
			t.Errorf("%d %s: %v", c.most, c.field, err)
		}
		if err := read(c.most + 1); err == nil || err.Error() != c.want {
			t.Errorf("%d %s: %v, want %s", c.most+1, c.field, err, c.want)
		}
	}
}

// TestEventsAtTheirBounds checks numbers just inside and just outside a trace's limits.
func TestEventsAtTheirBounds(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, c := range []struct {
		name, line string
		want       string // the error, empty if the line is valid
	}{
		{"the first time", `"at_ns":0`, ""},
		{"before it", `"at_ns":-1`, "trace line 2: event 1: it is 1ns before the start of the run"},
		{"the last time", fmt.Sprintf(`"at_ns":%d`, 100*year), ""},
		{"after it", fmt.Sprintf(`"at_ns":%d`, 100*year+1),
			"trace line 2: event 1 is at 876000h0m0.000000001s, later than 876000h0m0s, the latest time allowed"},
		{"a type without a name", `"type":"255"`, ""},
		{"no type", `"type":"256"`, `trace line 2: event 1: unknown type "256"`},
		{"a mode without a name", `"mode":"255"`, ""},
		{"no mode", `"mode":"-1"`, `trace line 2: event 1: unknown mode "-1"`},
		{"no operation", `"op":"7"`, `trace line 2: event 1: unknown op "7"`},
		{"no watch", `"watch":"1"`, `trace line 2: event 1: unknown watch "1"`},
		{"a session", `"session":"0xffffffffffffffff"`, ""},
		{"a session of 65 bits", `"session":"0x1ffffffffffffffff"`,
			`trace line 2: event 1: unknown session "0x1ffffffffffffffff"`},
		{"a session without 0x", `"session":"12"`, `trace line 2: event 1: unknown session "12"`},
		{"a session that is no number", `"session":"0xg"`, `trace line 2: event 1: unknown session "0xg"`},
	} {
		text := header + `{"seq":1,"kind":"op.sent",` + c.line + "}\n"
		switch _, err := trace.Read(strings.NewReader(text)); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestLines checks lines at the maximum length, and valid and invalid ends of a file.
func TestLines(t *testing.T) {
	const buffer, first = 1 << 16, `{"seq":1,"kind":"op.sent"}`
	spaces := func(n int) string { return strings.Repeat(" ", n) }
	for _, c := range []struct {
		name, text, want string
		events           int
	}{
		{"a header without a newline", strings.TrimSpace(header), "", 0},
		{"a long header without a newline", strings.TrimSpace(header) + spaces(3*buffer), "", 0},
		{"newlines of Windows", strings.TrimSpace(header) + "\r\n" + first + "\r\n", "", 1},
		{"the longest line", header + first + spaces(trace.MaxLine-len(first)-1) + "\n" + `{"seq":2,"kind":"op.sent"}` + "\n",
			"", 2},
		{"a line too long", header + first + spaces(trace.MaxLine-len(first)) + "\n",
			"trace line 2: longer than 8388608 bytes", 0},
		{"a header too long", header[:len(header)-1] + spaces(trace.MaxLine) + "\n",
			"trace line 1: longer than 8388608 bytes", 0},
		{"cut off", header + first, "trace line 2: cut off in the middle", 0},
		{"cut off after a buffer", header + first + spaces(buffer-len(first)), "trace line 2: cut off in the middle", 0},
		{"cut off after two buffers", header + first + spaces(2*buffer-len(first)), "trace line 2: cut off in the middle", 0},
		{"an empty line", header + "\n", "trace line 2: not an event: the input ends where '{' should be", 0},
	} {
		l, err := trace.Read(strings.NewReader(c.text))
		if got := fmt.Sprint(err); c.want != "" && got != c.want || c.want == "" && err != nil || len(l.Events) != c.events {
			t.Errorf("%s: %d events, %v", c.name, len(l.Events), err)
		}
	}
}

// TestFileErrors checks that an error of the file is reported with its line.
func TestFileErrors(t *testing.T) {
	broken := func(text string) io.Reader {
		return io.MultiReader(strings.NewReader(text), io.LimitReader(failing{}, 1))
	}
	for text, want := range map[string]string{
		"":                  "trace line 1: disk gone",
		header[:9]:          "trace line 1: disk gone",
		header:              "trace line 2: disk gone",
		header + `{"seq":1`: "trace line 2: disk gone",
		header + "{}":       "trace line 2: disk gone",
		header + `{"kind":1}` +
			"\n": "trace line 2: not an event: \"kind\": byte 9 is not '\"'",
	} {
		if _, err := trace.Read(broken(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("disk gone") }

// TestReaderSharesStrings checks that equal strings share memory up to a limit.
func TestReaderSharesStrings(t *testing.T) {
	const remembered = 1 << 14
	var paths []string
	for i := range remembered {
		paths = append(paths, fmt.Sprint("/", i))
	}
	paths = append(paths, "/0", "/new", "/0", "/new")
	var l event.Log
	for i, p := range paths {
		l.Append(event.Event{Seq: event.Seq(i + 1), Kind: event.OpSent, Path: p})
	}
	got, err := trace.Read(bytes.NewReader(write(t, l)))
	if err != nil {
		t.Fatal(err)
	}
	same := func(i, j int) bool {
		return unsafe.StringData(got.Events[i].Path) == unsafe.StringData(got.Events[j].Path)
	}
	if !same(0, remembered) {
		t.Errorf("the first of %d strings is in memory twice", remembered)
	}
	if same(0, remembered+2) {
		t.Errorf("more than %d strings are remembered", remembered)
	}
	if !same(remembered+1, remembered+3) {
		t.Error("the strings after that do not share their memory")
	}
}
