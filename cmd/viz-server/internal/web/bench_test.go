package web_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// BenchmarkFollowers measures the delay of 1,000 pages, each with its own websocket, while their log grows by 500
// events a second. The budget is 250 ms at the 99th percentile on 2 cores, which also run the pages' side here.
func BenchmarkFollowers(b *testing.B) {
	const perSecond, events = 500, 1500
	followers := 1000
	if testing.Short() {
		followers = 10
	}
	for b.Loop() {
		ready, start := make(chan struct{}), make(chan time.Time, 1)
		zk := &webtest.Cluster{Observes: func(ctx context.Context, _ string, sink event.Sink) error {
			<-ready
			begin := time.Now()
			start <- begin
			for s := range events {
				time.Sleep(time.Duration(s)*time.Second/perSecond - time.Since(begin))
				sink.Append(event.Event{Seq: event.Seq(s + 1), At: time.Since(begin), Kind: event.ZnodeChanged, Path: "/locks/a",
					Text: "some data", N: 9})
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		book, err := webtest.Book()
		if err != nil {
			b.Fatal(err)
		}
		s, err := web.New(b.Context(), web.Config{Book: book, Cluster: zk})
		if err != nil {
			b.Fatal(err)
		}
		srv := httptest.NewServer(s)
		late := follow(b, srv, followers, events, ready, start)
		slices.Sort(late)
		b.ReportMetric(float64(late[len(late)*99/100].Microseconds())/1000, "p99-ms")
		b.ReportMetric(float64(late[len(late)-1].Microseconds())/1000, "max-ms")
		s.Close()
		srv.Close()
	}
}

func follow(b *testing.B, srv *httptest.Server, followers, events int, ready chan<- struct{},
	start <-chan time.Time) []time.Duration {
	b.Helper()
	conns := make([]*websocket.Conn, followers)
	for i := range conns {
		c, _, err := websocket.Dial(b.Context(), srv.URL+"/ws", nil)
		if err != nil {
			b.Fatal(err)
		}
		defer c.CloseNow()
		c.SetReadLimit(protocol.MaxFrame)
		if err := c.Write(b.Context(), websocket.MessageText, []byte(`{"do":"observe","path":"/locks"}`)); err != nil {
			b.Fatal(err)
		}
		if _, _, err := c.Read(b.Context()); err != nil { // the page is in the room
			b.Fatal(err)
		}
		conns[i] = c
	}
	close(ready)
	begin := <-start
	late := make([][]time.Duration, followers)
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() { late[i] = lateness(b, c, begin, events) })
	}
	wg.Wait()
	return slices.Concat(late...)
}

// lateness returns each event's delay until its arrival.
func lateness(b *testing.B, c *websocket.Conn, begin time.Time, events int) (late []time.Duration) {
	var d packed.Decoder
	for len(late) < events {
		kind, frame, err := c.Read(b.Context())
		if err != nil {
			b.Error(err)
			return late
		}
		if kind != websocket.MessageBinary {
			continue
		}
		now := time.Since(begin)
		_, events, err := protocol.ParseFrame(frame, &d)
		if err != nil {
			b.Error(err)
			return late
		}
		for _, e := range events {
			late = append(late, now-e.At)
		}
	}
	return late
}
