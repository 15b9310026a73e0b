package redisconform_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/redisconform"
	"github.com/zkviz/zkviz/engine/testing/redistest"
)

var (
	commands = flag.Int("commands", 6_000, "how many commands are played on both")
	at       = flag.String("redis", "", "host:port of a Redis that nobody else uses, in place of one that is started")
)

// steps is the length of a script. A short one is easy to read, a long one reaches more states.
const steps = 60

// dial connects to the real Redis.
func dial(t *testing.T) *redisconform.Real {
	addr := *at
	if addr == "" {
		addr = redistest.Start(t).Addr()
	}
	real, err := redisconform.Dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(real.Close)
	return real
}

// TestConforms plays scripts on the simulated Redis and on a real one.
func TestConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("conformance takes a while")
	}
	real := dial(t)
	for seed := uint64(1); int(seed)*steps <= *commands; seed++ {
		try(t, seed, redisconform.Generate(seed, steps), &redisconform.Simulated{}, real)
	}
}

// TestLuaConforms does the same with Lua scripts.
func TestLuaConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("conformance takes a while")
	}
	real := dial(t)
	for seed := uint64(1); int(seed)*steps <= *commands; seed++ {
		try(t, seed, redisconform.GenerateLua(seed, steps), &redisconform.Simulated{Lua: true}, real)
	}
}

// TestPairConforms does the same with a primary and its replica: what a replica refuses, hides and receives, and what
// is lost in a failover.
func TestPairConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("copies a node's state many times")
	}
	one := redistest.Start(t, "--repl-diskless-sync-delay", "0")
	two := redistest.Start(t, "--repl-diskless-sync-delay", "0")
	real, err := redisconform.DialPair(one.Addr(), two.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	for seed := uint64(1); int(seed)*steps*10 <= *commands; seed++ {
		try(t, seed, redisconform.GeneratePair(seed, steps), &redisconform.Simulated{Pair: true}, real)
	}
}

// try plays a script on both, and reports a difference with as short a script as possible.
func try(t *testing.T, seed uint64, script []redisconform.Step, simulated, real redisconform.Target) {
	t.Helper()
	d, err := redisconform.Play(script, simulated, real)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if d == nil {
		return
	}
	first := fmt.Sprintf("%v, %s", d, script[d.Step])
	script, d, err = redisconform.Shrink(script, simulated, real)
	if err != nil {
		t.Fatal(err)
	}
	if d == nil {
		t.Fatalf("seed %d: a difference that does not come again: %s", seed, first)
	}
	var lines []string
	for _, s := range script {
		lines = append(lines, s.String())
		if len(s.Args) > 1 && strings.HasPrefix(s.Args[0], "EVAL") {
			lines = append(lines, s.Args[1])
		}
	}
	t.Fatalf("seed %d: %v\n%s", seed, d, strings.Join(lines, "\n"))
}
