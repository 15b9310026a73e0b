package escape_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/base/escape"
)

// written returns the output of a Writer for the pieces.
func written(t testing.TB, pieces ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := escape.NewWriter(&out)
	for _, p := range pieces {
		if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"plain\ntext\tof\n":               "plain\ntext\tof\n",
		"\x1b[2J\x1b]0;t\a":               `\u001b[2J\u001b]0;t\u0007`,
		"a\rb\x00\x7f\b\v\f":              `a\u000db\u0000\u007f\u0008\u000b\u000c`,
		"\u0080\u009b1m\u009f":            `\u0080\u009b1m\u009f`,
		"\x9b1m":                          `\x9b1m`,
		"/l\u202egnp.exe":                 `/l\u202egnp.exe`,
		"\u2066a\u2069\u200e\u200f\u061c": `\u2066a\u2069\u200e\u200f\u061c`,
		"a\u2028b\u2029c":                 `a\u2028b\u2029c`,
		"\ufefflock\u200b":                `\ufefflock\u200b`,
		"pay\u00adpal\u2060":              `pay\u00adpal\u2060`,
		"\U000e0041":                      `\udb40\udc41`,
		"lock\u200d\u200c":                `lock\u200d\u200c`,
		"می\u200cخواهم":                   "می\u200cخواهم",
		"می\u200c\u200c":                  "می\u200c" + `\u200c`,
		"क्\u200dष":                       "क्\u200dष",
		"👩\u200d💻 ❤️\u200d🔥":              "👩\u200d💻 ❤️\u200d🔥",
		"\xe2\x82":                        `\xe2\x82`,
		"\xff\xc0\x80\xed\xa0\x80":        `\xff\xc0\x80\xed\xa0\x80`,
		"\ufffd":                          "\ufffd",
		`\u001b stays`:                    `\u001b stays`,
		"/κλειδί/замо́к/锁/קפל/قفل/자물쇠/ตัวล็อก é": "/κλειδί/замо́к/锁/קפל/قفل/자물쇠/ตัวล็อก é",
	} {
		if got := written(t, in); got != want {
			t.Errorf("%q is written as %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":           "plain",
		"ключ é":          "ключ é",
		"a\n  ok\tforged": `a\u000a  ok\u0009forged`,
		"\x1b[1A\xff":     `\u001b[1A\xff`,
		"\x7f":            `\u007f`,
		"\x1f ~":          `\u001f ~`,
	} {
		if got := escape.Line(in); got != want {
			t.Errorf("%q is %q in a line, want %q", in, got, want)
		}
	}
}

// TestPlainLineIsNotCopied checks that a plain line is returned without an allocation.
func TestPlainLineIsNotCopied(t *testing.T) {
	line := strings.Repeat("a plain line ~ ", 10)
	if n := testing.AllocsPerRun(10, func() { line = escape.Line(line) }); n != 0 {
		t.Errorf("%.0f allocations", n)
	}
}

func TestLines(t *testing.T) {
	var out bytes.Buffer
	w := escape.NewWriter(&out).Lines()
	for _, line := range []string{"one\n", "two\nforged\n", "three", "\x1b\xff\n"} {
		if n, err := w.Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("%q: %d, %v", line, n, err)
		}
	}
	if got, want := out.String(), "one\n"+`two\u000aforged`+"\nthree\n"+`\u001b\xff`+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOverwrite checks that only the function's own control sequence comes through.
func TestOverwrite(t *testing.T) {
	var out bytes.Buffer
	w := escape.NewWriter(&out)
	if err := w.Overwrite("50 %\r\x1b[K\n"); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "\r\x1b[K"+`50 %\u000d\u001b[K\u000a`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSplit writes characters in pieces.
func TestSplit(t *testing.T) {
	whole := "é€😀\u202e\u009b\x1b می\u200c\u200c \xe2\x82 \U000e0041\xf0\x9f"
	want := written(t, whole)
	for i := range len(whole) + 1 {
		for j := i; j <= len(whole); j++ {
			if got := written(t, whole[:i], whole[i:j], whole[j:]); got != want {
				t.Errorf("split at %d and %d: %q, want %q", i, j, got, want)
			}
		}
	}
	if got := written(t, strings.Split(whole, "")...); got != want {
		t.Errorf("character by character: %q, want %q", got, want)
	}
}

// TestJSONStaysTheSame decodes escaped JSON.
func TestJSONStaysTheSame(t *testing.T) {
	for r := range rune(unicode.MaxRune) + 1 {
		if r%0x800 != 0 && r > 0x10ff && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			continue
		}
		value := map[string]string{"a\\": "\\" + string(r) + string(r) + "\\", string(r): ""}
		var buf bytes.Buffer
		if err := json.NewEncoder(&buf).Encode(value); err != nil {
			t.Fatal(err)
		}
		var got, want map[string]string
		if err := json.Unmarshal(buf.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(written(t, buf.String())), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%U: %q, %v, want %q", r, got, err, want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriterReturnsTheError(t *testing.T) {
	w := escape.NewWriter(full{})
	for _, to := range []interface{ Write([]byte) (int, error) }{w, w.Lines()} {
		if n, err := to.Write([]byte("text\n")); n != 0 || err == nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if err := w.Overwrite("text"); err == nil {
		t.Error("Overwrite returned no error")
	}
}

// isPlain reports whether text has only letters, marks, numbers, punctuation, symbols and spaces.
func isPlain(text string) bool {
	for _, r := range text {
		if r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs) {
			return false
		}
	}
	return utf8.ValidString(text)
}

func FuzzWriter(f *testing.F) {
	for _, s := range []string{"", "plain é 锁\n", "\x1b[2J\u009b\u202e\x9b", "\ufeffa\u200d\u200c", "می\u200cخ\xe2\x82",
		"\U000e0041\\u001b"} {
		f.Add(s, 1, 2)
	}
	f.Fuzz(func(t *testing.T, text string, i, j int) {
		got := written(t, text)
		i, j = min(max(i, 0), len(text)), min(max(j, 0), len(text))
		if split := written(t, text[:min(i, j)], text[min(i, j):max(i, j)], text[max(i, j):]); split != got {
			t.Fatalf("%q split at %d and %d is %q, want %q", text, i, j, split, got)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q is written as %q, which is not UTF-8", text, got)
		}
		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' ||
				r == '\u2029' || r == '\ufeff' || r == '\u200b' {
				t.Fatalf("%q is written as %q", text, got)
			}
		}
		if again := written(t, got); again != got {
			t.Fatalf("%q is written as %q, and that as %q", text, got, again)
		}
		if isPlain(text) && got != text {
			t.Fatalf("%q is written as %q", text, got)
		}
		line := escape.Line(text)
		if strings.ContainsAny(line, "\n\t") || written(t, line) != line || escape.Line(line) != line {
			t.Fatalf("in a line %q is %q", text, line)
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	text := []byte(strings.Repeat("client-1 queues behind /locks/ключ-0000000001\n", 1000))
	w := escape.NewWriter(&bytes.Buffer{})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := w.Write(text); err != nil {
			b.Fatal(err)
		}
		w = escape.NewWriter(&bytes.Buffer{})
	}
}
