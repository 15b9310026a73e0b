package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun covers all of make conformance with few requests. It compares the embedded server with itself. The
// comparison with ZooKeeper is in engine/testing/conform/servers.
func TestRun(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("connect a\ncreate a /x\nexists a /x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	const nobody = "127.0.0.1:1" // nothing listens there
	for _, c := range []struct {
		ctx       context.Context
		args      string
		code      int
		out, errs string
	}{
		{t.Context(), "-ops 1000 -seed 1 -a embedded", 0, "2 scripts, ", ""},
		{t.Context(), "-ops 1000 -size 250 -lanes 1 -first 1 -most 1 -shrink=false -a embedded -b embedded", 0,
			": 0 differences\n", ""},
		{t.Context(), "-a embedded -play " + script, 0, "welcome a", ""},
		{t.Context(), "-a embedded -play " + script + ".none", 2, "", "no such file"},
		{t.Context(), "-ops 1000 -a embedded -b " + nobody, 2, "", "refused"},
		{ended, "-ops 1000 -a embedded", 2, "0 requests", "canceled"},
		{t.Context(), "-ops many", 2, "", "usage"},
	} {
		var out, errs bytes.Buffer
		code := run(c.ctx, strings.Fields(c.args), &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.errs) {
			t.Errorf("%s: %d, want %d\n%s%s", c.args, code, c.code, &out, &errs)
		}
	}
}
