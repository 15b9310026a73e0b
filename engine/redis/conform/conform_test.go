package conform_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/redis/conform"
	"github.com/zkviz/zkviz/engine/redis/redistest"
)

var (
	commands = flag.Int("commands", 6_000, "how many commands are played on both")
	at       = flag.String("redis", "", "host:port of a Redis that nobody else uses, in place of one that is started")
)

// steps of a script. A short one is read at once, a long one gets further.
const steps = 60

// TestConforms plays scripts on the simulated Redis and on a real one.
func TestConforms(t *testing.T) {
	if *at == "" {
		*at = redistest.Start(t).Addr()
	}
	real, err := conform.Dial(*at)
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	simulated := &conform.Simulated{}
	for seed := uint64(1); int(seed)*steps <= *commands; seed++ {
		script := conform.Generate(seed, steps)
		d, err := conform.Play(script, simulated, real)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if d == nil {
			continue
		}
		script, d, err = conform.Shrink(script, simulated, real)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, s := range script {
			lines = append(lines, s.String())
		}
		t.Fatalf("seed %d: %v\n%s", seed, d, strings.Join(lines, "\n"))
	}
}
