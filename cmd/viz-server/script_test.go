package main

import (
	"flag"
	"net"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/testing/programs"
)

// TestMain runs more tests concurrently than there are processors, since most of them wait.
func TestMain(m *testing.M) {
	programs.Main()
	if err := flag.Set("test.parallel", "5"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"viz-server": main})
}

// TestGoldenScripts runs command lines like a person: see testdata/script.
func TestGoldenScripts(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	t.Run("script", func(t *testing.T) { // closes busy after the parallel scripts
		p := scripts("testdata/script")
		p.Setup = func(env *testscript.Env) error {
			env.Setenv("BUSY", busy.Addr().String())
			return nil
		}
		testscript.Run(t, p)
	})
}

// TestGoldenLongScripts runs the command lines that take seconds.
func TestGoldenLongScripts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	testscript.Run(t, scripts("testdata/long"))
}

func scripts(folder string) testscript.Params {
	return testscript.Params{
		Dir:                 folder,
		RequireExplicitExec: true,
		UpdateScripts:       golden.Updating(), // the files that cmp compares with
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	}
}
