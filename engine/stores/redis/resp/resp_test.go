package resp_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// TestWritten checks the wire format of each kind of value, and its readable form.
func TestWritten(t *testing.T) {
	for _, c := range []struct {
		v           resp.Value
		wire, shown string
	}{
		{resp.OK(), "+OK\r\n", "OK"},
		{resp.Err("ERR no\r\nway"), "-ERR no  way\r\n", "ERR no\r\nway"},
		{resp.Int(-7), ":-7\r\n", "-7"},
		{resp.String("a b"), "$3\r\na b\r\n", `"a b"`},
		{resp.String("word"), "$4\r\nword\r\n", "word"},
		{resp.String(""), "$0\r\n\r\n", `""`},
		{resp.Value{}, "$-1\r\n", "(nil)"},
		{resp.Value{Kind: resp.NilArray}, "*-1\r\n", "(nil)"},
		{resp.List(), "*0\r\n", "[]"},
		{resp.List(resp.String("x"), resp.List(resp.Int(1))), "*2\r\n$1\r\nx\r\n*1\r\n:1\r\n", "[x [1]]"},
	} {
		if got := string(resp.Append(nil, c.v)); got != c.wire {
			t.Errorf("%v is written %q, want %q", c.v, got, c.wire)
		}
		if got := c.v.String(); got != c.shown {
			t.Errorf("%q is shown as %s, want %s", c.wire, got, c.shown)
		}
	}
}

// TestCommands checks commands as clients send them, and as people type them.
func TestCommands(t *testing.T) {
	for wire, want := range map[string][]string{
		"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n": {"GET", "k"},
		"PING\r\n":                       {"PING"},
		"set k \"a b\\n\" 'c''d'\n":      nil,
		"set k \"a b\\n\" 'c d'\n":       {"set", "k", "a b\n", "c d"},
		`set k pre"fix \x41\x4"` + "\n":  {"set", "k", "prefix Ax4"},
		"\r\n":                           {},
		"*0\r\n":                         {},
		"*-1\r\n":                        {},
	} {
		got, err := resp.NewReader(strings.NewReader(wire)).Command()
		if (err != nil) != (want == nil) || !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%q: %q, %v", wire, got, err)
		}
	}
}

// TestRefused checks that input that isn't RESP, or too large, is refused.
func TestRefused(t *testing.T) {
	deep := strings.Repeat("*1\r\n", 20) + ":1\r\n"
	for wire, want := range map[string]error{
		"":                           io.EOF,
		"*2\r\n:1\r\n":               io.ErrUnexpectedEOF,
		"$5\r\nab":                   io.ErrUnexpectedEOF,
		"+OK":                        io.ErrUnexpectedEOF,
		"\r\n":                       nil,
		"?1\r\n":                     nil,
		":one\r\n":                   nil,
		"$-2\r\n":                    nil,
		"$99999999999\r\n":           nil,
		"$2000000\r\n":               nil,
		"*100000\r\n":                nil,
		"$1\r\nabc":                  nil,
		deep:                         nil,
		strings.Repeat("a", 100_000): nil,
		"*60000\r\n" + strings.Repeat("*3\r\n:1\r\n:1\r\n:1\r\n", 60_000): nil, // little to read, and much to keep
		"%1\r\n+a\r\n:1\r\n": nil, // a map of protocol version 3
	} {
		_, err := resp.NewReader(strings.NewReader(wire)).Value()
		var p resp.ProtocolError
		if want != nil && !errors.Is(err, want) || want == nil && !errors.As(err, &p) {
			t.Errorf("%.30q: %v", wire, err)
		}
	}
	for wire, want := range map[string]string{
		"*1\r\n:1\r\n":                     "Protocol error: expected '$', got ':'",
		"*1\r\n$-1\r\n":                    "Protocol error: invalid bulk length",
		"*5000\r\n":                        "Protocol error: invalid multibulk length",
		"get \"k\n":                        "Protocol error: unbalanced quotes in request",
		strings.Repeat("x", 70_000) + "\n": "Protocol error: too big inline request",
	} {
		if _, err := resp.NewReader(strings.NewReader(wire)).Command(); err == nil || err.Error() != want {
			t.Errorf("%.30q: %v, want %s", wire, err, want)
		}
	}
}

// FuzzValue checks that a value that was read and written reads the same again.
func FuzzValue(f *testing.F) {
	f.Add([]byte("*3\r\n$1\r\na\r\n:5\r\n*-1\r\n"))
	f.Add([]byte("-ERR x\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := resp.NewReader(bytes.NewReader(b)).Value()
		if err != nil {
			return
		}
		wire := resp.Append(nil, v)
		again, err := resp.NewReader(bytes.NewReader(wire)).Value()
		if err != nil || !reflect.DeepEqual(onLines(v), again) {
			t.Fatalf("%q is read as %v, written as %q, and read as %v, %v", b, v, wire, again, err)
		}
		if strings.ContainsAny(onLines(v).String(), "\r\n") {
			t.Fatalf("%q is shown on more than one line: %q", b, v.String())
		}
	})
}

// onLines returns a value as it is written: carriage returns in a status or an error become spaces.
func onLines(v resp.Value) resp.Value {
	if v.Kind == resp.Status || v.Kind == resp.Error {
		v.Str = strings.ReplaceAll(v.Str, "\r", " ")
	}
	for i, e := range v.List {
		v.List[i] = onLines(e)
	}
	return v
}

// FuzzCommand checks that a command that was read and written reads the same again.
func FuzzCommand(f *testing.F) {
	f.Add([]byte("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"))
	f.Add([]byte("set k 'a b'\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		args, err := resp.NewReader(bytes.NewReader(b)).Command()
		if err != nil {
			return
		}
		again, err := resp.NewReader(bytes.NewReader(resp.AppendCommand(nil, args))).Command()
		if err != nil || !slices.Equal(args, again) {
			t.Fatalf("%q is read as %q and then as %q, %v", b, args, again, err)
		}
	})
}
