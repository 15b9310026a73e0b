package redisconform

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/testing/redistest"
)

// ask returns a target's reply to a command.
func ask(t *testing.T, of Target, args ...string) resp.Value {
	t.Helper()
	if err := of.Do(Step{Args: args}); err != nil {
		t.Fatal(err)
	}
	v, _, err := of.Take(0, true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// named returns the keys in a reply, sorted.
func named(v resp.Value) string {
	if v.Kind == resp.Error {
		return v.Str
	}
	list := slices.Clone(v.List)
	slices.SortFunc(list, func(a, b resp.Value) int { return strings.Compare(a.Str, b.Str) })
	return resp.List(list...).String()
}

// scanAll scans all keys that match a pattern.
func scanAll(t *testing.T, of Target, pattern string) string {
	t.Helper()
	all, cursor := resp.List(), "0"
	for range 1000 {
		v := ask(t, of, "SCAN", cursor, "MATCH", pattern, "COUNT", "3")
		if len(v.List) != 2 {
			return v.String()
		}
		all.List = append(all.List, v.List[1].List...)
		if cursor = v.List[0].Str; cursor == "0" {
			return named(all)
		}
	}
	t.Fatalf("SCAN for %q has no end", pattern)
	return ""
}

// TestKeys checks that KEYS and SCAN find the same keys as a real Redis.
func TestKeys(t *testing.T) {
	real, err := Dial(redistest.Start(t).Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	simulated := &Simulated{}
	for _, of := range []Target{real, simulated} {
		if err := of.Reset(); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"a", "b", "ab", "abc", "a-b", "[a]", "a]", "*", "a*b", "?", `a\`, "", "ac", "aab",
			"^", "lock:1", "lock:22"} {
			ask(t, of, "SET", key, "x")
		}
		ask(t, of, "RPUSH", "list", "x")
	}
	check := func(args ...string) {
		if got, want := named(ask(t, simulated, args...)), named(ask(t, real, args...)); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
	for _, args := range []string{"SCAN x", "SCAN 0 COUNT", "SCAN 0 COUNT 0", "SCAN 0 COUNT x", "SCAN 0 NEAR a", "SCAN",
		"KEYS", "SCAN 0 MATCH a COUNT 100 TYPE string", "SCAN 0 COUNT 100 TYPE list", "TYPE list"} {
		check(strings.Fields(args)...)
	}
	r := rand.New(rand.NewPCG(1, 1))
	patterns := []string{"", "*", "a*b", "**", "?", "[a-c]", "[^a]", "[c-a]", "[]a]", "[a", `\*`, `[\]a]`, `\`, `a\`,
		"[^", "[", "a**c", "*?*", "l*:?", "[a-]", "lock:[0-9]*"}
	for range 400 {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(string(`ab*?[]^-\c`[r.IntN(10)]))
		}
		patterns = append(patterns, b.String())
	}
	for _, p := range patterns {
		check("KEYS", p)
		if got, want := scanAll(t, simulated, p), scanAll(t, real, p); got != want {
			t.Errorf("SCAN for %q: %s, want %s", p, got, want)
		}
	}
}

// TestScanFindsAll checks that a key that exists all the time is found exactly once, whatever comes and goes meanwhile.
func TestScanFindsAll(t *testing.T) {
	s := &Simulated{}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	const keys = 500
	for i := range keys {
		ask(t, s, "SET", fmt.Sprint("stays-", i), "x")
	}
	found, cursor := map[string]int{}, "0"
	for i := 0; ; i++ {
		v := ask(t, s, "SCAN", cursor, "COUNT", "7")
		for _, key := range v.List[1].List {
			found[key.Str]++
		}
		if cursor = v.List[0].Str; cursor == "0" {
			break
		}
		ask(t, s, "SET", fmt.Sprint("comes-", i), "x")
		ask(t, s, "DEL", fmt.Sprint("comes-", i-1))
	}
	for i := range keys {
		if n := found[fmt.Sprint("stays-", i)]; n != 1 {
			t.Errorf("stays-%d is found %d times", i, n)
		}
	}
}

// TestTooMuchToMatch checks that no pattern keeps the node busy for long.
func TestTooMuchToMatch(t *testing.T) {
	s := &Simulated{}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	ask(t, s, "SET", strings.Repeat("a", 1<<20), "x")
	pattern := "*" + strings.Repeat("a", 1<<10) + "b"
	for _, args := range [][]string{{"KEYS", pattern}, {"SCAN", "0", "MATCH", pattern}} {
		if got := ask(t, s, args...).String(); !strings.Contains(got, "too much work") {
			t.Errorf("%s: %s", args[0], got)
		}
	}
}
