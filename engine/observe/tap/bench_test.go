package tap_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// BenchmarkBeside reads from a real ZooKeeper over several connections, with one request at a time and with many
// outstanding. It alternates between direct reads and reads through a tap, so that both meet the same machine. A
// second tap records everything. It reports the throughput through the tap as a fraction of the direct one, and the
// delay of the median.
func BenchmarkBeside(b *testing.B) {
	zktest.Need(b)
	server, err := apache.Start(apache.Config{HeapMB: 512, Optimize: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Close)
	plain := serve(b, tap.Config{Servers: []string{server.Addr}, Tell: func(tap.Record) {}})
	recorded := serve(b, tap.Config{Servers: []string{server.Addr}, Tell: func(tap.Record) {}})
	recordAll(b, recorded)
	for _, load := range []struct{ conns, outstanding int }{{1, 1}, {10, 1}, {100, 1}, {1, 100}, {10, 100}} {
		for through, name := range map[*tap.Tap]string{plain: "plain", recorded: "recorded"} {
			b.Run(fmt.Sprintf("conns=%d/outstanding=%d/%s", load.conns, load.outstanding, name), func(b *testing.B) {
				beside(b, server.Addr, through.Place(), load.conns, load.outstanding)
				b.ReportMetric(float64(through.Figures().Gaps), "gaps")
			})
		}
	}
}

// beside compares direct reads with reads through a tap.
func beside(b *testing.B, direct, through string, conns, outstanding int) {
	turns, each := 6, 20_000
	if testing.Short() {
		turns, each = 1, 2000 // two for each outstanding request
	}
	measure(b, direct, conns, outstanding, each) // so that Java has compiled its code
	var took, median [2]time.Duration
	for b.Loop() {
		for range turns {
			for i, addr := range []string{direct, through} {
				t, m := measure(b, addr, conns, outstanding, each)
				took[i] += t
				median[i] += m
			}
		}
	}
	b.ReportMetric(float64(took[0])/float64(took[1]), "throughput-ratio")
	n := time.Duration(b.N * turns)
	b.ReportMetric(float64((median[1]-median[0])/n)/1e3, "µs-added")
	b.ReportMetric(float64(median[0]/n)/1e3, "µs-direct")
}

// recordAll records everything that a tap sees, until the tap ends.
func recordAll(b *testing.B, s *tap.Tap) {
	folder, err := record.Open(record.Config{Dir: b.TempDir(), Max: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() {
		over <- folder.Keep(ctx, "", func() (event.Header, event.Source) {
			return event.Header{Host: event.Tapped, Root: "/"}, func(ctx context.Context, sink event.Sink) error {
				return s.Observe(ctx, "/", sink, 0, nil)
			}
		})
	}()
	b.Cleanup(func() {
		cancel()
		<-over
		all := folder.List()
		b.Logf("%d recordings, the newest of %d events and %d bytes", len(all), all[0].Events, all[0].Bytes)
		if err := folder.Close(); err != nil {
			b.Error(err)
		}
	})
}

// measure reads n times. It returns the total time and the median of a request.
func measure(b *testing.B, addr string, conns, outstanding, n int) (took, median time.Duration) {
	all := make([][]time.Duration, conns)
	peers := make([]*peer.Peer, conns)
	for i := range peers {
		p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: 30_000})
		if err != nil {
			b.Fatal(err)
		}
		defer p.Abort()
		peers[i] = p
	}
	began := time.Now()
	var wait sync.WaitGroup
	for i, p := range peers {
		wait.Go(func() { all[i] = reads(b, p, outstanding, n/conns) })
	}
	wait.Wait()
	took = time.Since(began)
	latencies := slices.Concat(all...)
	slices.Sort(latencies)
	return took, latencies[len(latencies)/2]
}

func reads(b *testing.B, p *peer.Peer, outstanding, n int) (latencies []time.Duration) {
	for range n / outstanding {
		sent := time.Now()
		for range outstanding {
			p.Queue(&wire.Request{Op: wire.OpExists, Path: "/zookeeper"})
		}
		if err := p.Flush(); err != nil {
			b.Error(err)
			return latencies
		}
		for range outstanding {
			m, err := p.Recv()
			if err != nil || m.Response.Code != zoo.OK {
				b.Error(err, m.Response.Code)
				return latencies
			}
			latencies = append(latencies, time.Since(sent))
		}
	}
	return latencies
}
