package protocol_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

func TestParseRequest(t *testing.T) {
	for _, c := range []struct{ text, err string }{ // err: a part of the error; empty if the request is accepted
		{`{"do":"open","lesson":"the-herd","host":"sim"}`, ""},
		{`{"do":"open","query":"recipe=unique-lock&clients=6&hold=3s","host":"live"}`, ""},
		{`{"do":"observe","path":"/some/path"}`, ""},
		{`{"do":"observe","path":"/"}`, ""},
		{`{"do":"fault","branch":0,"fault":"pause client-1 at 2s for 15s"}`, ""},
		{`{"do":"resume","run":"r7","from":{"0":124,"1":57}}`, ""},
		{`{"do":"resume","run":"r7"}`, ""},
		{`{"do":"stop"}`, ""},
		{`{"do":"explore","query":"recipe=unique-lock","own_faults":true}`, ""},
		{`{"do":"past","path":"/app","window":"1764000000000-1764000060000"}`, ""},

		{`{"do":"past","path":"app","window":"1-2"}`, "does not begin with /"},
		{`{"do":"past","path":"/app"}`, "is not a time"},
		{`{"do":"past","path":"/app","window":"2-1"}`, "is not a time"},
		{``, "wasn't understood"},
		{`null`, `no "do"`},
		{`[]`, "wasn't understood"},
		{`"open"`, "wasn't understood"},
		{`{"do":"open","lesson":"x"`, "wasn't understood"},
		{`{"do":"open","lesson":"x"} {"do":"open"}`, "more after"},
		{`{"do":"open","lesson":"x","command":"rm"}`, "unknown field"},
		{`{"do":"open","lesson":7}`, "wasn't understood"},
		{`{"do":"contend","clients":1e99}`, "wasn't understood"},
		{`{"do":"open","recipe":"unique-lock"}`, "unknown field"},
		{`{"do":"open"}`, `either a "lesson" or a "query"`},
		{`{"do":"open","lesson":"x","query":"y"}`, `either a "lesson" or a "query"`},
		{`{"do":"open","lesson":"x","host":"example.com:2181"}`, `"host" is`},
		{`{"do":"explore","own_faults":true}`, `a "query"`},
		{`{"do":"explore","query":"recipe=unique-lock","own_faults":1}`, "wasn't understood"},
		{`{"do":"observe"}`, "does not begin with /"},
		{`{"do":"observe","path":"../etc"}`, "does not begin with /"},
		{`{"do":"observe","path":"/a/../b"}`, `the part ".."`},
		{`{"do":"observe","path":"/a//b"}`, `the part ""`},
		{`{"do":"observe","path":"/a/"}`, "ends in /"},
		{`{"do":"observe","path":"/a\u0000b"}`, "character U+0000"},
		{`{"do":"observe","path":"/` + strings.Repeat("a", 1100) + `"}`, "more than 1024 bytes"},
		{`{"do":"fault","fault":"explode client-1 at 2s"}`, `no fault "explode"`},
		{`{"do":"fault","fault":"` + strings.Repeat("x", 3000) + `"}`, "…"},
		{`{"do":"resume","run":"r7","from":{"x":1}}`, "must be a number"},
		{`{"do":"resume","run":"r7","from":{"-1":1}}`, "must be a number"},
		{`{"do":"resume","run":"r7","from":{"0":4294967296}}`, "wasn't understood"},
		{`{"do":"shutdown"}`, `no "do":"shutdown"`},
		{"{\"do\":\"\xff\"}", "not UTF-8"},
		{`{"do":"open","lesson":"` + strings.Repeat("x", protocol.MaxRequest) + `"}`, "at most 4096 bytes"},
		{strings.Repeat(`[`, 4000), "wasn't understood"},
	} {
		_, err := protocol.ParseRequest([]byte(c.text))
		if c.err == "" && err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if c.err != "" && (err == nil || !strings.Contains(said(err), c.err)) {
			t.Errorf("%.80s: error %v, want one with %q", c.text, err, c.err)
		}
	}
}

// TestRequestsToTheByte checks requests of maximum length, and one byte longer.
func TestRequestsToTheByte(t *testing.T) {
	sized := func(n int) string {
		const head, tail = `{"do":"resume","run":"`, `"}`
		return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
	}
	for _, c := range []struct {
		what, text string
		ok         bool
	}{
		{"a message", sized(protocol.MaxRequest), true},
		{"a message", sized(protocol.MaxRequest + 1), false},
		{"a path", `{"do":"observe","path":"/` + strings.Repeat("a", protocol.MaxPath-1) + `"}`, true},
		{"a path", `{"do":"observe","path":"/` + strings.Repeat("a", protocol.MaxPath) + `"}`, false},
		{"a ping", `{"do":"ping"}`, true},
		{"contenders", `{"do":"contend","clients":10}`, true},
		{"contenders", `{"do":"contend","clients":11}`, false},
		{"a lesson with clients", `{"do":"open","lesson":"x","clients":1}`, false},
		{"a query with clients", `{"do":"open","query":"recipe=x","clients":1}`, false},
		{"a character that no path has", `{"do":"observe","path":"/\u009f"}`, false},
		{"the one after it", `{"do":"observe","path":"/\u00a0"}`, true},
		{"a private character", `{"do":"observe","path":"/\uf8ff"}`, false},
		{"the one after it", `{"do":"observe","path":"/\uf900"}`, true},
		{"a special character", `{"do":"observe","path":"/\ufff0"}`, false},
		{"a space", `{"do":"observe","path":"/ "}`, true},
		{"what comes before it", `{"do":"observe","path":"/\u001f"}`, false},
		{"a part of one dot", `{"do":"observe","path":"/a/./b"}`, false},
		{"a part of three", `{"do":"observe","path":"/..."}`, true},
	} {
		if _, err := protocol.ParseRequest([]byte(c.text)); (err == nil) != c.ok {
			t.Errorf("%s (%d bytes): %v", c.what, len(c.text), err)
		}
	}
}

// record is a request for encoding/json.
type record struct {
	Do        string            `json:"do"`
	Lesson    string            `json:"lesson"`
	Query     string            `json:"query"`
	Clients   int               `json:"clients"`
	Host      event.Host        `json:"host"`
	Path      string            `json:"path"`
	Window    string            `json:"window"`
	Cluster   string            `json:"cluster"`
	System    event.SystemKind  `json:"system"`
	Class     string            `json:"class"`
	Branch    int               `json:"branch"`
	AtMS      int64             `json:"at_ms"`
	Fault     string            `json:"fault"`
	Name      string            `json:"name"`
	Run       string            `json:"run"`
	OwnFaults bool              `json:"own_faults"`
	From      map[int]event.Seq `json:"from"`
}

// FuzzParseRequest checks that any input yields a usable request or a short sentence. encoding/json must agree on
// accepted ones, which must survive writing and reading.
func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"do":"open","lesson":"the-herd","host":"sim"}`))
	f.Add([]byte(`{"do":"open","query":"a\n\u00e9\ud83d\ude00\ud800","clients":-0}`))
	f.Add([]byte(`{"do":"fault","branch":-1,"fault":"pause client-1 at 2s for 15s"}`))
	f.Add([]byte(` { "do" : "resume" , "run":null,"run":"r7","from":{"0":124,"1":57,"01":2} } `))
	f.Add([]byte(`{"do":"observe","path":"/\u202e<script>"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := protocol.ParseRequest(text)
		if err != nil {
			if s := said(err); len(s) > 600 || !utf8.ValidString(s) {
				t.Fatalf("error of %d bytes: %q", len(s), s)
			}
			return
		}
		var want record
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%s was understood, and is no JSON: %v", text, err)
		}
		if len(r.From) == 0 && len(want.From) == 0 {
			r.From, want.From = nil, nil
		}
		if got := record(r); !reflect.DeepEqual(got, want) && !bytes.Contains(text, []byte("null")) {
			t.Fatalf("%s was read as %+v, want %+v", text, got, want)
		}
		written := protocol.AppendRequest(nil, r)
		again, err := protocol.ParseRequest(written)
		if err != nil && len(written) <= protocol.MaxRequest {
			t.Fatalf("%s was understood, and as %s not: %v", text, written, err)
		}
		if err == nil && !reflect.DeepEqual(again, r) {
			t.Fatalf("%s became %+v, and then %+v", text, r, again)
		}
	})
}

// TestRequestsAreUnderstoodAsBefore checks that requests written by encoding/json are read correctly.
func TestRequestsAreUnderstoodAsBefore(t *testing.T) {
	for _, r := range []record{
		{Do: "open", Lesson: "the-herd", Host: "sim"},
		{Do: "open", Query: "a\b\"\n\x01é😀<&>\u2028"},
		{Do: "open", Query: "recipe=unique-lock&clients=3", Host: "live"},
		{Do: "observe", Path: "/"},
		{Do: "zoo", Path: "/zkviz/queue"}, {Do: "zoo", Path: "/", System: "redis"},
		{Do: "fork", Branch: 2, AtMS: 12345, Path: "/app/locks"}, {Do: "fork"},
		{Do: "explore", Query: "recipe=unique-lock&servers=3", OwnFaults: true}, {Do: "explore", Query: "recipe=barrier"},
		{Do: "contend", Clients: 10}, {Do: "file", Name: "7 \"a\".jsonl"},
		{Do: "fault", Branch: -1, Fault: "pause client-1 at 2s for 15s"},
		{Do: "resume", Run: "r7", From: map[int]event.Seq{0: 124, 12: 1<<32 - 1}},
	} {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := protocol.ParseRequest(text)
		if err != nil || !reflect.DeepEqual(record(got), r) {
			t.Errorf("%s was read as %+v, %v", text, got, err)
		}
		if got, err := protocol.ParseRequest(protocol.AppendRequest(nil, got)); err != nil ||
			!reflect.DeepEqual(record(got), r) {
			t.Errorf("written and read again, %s is %+v, %v", text, got, err)
		}
	}
}
