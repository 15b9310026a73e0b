package jsontext

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// deepest is a nested list of the maximum depth.
var deepest = strings.Repeat("[", maxSkipped) + strings.Repeat("]", maxSkipped)

// texts are JSON and near misses.
var texts = []string{
	``, ` `, `null`, `nul`, `true`, `false`, `tru`, `t`, `0`, `-0`, `-`, `01`, `-01`, `10`, `1.5`, `1.`, `.5`, `1e5`, `1E+5`,
	`1e-5`, `1e`, `1e+`, `0.0e0`, `+1`, `""`, `"a"`, `"a`, `"`, `"\"`, `"\n\t\r\b\f\/\\\""`, `"\x"`, `"\u00e9"`, `"\u00E9"`,
	`"\u00e"`, `"\u00g0"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83d\u0041"`, `"\ude00\ud83d"`, "\"a\nb\"", "\"a\x1fb\\n\"", "\" \"",
	"\"\n\"", "\"\x1f\"", "\"\\n\x1f\"", "\"\\n \"",
	`"é😀"`, `[]`, `[ ]`, `[1]`, `[1,2]`, `[1,]`, `[,1]`, `[1 2]`, `[`, `[1`, `]`, `{}`, `{ }`, `{"a":1}`, `{"a":1,"b":[{}]}`,
	`{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a" : 1 , "b" : null}`, `{`, `{"a":1`, "\t[\r\n1 ]", `1 2`, `[1]]`, "\x00",
	"\u00a01", deepest, `{"a":{"b":"c\u0041"}}`, `"` + strings.Repeat("a", 99) + `\\"`,
}

// FuzzSkip checks that the decoder accepts the same texts as encoding/json, and reads strings alike.
func FuzzSkip(f *testing.F) {
	for _, t := range texts {
		f.Add(t)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("only encoding/json mends what is not UTF-8")
		}
		d := &Decoder{Text: text}
		err := d.Skip()
		took := err == nil && !d.More()
		if valid := json.Valid([]byte(text)); took != valid && (took || !isDeep(text)) {
			t.Fatalf("%q is JSON: %t, and skipped: %t, %v", text, valid, took, err)
		}
		d = &Decoder{Text: text}
		if d.peek() != '"' || !json.Valid([]byte(text)) {
			return
		}
		var want string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Quoted(); err != nil || got != want {
			t.Fatalf("%q is read as %q, %v", text, got, err)
		}
	})
}

// isDeep reports whether a text may be nested too deep.
func isDeep(text string) bool {
	return strings.Count(text, "[")+strings.Count(text, "{") > maxSkipped-1
}

func TestDepth(t *testing.T) {
	if err := (&Decoder{Text: deepest}).Skip(); err != nil {
		t.Errorf("%d lists in each other: %v", maxSkipped, err)
	}
	if err := (&Decoder{Text: "[" + deepest + "]"}).Skip(); err == nil || err.Error() != "nested too deeply" {
		t.Errorf("%d lists in each other: %v", maxSkipped+1, err)
	}
	d := &Decoder{Text: strings.Repeat("[1]", 2*maxSkipped)}
	for d.More() {
		if err := d.Skip(); err != nil {
			t.Fatalf("one after the other: %v", err)
		}
	}
}

func TestObject(t *testing.T) {
	d := &Decoder{Text: ` {"a" :  [1, 2] ,"b":"x\u0041", "a": null}rest`}
	got, err := d.Object()
	if err != nil || len(got) != 2 || got["a"] != "null" || got["b"] != `"x\u0041"` || d.Text[d.At:] != "rest" {
		t.Errorf("%q, %v, then %q", got, err, d.Text[d.At:])
	}
	if got, err := (&Decoder{Text: "null"}).Object(); err != nil || len(got) != 0 {
		t.Errorf("null is %v, %v", got, err)
	}
}

func TestList(t *testing.T) {
	d := &Decoder{Text: `[3, -1, 99]`}
	got, err := List(d, func(n *int64) (err error) { *n, err = d.Whole(8); return err })
	if err != nil || len(got) != 3 || got[0] != 3 || got[1] != -1 || got[2] != 99 || d.More() {
		t.Errorf("%v, %v", got, err)
	}
	d = &Decoder{Text: `[3, 128]`}
	if _, err := List(d, func(n *int64) (err error) { *n, err = d.Whole(8); return err }); !errors.Is(err, ErrTooLarge) {
		t.Errorf("128 in 8 bits: %v", err)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text           string
		whole, natural bool // of 8 bits
	}{
		{"0", true, true}, {"-1", true, false}, {"127", true, true}, {"128", false, true}, {"255", false, true},
		{"256", false, false}, {"-128", true, false}, {"-129", false, false}, {"1.0", false, false}, {"1e1", false, false},
	} {
		for want, read := range map[*bool]func(*Decoder) error{
			&c.whole:   func(d *Decoder) error { _, err := d.Whole(8); return err },
			&c.natural: func(d *Decoder) error { _, err := d.Natural(8); return err },
		} {
			d := &Decoder{Text: " " + c.text + ","}
			if err := read(d); *want != (err == nil) || err != nil && !errors.Is(err, ErrTooLarge) || d.peek() != ',' {
				t.Errorf("%s: %v, then %q", c.text, err, d.Text[d.At:])
			}
		}
	}
	if n, err := (&Decoder{Text: "-x"}).Whole(8); err == nil || errors.Is(err, ErrTooLarge) {
		t.Errorf("-x is %d, %v", n, err)
	}
}

// TestErrors checks that an error names what was expected and the byte, counted from 1.
func TestErrors(t *testing.T) {
	skip := (*Decoder).Skip
	truth := func(d *Decoder) error { _, err := d.Truth(); return err }
	natural := func(d *Decoder) error { _, err := d.Natural(8); return err }
	members := func(d *Decoder) error { _, err := d.Object(); return err }
	list := func(d *Decoder) error { _, err := List(d, func(*int) error { return d.Skip() }); return err }
	for _, c := range []struct {
		read       func(*Decoder) error
		text, want string
	}{
		{skip, "", "the input ends where a number should be"},
		{skip, "  x", "byte 3 is not a number"},
		{skip, "[1 2]", "byte 4 is not ','"},
		{skip, "nil", "byte 1 is not null"},
		{skip, `"a`, "the input ends where the end of a string should be"},
		{skip, `"a\`, "the input ends where an escape should be"},
		{skip, `"a\q"`, "byte 3 is not an escape"},
		{skip, "\"a\x01\"", "byte 3 is not allowed in a string"},
		{skip, `{"a" 1}`, "byte 6 is not ':'"},
		{truth, "1", "byte 1 is not true or false"},
		{truth, "", "the input ends where true or false should be"},
		{natural, "x", "byte 1 is not a number"},
		{members, "[", "byte 1 is not '{'"},
		{list, "{", "byte 1 is not '['"},
		{list, "", "the input ends where '[' should be"},
	} {
		if err := c.read(&Decoder{Text: c.text}); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}
