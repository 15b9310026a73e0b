package attacks

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"
)

// The sizes of bad-messages.
const (
	badPages     = 64 // pages that send them, one connection after the other
	badEach      = 50 // messages from each
	badEvery     = 60 * time.Millisecond
	badAtOnce    = 8
	pagesASecond = 20
)

// slowest are runs that take longer to compute than a page may wait for, if they are computed to their end.
func slowest() []string {
	return []string{
		`{"do":"open","query":"recipe=priority-queue&clients=1000&rounds=1000"}`,
		`{"do":"open","query":"recipe=delay-queue&clients=1000&rounds=1000"}`,
	}
}

// worst are messages that must be refused, or come to an end soon.
func worst() []string {
	query := func(q string) string {
		text, _ := json.Marshal(map[string]string{"do": "open", "query": q})
		return string(text)
	}
	return []string{
		`{"do":"open","query":"recipe=children-lock&clients=1000000000"}`,
		`{"do":"open","query":"recipe=children-lock&clients=-1"}`,
		`{"do":"open","query":"recipe=nothing"}`,
		`{"do":"open","query":"recipe=children-lock&clients=1000&rounds=1000000"}`,
		`{"do":"open","query":"recipe=children-lock&clients=3&fault=crash client-99 at 1s"}`,
		`{"do":"open","query":"recipe=children-lock&clients=3&fault=restart server at 0s for 24h"}`,
		query("recipe=children-lock&clients=3&latency=24h&jitter=24h"),
		query("recipe=children-lock&clients=3&latency=-1s"),
		query("recipe=children-lock&clients=3&hold=9999999h"),
		query("recipe=children-lock&clients=3&session-timeout=1ns"),
		`{"do":"fault","branch":-1,"fault":"crash client-1 at 1s"}`,
		`{"do":"fault","branch":999999999,"fault":"crash client-1 at 1s"}`,
		`{"do":"resume","run":"r1-aaaaaaaa","from":{"0":4294967295}}`,
		`{"do":"contend","clients":10}`,
		`{"do":`, `null`, `[]`, `{"do":"open","lesson":"../../etc/passwd"}`, "\xff\xfe",
	}
}

func badMessages(ctx context.Context, w *World) error {
	from, all := sources(), worst()
	var refused atomic.Int64
	var t tally
	paced(ctx, w.n(badPages), pagesASecond, badAtOnce, func(ctx context.Context, i int) {
		p, ok := w.open(ctx, from[i%len(from)], &t)
		if !ok {
			return
		}
		defer p.leave()
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		answers := make(chan int, 1)
		go func() { answers <- p.drain(inner) }() // ends with inner
		// Two messages from each page, again and again.
		pair := slowest()
		if i%2 == 1 {
			pair = []string{all[i%len(all)], all[(i*7+3)%len(all)]}
		}
		p.send(ctx, `{"do":"open","query":"recipe=children-lock&clients=3"}`)
		for n := range w.n(badEach) {
			if !sleep(ctx, badEvery) || !p.send(ctx, "%s", pair[n%2]) {
				break
			}
		}
		cancel()
		refused.Add(int64(<-answers))
		t.add("that sent its messages")
	})
	w.note("pages: %s; %d messages refused", &t, refused.Load())
	return w.calm(ctx)
}
