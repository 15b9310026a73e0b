package redisconform_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/testing/planted"
	"github.com/zkviz/zkviz/engine/testing/redistest"
)

// bugs are planted as edits of files of the model, only in the program that the test builds.
var bugs = []struct{ name, file, old, new string }{
	{"a key that is gone too early", "keys.go", "s.millis() > i.ends", "s.millis() > i.ends-600000"},
	{"the last that came is served first", "blocking.go", "w := s.blocked[key][0]",
		"w := s.blocked[key][len(s.blocked[key])-1]"},
	{"a plain SET keeps the end", "commands.go", "if o.keep && old != nil {", "if old != nil && !o.timed {"},
	{"the end of nothing", "expiry.go", "return resp.Int(0)\n\tcase ends", "return resp.Int(1)\n\tcase ends"},
	{"a wrong number", "expiry.go", "return resp.Int(-2)", "return resp.Int(-1)"},
	{"one that is let go does not go on", "model.go", "k.carryOut(next.r, now, next.cause)", "_ = next"},
}

// TestPlantedBugsAreFound checks that the comparison finds each planted bug soon: one that finds nothing may be blind.
func TestPlantedBugsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the test several times")
	}
	redis := redistest.Start(t)
	for i, bug := range bugs {
		t.Run(bug.name, func(t *testing.T) {
			planted.Seen(t, i, "../../stores/redis/model/"+bug.file, planted.Edit{bug.old, bug.new}, "by the simulated Redis",
				"-test.run", "TestConforms$", "-commands", "6000", "-redis", redis.Addr())
		})
	}
}
