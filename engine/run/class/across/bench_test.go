package across_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/run/class"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// BenchmarkTakeOver cuts off the server that decides, and measures until another one has done what its page wants.
func BenchmarkTakeOver(b *testing.B) {
	n := natstest.Start(b)
	var took time.Duration
	for range b.N {
		link := n.Relay(b)
		one, other := serve(b, shared.Config{URL: link.URL()}), serve(b, shared.Config{URL: n.URL()})
		name, _, err := one.Begin(one.ctx, "x", class.Place{Page: "/lab"})
		if err != nil {
			b.Fatal(err)
		}
		p := other.enter(name, "x")
		p.does(`{"do":"join","key":%q}`, key("ann"))
		link.Cut()
		began := time.Now()
		p.does(`{"do":"rename","name":"Ann"}`)
		took += time.Since(began)
		link.Heal()
		one.stop()
		other.stop()
	}
	b.ReportMetric(took.Seconds()/float64(b.N), "s/takeover")
}
