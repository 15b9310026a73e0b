package redisconform_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/redisconform"
	"github.com/zkviz/zkviz/engine/testing/redistest"
	"github.com/zkviz/zkviz/engine/testing/versus"
)

var at = flag.String("redis", "", "host:port of a Redis that nobody else uses, in place of one that is started")

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
	compare(t, 6000, redisconform.Generate, &redisconform.Simulated{}, dial(t))
}

// TestLuaConforms does the same with Lua scripts.
func TestLuaConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("conformance takes a while")
	}
	compare(t, 6000, redisconform.GenerateLua, &redisconform.Simulated{Lua: true}, dial(t))
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
	compare(t, 600, redisconform.GeneratePair, &redisconform.Simulated{Pair: true}, real)
}

// compare plays drawn scripts on both.
func compare(t *testing.T, steps int, draw func(uint64, int) []redisconform.Step, simulated, real redisconform.Target) {
	t.Helper()
	versus.Trial[redisconform.Step]{
		Length: 60, Steps: steps, Draw: draw, Show: show,
		Play: func(script []redisconform.Step) (*versus.Difference, error) {
			return redisconform.Play(script, simulated, real)
		},
	}.Run(t)
}

// show returns a script with the whole text of its Lua scripts.
func show(script []redisconform.Step) string {
	var lines []string
	for _, s := range script {
		lines = append(lines, s.String())
		if len(s.Args) > 1 && strings.HasPrefix(s.Args[0], "EVAL") {
			lines = append(lines, s.Args[1])
		}
	}
	return strings.Join(lines, "\n")
}
