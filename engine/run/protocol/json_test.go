package protocol_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// TestValuesAreJSON puts random texts into an unknown field. The decoder accepts exactly those that encoding/json
// accepts.
func TestValuesAreJSON(t *testing.T) {
	parts := []string{"-", "0", "1", "9", ".", "e", "E", "+", `"`, `\`, `\u`, "00fF", "d83d", `\ude00`, "\x1f", " ", "\n",
		"{", "}", "[", "]", ",", ":", "t", "true", "false", "null", `"a"`, `"a":1`}
	r := rand.New(rand.NewPCG(1, 1))
	taken := 0
	n, least := 300_000, 1000
	if testing.Short() {
		n, least = n/10, least/10
	}
	for range n {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		text := []byte(`{"say":"contenders","clients":1,"most":2,"later":` + b.String() + `}`)
		_, err := protocol.ParseMessage(text)
		if valid := json.Valid(text); valid != (err == nil) {
			t.Fatalf("%s: %v, and encoding/json says %v", text, err, valid)
		} else if valid {
			taken++
		}
	}
	if taken < least {
		t.Errorf("%d texts were JSON", taken)
	}
}

// TestStringsAreJSON checks that escapes are read as encoding/json does.
func TestStringsAreJSON(t *testing.T) {
	parts := []string{"a", "é", "\x7f", " ", `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0041`, `\u001F`, `\ud83d`,
		`\ude00`, `\ud83d\ude00`, `\uFFFF`}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		var want string
		if err := json.Unmarshal([]byte(`"`+b.String()+`"`), &want); err != nil {
			t.Fatal(err)
		}
		got, err := protocol.ParseRequest([]byte(`{"do":"resume","run":"` + b.String() + `"}`))
		if err != nil || got.Run != want {
			t.Fatalf("%q is read as %q, %v; want %q", b.String(), got.Run, err, want)
		}
	}
}

// TestDepth checks the limit on nested values in unknown fields.
func TestDepth(t *testing.T) {
	for depth, ok := range map[int]bool{1: true, 32: true, 33: false, 5000: false} {
		later := strings.Repeat("[", depth-1) + "1" + strings.Repeat("]", depth-1)
		_, err := protocol.ParseMessage([]byte(`{"say":"contenders","later":` + later + `}`))
		if (err == nil) != ok {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// TestRequestBounds checks the largest and smallest allowed values, and the next ones beyond.
func TestRequestBounds(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"do":"contend","clients":0}`:  true,
		`{"do":"watches"}`:              true,
		`{"do":"contend","clients":-1}`: false,
		fmt.Sprintf(`{"do":"contend","clients":%d}`, protocol.MaxContenders):                         true,
		fmt.Sprintf(`{"do":"contend","clients":%d}`, protocol.MaxContenders+1):                       false,
		`{"do":"resume","run":"r","from":{"0":4294967295}}`:                                          true,
		`{"do":"resume","run":"r","from":{"0":4294967296}}`:                                          false,
		`{"do":"observe","path":"/` + strings.Repeat("a", protocol.MaxPath-1) + `"}`:                 true,
		`{"do":"observe","path":"/` + strings.Repeat("a", protocol.MaxPath) + `"}`:                   false,
		`{"do":"fault","branch":0,"fault":"crash client-1 at 1s","run":"` + strings.Repeat("x", 200): false,
	} {
		if _, err := protocol.ParseRequest([]byte(text)); (err == nil) != ok {
			t.Errorf("%.100s: %v", text, err)
		}
	}
}

// TestPaths checks the characters at the ends of the ranges that ZooKeeper refuses.
func TestPaths(t *testing.T) {
	for r, ok := range map[rune]bool{
		0: false, 0x1f: false, 0x20: true, 0x7e: true, 0x7f: false, 0x9f: false, 0xa0: true, 0xd7ff: true,
		0xe000: false, 0xf8ff: false, 0xf900: true, 0xffef: true, 0xfff0: false, 0xffff: false, 0x10000: false,
	} {
		if err := protocol.ValidatePath("/a" + string(r)); (err == nil) != ok {
			t.Errorf("%U: %v", r, err)
		}
	}
}

// TestClip keeps as much as allowed.
func TestClip(t *testing.T) {
	begin := strings.Repeat("x", 117)
	for text, want := range map[string]string{"": "", "abc": "abc", "abcd": "abc…", "abé": "ab…", "aé": "aé"} {
		if got := protocol.Clip(begin + text); got != begin+want {
			t.Errorf("%q is clipped to %q, want %q", text, got, want)
		}
	}
}

// TestBranchNumbers checks that a frame's branch is below 2³¹.
func TestBranchNumbers(t *testing.T) {
	for n, ok := range map[int]bool{0: true, 1<<31 - 1: true, 1 << 31: false} {
		got, _, err := protocol.ParseFrame(append(protocol.AppendFrame(nil, n), block()...), new(packed.Decoder))
		if (err == nil) != ok || ok && got != n {
			t.Errorf("branch %d is read as %d, %v", n, got, err)
		}
	}
}
