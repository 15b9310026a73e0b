// Package redistest starts a real Redis for tests. It is not for anything but tests.
package redistest

import (
	"os"
	"strconv"
	"testing"

	"github.com/zkviz/zkviz/engine/daemon"
)

// Start starts a redis-server that keeps everything in its memory, which ends with the test. Settings are further
// arguments. A machine without Redis skips the test, unless the environment has CI set: then the test fails.
func Start(tb testing.TB, settings ...string) *daemon.Server {
	tb.Helper()
	Need(tb)
	s, err := daemon.Start(Config(settings...))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// Need skips the test where Redis is not installed, and fails it there if CI is set.
func Need(tb testing.TB) {
	tb.Helper()
	switch _, err := Config().Find(); {
	case err == nil:
	case os.Getenv("CI") != "":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
}

// Config says how a redis-server is started.
func Config(settings ...string) daemon.Config {
	return daemon.Config{
		Program: "redis-server", Package: "redis-server",
		Arguments: func(port int, dir string) []string {
			return append([]string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
				"--dir", dir, "--loglevel", "warning", "--enable-debug-command", "yes"}, settings...)
		},
	}
}
