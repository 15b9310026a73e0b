package shared_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
	"github.com/zkviz/zkviz/engine/testing/port"
)

// BenchmarkOpen starts a NATS inside, on new files. Of a process that does nothing else, grew_MB says by how much it
// grows, and ms/first how long its first one takes.
func BenchmarkOpen(b *testing.B) {
	ctx := patient(b)
	p := start(b, roleInside, dirVariable+"="+b.TempDir())
	p.await(ctx, 0, "grew", 1)
	grew := p.all()[0]
	for b.Loop() {
		bus, err := shared.Open(ctx, shared.Config{Dir: filepath.Join(b.TempDir(), "new")})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		bus.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(grew.n)/1024, "grew_MB")
	b.ReportMetric(must(strconv.ParseFloat(grew.text, 64))/1000, "ms/first")
}

// BenchmarkTakeover kills an owner's process, and measures until the next one has appended. Each time one of three
// servers is new.
func BenchmarkTakeover(b *testing.B) {
	h := newHerd(b, port.Free(b))
	owner, took := h.owner(nil, enough), time.Duration(0)
	for range b.N {
		rest := h.without(owner)
		said := rest.now()
		began := time.Now()
		owner.kill()
		owner = rest.owner(said, 1)
		took += time.Since(began)
		h = rest
		h.add("more")
	}
	b.ReportMetric(took.Seconds()/float64(b.N), "s/takeover")
}

// BenchmarkAppend appends 100 bytes, one entry after the other, to a NATS inside and to one beside.
func BenchmarkAppend(b *testing.B) {
	for _, cfg := range []shared.Config{
		{Dir: b.TempDir(), Lease: unhurried}, {URL: natstest.Start(b).URL(), Lease: unhurried},
	} {
		b.Run(map[bool]string{true: "inside", false: "beside"}[cfg.URL == ""], func(b *testing.B) {
			ctx := patient(b)
			bus := open(b, cfg)
			lease, log := must(bus.Own(ctx, fmt.Sprint("x", b.N))), must(bus.Log(fmt.Sprint("x", b.N)))
			last, data := uint64(0), []byte(strings.Repeat("x", 100))
			for b.Loop() {
				last = must(log.Append(ctx, lease.Epoch(), last, data))
				if last == 50_000 {
					b.Skip("a log has no more room")
				}
			}
		})
	}
}

// BenchmarkRead reads a log of 10,000 entries of 100 bytes from its beginning.
func BenchmarkRead(b *testing.B) {
	ctx := patient(b)
	bus := open(b, shared.Config{Dir: b.TempDir(), Lease: unhurried})
	lease, log := must(bus.Own(ctx, "x")), must(bus.Log("x"))
	const entries = 10_000
	for n := range uint64(entries) {
		must(log.Append(ctx, lease.Epoch(), n, []byte(strconv.FormatUint(n, 10)+strings.Repeat("x", 95))))
	}
	for b.Loop() {
		_ = log.Read(ctx, 1, func(n uint64, _ []byte) error { // until it's enough
			if n == entries {
				return errEnough
			}
			return nil
		})
	}
}
