package main

import (
	"flag"
	"net"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/zkviz/zkviz/engine/testing/golden"
)

// TestMain lets more tests run side by side than there are processors: most wait for something.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "5"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"viz-server": main})
}

// TestGoldenScripts runs the command line as a person would: see testdata/script.
func TestGoldenScripts(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	t.Run("script", func(t *testing.T) { // so that busy is closed after the parallel scripts
		testscript.Run(t, testscript.Params{
			Dir:                 "testdata/script",
			RequireExplicitExec: true,
			UpdateScripts:       golden.Updating(), // what cmp compares with
			Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
			Setup: func(env *testscript.Env) error {
				env.Setenv("BUSY", busy.Addr().String())
				return nil
			},
		})
	})
}
