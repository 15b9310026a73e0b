package redisconform

import (
	"os"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/testing/redistest"
)

// TestLua plays each script of testdata/lua on both and compares the replies exactly. A line that begins with an
// exclamation mark is a command.
func TestLua(t *testing.T) {
	file, err := os.ReadFile("testdata/lua")
	if err != nil {
		t.Fatal(err)
	}
	real, err := Dial(redistest.Start(t).Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	simulated := &Simulated{Lua: true}
	for _, of := range []Target{real, simulated} {
		if err := of.Reset(); err != nil {
			t.Fatal(err)
		}
	}
	for block := range strings.SplitSeq(string(file), "\n----\n") {
		block = strings.Trim(block, "\n")
		args := []string{"EVAL", block, "3", "k", "l", "h", "one", "2"}
		if command, is := strings.CutPrefix(block, "!"); is {
			args = strings.Fields(command)
		}
		if got, want := exactly(ask(t, simulated, args...)), exactly(ask(t, real, args...)); got != want {
			t.Errorf("%s\nis answered with %s\nby a real one  %s", block, got, want)
		}
	}
}

// exactly returns a value with its kind.
func exactly(v resp.Value) string {
	if v.Kind == resp.Error {
		return "error " + v.Str
	}
	if v.Kind == resp.Array {
		var parts []string
		for _, e := range v.List {
			parts = append(parts, exactly(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return Normal(v)
}
