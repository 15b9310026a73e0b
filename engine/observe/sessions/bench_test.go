package sessions

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// crowd connects that many clients with that many watches each.
func crowd(b *testing.B, addr string, clients, watches int) {
	for i := range clients {
		p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: int32(zktest.MaxSession.Milliseconds())})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(p.Abort)
		for j := range watches {
			r := wire.Request{Xid: int32(j + 1), Op: wire.OpExists, Watch: true,
				Path: fmt.Sprintf("/app/locks/lock-%03d/_c_9f3a6c1e0b7d4f559a1b0123456789ab-lock-%010d", i, j)}
			p.Queue(&r)
		}
		if err := p.Flush(); err != nil {
			b.Fatal(err)
		}
		for range watches {
			if _, err := p.Recv(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkWords asks a real server with 200 sessions and 50,000 watches each of the words. The time includes
// parsing. Bytes are the answer's.
func BenchmarkWords(b *testing.B) {
	clients, watches := 200, 250
	if testing.Short() {
		clients, watches = 5, 10
	}
	srv := zktest.Start(b)
	crowd(b, srv.Addr, clients, watches)
	w := fourLetterWords{access.Dialer{}, srv.Addr}
	for _, one := range []struct {
		word string
		ask  func(context.Context) (n int, err error)
		want int
	}{
		{"cons", func(ctx context.Context) (int, error) {
			all, err := w.connections(ctx)
			return len(all), err
		}, clients},
		{"dump", func(ctx context.Context) (int, error) {
			d, err := w.dump(ctx)
			n := 0
			for _, bucket := range d.buckets {
				n += len(bucket.sessions)
			}
			return n, err
		}, clients},
		{"wchs", func(ctx context.Context) (int, error) {
			s, err := w.summary(ctx)
			return s.watches, err
		}, clients * watches},
		{"wchp", func(ctx context.Context) (int, error) {
			all, _, err := w.watches(ctx, MaxWatches)
			return len(all), err
		}, clients * watches},
	} {
		b.Run(one.word, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n, err := one.ask(b.Context()); n != one.want || err != nil {
					b.Fatal(n, err)
				}
			}
			b.ReportMetric(float64(len(srv.Ask(one.word))), "answer-bytes")
		})
	}
}

// BenchmarkWatches parses an answer about 50,000 watches, and reports it to a log that has them already.
func BenchmarkWatches(b *testing.B) {
	var text []byte
	for i := range 50_000 {
		text = fmt.Appendf(text, "/app/locks/lock-%03d/_c_9f3a6c1e0b7d4f559a1b0123456789ab-lock-%010d\n\t0x10000000%04x\n",
			i/250, i%250, i/250)
	}
	said := string(text)
	t := NewReporter("/")
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if all, _ := parseWatches(said, MaxWatches); len(all) != 50_000 {
				b.Fatal(len(all))
			}
		}
	})
	all, _ := parseWatches(said, MaxWatches)
	b.Run("tell", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			t.Watches(Watches{At: time.Now(), All: all, Whole: true}, func(int64, event.Event) {})
		}
	})
}
