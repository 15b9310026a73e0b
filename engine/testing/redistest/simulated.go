package redistest

import (
	"context"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/redis/port"
)

// Simulated starts a simulated Redis on a free port. It ends with the test.
func Simulated(tb testing.TB, cfg port.Config) *port.Server {
	tb.Helper()
	cfg.Addr = "127.0.0.1:0"
	s, err := port.Listen(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	tb.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			tb.Error(err)
		}
	})
	return s
}
