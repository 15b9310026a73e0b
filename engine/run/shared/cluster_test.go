package shared_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// TestCluster has three servers share a NATS of three, and stops the one that leads the stream. All of them go on, and
// nothing is lost or stored twice.
func TestCluster(t *testing.T) {
	ctx := patient(t)
	c := natstest.StartCluster(t)
	var buses []*shared.Bus
	var readers []<-chan string
	var tasks sync.WaitGroup
	stop, cancel := context.WithCancel(ctx)
	defer tasks.Wait()
	var stopped atomic.Bool
	when := func() string { return map[bool]string{false: "before", true: "after"}[stopped.Load()] }
	defer cancel()
	for _, name := range c.Names() {
		b := open(t, shared.Config{URL: c.Of(t, name).URL()})
		buses = append(buses, b)
		log := must(b.Log(theLog))
		readers = append(readers, reading(t, ctx, must(b.Log(theLog))))
		tasks.Go(func() {
			for turn := 0; stop.Err() == nil; turn++ {
				text := func(i int) []byte { return fmt.Append(nil, name, " ", turn, " ", i, " ", when()) }
				appends(stop, b, log, text)
			}
		})
	}
	stream, copies := shared.Leader(ctx, t, buses[0])
	if copies != 3 {
		t.Errorf("the stream has %d copies", copies)
	}
	all := func(when string) {
		t.Helper()
		for _, r := range readers {
			for n := 0; n < enough; {
				select {
				case text := <-r:
					if strings.HasSuffix(text, when) {
						n++
					}
				case <-ctx.Done():
					t.Fatal("nothing comes any more")
				}
			}
		}
	}
	all("before")
	c.Of(t, stream).Stop()
	stopped.Store(true)
	all("after")
	cancel()
	tasks.Wait()
	checkLog(t, must(shared.Everything(ctx, buses[1], theLog)))
}

// appends owns the log and appends until something fails.
func appends(ctx context.Context, b *shared.Bus, log *shared.Log, text func(i int) []byte) {
	l, err := b.Own(ctx, theLog)
	if err != nil {
		return
	}
	defer l.Release(ctx)
	last, err := log.Take(ctx, l.Epoch())
	for i := 0; err == nil; i++ {
		last, err = log.Append(ctx, l.Epoch(), last, text(i))
	}
}
