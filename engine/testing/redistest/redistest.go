// Package redistest starts a real or a simulated Redis for tests.
package redistest

import (
	"strconv"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/daemon"
	"github.com/zkviz/zkviz/engine/testing/need"
)

// Start starts an in-memory redis-server that ends with the test. Settings are further arguments. Without Redis on the
// machine it skips the test, or fails it if the environment has CI set.
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

// Need skips the test if Redis is not installed, or fails it if CI is set.
func Need(tb testing.TB) {
	tb.Helper()
	_, err := Config().Find()
	need.Installed(tb, err)
}

// Config returns the configuration that starts a redis-server.
func Config(settings ...string) daemon.Config {
	return daemon.Config{
		Program: "redis-server", Package: "redis-server",
		Arguments: func(port int, dir string) []string {
			return append([]string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
				"--dir", dir, "--loglevel", "warning", "--enable-debug-command", "yes"}, settings...)
		},
	}
}
