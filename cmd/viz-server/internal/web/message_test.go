package web_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

func TestParseMessage(t *testing.T) {
	for _, c := range []struct{ text, err string }{ // err: a part of the error, empty if it is understood
		{`{"do":"open","lesson":"03-the-herd","host":"sim"}`, ""},
		{`{"do":"open","recipe":"unique-lock","clients":6,"rounds":1,"seed":1,"hold_ms":3000,"host":"live"}`, ""},
		{`{"do":"observe","path":"/some/path"}`, ""},
		{`{"do":"observe","path":"/"}`, ""},
		{`{"do":"fault","branch":0,"fault":"pause client-1 at 2s for 15s"}`, ""},
		{`{"do":"resume","run":"r7","from":{"0":124,"1":57}}`, ""},
		{`{"do":"resume","run":"r7"}`, ""},

		{``, "not understood"},
		{`null`, `no "do"`},
		{`[]`, "not understood"},
		{`"open"`, "not understood"},
		{`{"do":"open","lesson":"x"`, "not understood"},
		{`{"do":"open","lesson":"x"} {"do":"open"}`, "more after"},
		{`{"do":"open","lesson":"x","command":"rm"}`, "unknown field"},
		{`{"do":"open","lesson":7}`, "not understood"},
		{`{"do":"open","recipe":"unique-lock","clients":1e99}`, "not understood"},
		{`{"do":"open","recipe":"unique-lock","seed":-1}`, "not understood"},
		{`{"do":"open"}`, `either a "lesson" or a "recipe"`},
		{`{"do":"open","lesson":"x","recipe":"y"}`, `either a "lesson" or a "recipe"`},
		{`{"do":"open","lesson":"x","host":"example.com:2181"}`, `"host" is`},
		{`{"do":"open","recipe":"unique-lock","hold_ms":-1}`, `"hold_ms" is`},
		{`{"do":"open","recipe":"unique-lock","hold_ms":9223372036854775807}`, `"hold_ms" is`},
		{`{"do":"observe"}`, "does not begin with /"},
		{`{"do":"observe","path":"../etc"}`, "does not begin with /"},
		{`{"do":"observe","path":"/a/../b"}`, `the part ".."`},
		{`{"do":"observe","path":"/a//b"}`, `the part ""`},
		{`{"do":"observe","path":"/a/"}`, "ends in /"},
		{`{"do":"observe","path":"/a\u0000b"}`, "character U+0000"},
		{`{"do":"observe","path":"/` + strings.Repeat("a", 1100) + `"}`, "more than 1024 bytes"},
		{`{"do":"fault","fault":"explode client-1 at 2s"}`, `no fault "explode"`},
		{`{"do":"fault","fault":"` + strings.Repeat("x", 3000) + `"}`, "…"},
		{`{"do":"resume","run":"r7","from":{"x":1}}`, "no number"},
		{`{"do":"resume","run":"r7","from":{"-1":1}}`, "no number"},
		{`{"do":"resume","run":"r7","from":{"0":4294967296}}`, "not understood"},
		{`{"do":"shutdown"}`, `no "do":"shutdown"`},
		{"{\"do\":\"\xff\"}", "not UTF-8"},
		{`{"do":"open","lesson":"` + strings.Repeat("x", web.MaxMessage) + `"}`, "at most 4096 bytes"},
		{strings.Repeat(`[`, 4000), "not understood"},
	} {
		_, err := web.ParseMessage([]byte(c.text))
		if c.err == "" && err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%.80s: error %v, want one with %q", c.text, err, c.err)
		}
	}
}

// FuzzParseMessage: whatever comes in, the answer is a message that can be acted upon or a short sentence.
func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(`{"do":"open","lesson":"03-the-herd","host":"sim"}`))
	f.Add([]byte(`{"do":"fault","branch":-1,"fault":"pause client-1 at 2s for 15s"}`))
	f.Add([]byte(`{"do":"resume","run":"r7","from":{"0":124,"1":57}}`))
	f.Add([]byte(`{"do":"observe","path":"/\u202e<script>"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := web.ParseMessage(text)
		if err != nil {
			if s := err.Error(); len(s) > 600 || !utf8.ValidString(s) {
				t.Fatalf("error of %d bytes: %q", len(s), s)
			}
			return
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(again) <= web.MaxMessage {
			if _, err := web.ParseMessage(again); err != nil {
				t.Fatalf("%s was understood, and as %s not: %v", text, again, err)
			}
		}
	})
}
