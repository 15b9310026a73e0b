package redisconform_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/testing/redistest"
	"github.com/zkviz/zkviz/engine/testing/versus"
)

// bugs are planted as edits of files of the model, only in the program that the test builds.
var bugs = []versus.Bug{
	{"a key that is gone too early", "moment.go", "m.millis() > i.ends", "m.millis() > i.ends-600000"},
	{"the last that came is served first", "blocking.go", "w := s.waits.byList[key][0]",
		"w := s.waits.byList[key][len(s.waits.byList[key])-1]"},
	{"a plain SET keeps the end", "commands.go", "if o.keep && old != nil {", "if old != nil && !o.timed {"},
	{"the end of nothing", "expiry.go", "return resp.Int(0)\n\tcase ends", "return resp.Int(1)\n\tcase ends"},
	{"a wrong number", "expiry.go", "return resp.Int(-2)", "return resp.Int(-1)"},
	{"one that is let go does not go on", "model.go", "k.carryOut(next.r, now, next.cause)", "_ = next"},
}

// TestPlantedBugsAreFound checks that TestConforms finds each of these bugs soon.
func TestPlantedBugsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the test several times")
	}
	versus.Planted(t, "../../stores/redis/model/", "TestConforms", bugs, "-redis", redistest.Start(t).Addr())
}
