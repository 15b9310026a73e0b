package observe

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestBudget checks that reads and bytes cost time, and that unused time is saved up to burst.
func TestBudget(t *testing.T) {
	const saved = int(burst / time.Second)
	synctest.Test(t, func(t *testing.T) {
		b := &Budget{}
		for n, c := range []struct {
			idle         time.Duration
			reads, bytes int
			wait         time.Duration
		}{
			{0, saved * readsPerSecond, 0, 0},                                                // everything saved up
			{0, readsPerSecond / 2, 0, time.Second / 2},                                      // then reads cost
			{time.Second / 2, 0, bytesPerSecond, time.Second},                                // bytes too
			{time.Second, readsPerSecond, bytesPerSecond * 3, 3 * time.Second},               // the greater of the two
			{3 * time.Second, readsPerSecond * 3, bytesPerSecond, 3 * time.Second},           // likewise
			{time.Hour, saved*readsPerSecond + readsPerSecond, 0, time.Second},               // an hour saves no more than burst
			{time.Second + burst/2, 0, saved*bytesPerSecond/2 + bytesPerSecond, time.Second}, // half of it saves half
		} {
			time.Sleep(c.idle)
			if wait := time.Until(b.pay(c.reads, c.bytes)); wait != c.wait {
				t.Errorf("%d: after %d reads of %d bytes it waits %v, not %v", n, c.reads, c.bytes, wait, c.wait)
			}
		}
	})
}
