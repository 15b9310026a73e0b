package hub_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
)

// BenchmarkFollowers measures the delay of followers when one log grows by 500 events a second. The budget is 250
// ms at the 99th percentile for 1,000 of them. Followers rest a beat between reads, as the sockets do.
func BenchmarkFollowers(b *testing.B) {
	most := 1000
	if testing.Short() {
		most = 10
	}
	for _, followers := range []int{1, most} {
		b.Run(fmt.Sprint(followers), func(b *testing.B) { follow(b, followers) })
	}
}

func follow(b *testing.B, followers int) {
	const perSecond, events = 500, 1000
	for b.Loop() {
		bell := new(hub.Bell)
		l := hub.New(hub.Config{Bell: bell})
		start := time.Now()
		late := make([][]time.Duration, followers)
		var wg sync.WaitGroup
		for i := range followers {
			wg.Go(func() {
				for next := event.Seq(1); next <= events; hub.Rest(b.Context()) {
					wake := bell.Next()
					batch := l.Read(next)
					if len(batch) == 0 {
						<-wake
						continue
					}
					now := time.Since(start)
					for _, e := range batch {
						late[i] = append(late[i], now-e.At)
					}
					next += event.Seq(len(batch))
				}
			})
		}
		for s := range events {
			due := time.Duration(s) * time.Second / perSecond
			time.Sleep(due - time.Since(start))
			l.Append(event.Event{Seq: event.Seq(s + 1), At: time.Since(start)})
		}
		wg.Wait()
		all := slices.Concat(late...)
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
		b.ReportMetric(float64(all[len(all)-1].Microseconds())/1000, "max-ms")
	}
}

// BenchmarkAppend measures the cost of an event without readers.
func BenchmarkAppend(b *testing.B) {
	b.ReportAllocs()
	l := hub.New(hub.Config{Limit: 1 << 30})
	s := event.Seq(0)
	for b.Loop() {
		s++
		l.Append(event.Event{Seq: s})
	}
}
