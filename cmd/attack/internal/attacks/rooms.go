package attacks

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/cmd/attack/internal/target"
	"github.com/zkviz/zkviz/recipes"
)

// ofRooms are attacks that would take what everybody shares: memory for events, places, turns to compute.
func ofRooms() []Attack {
	return []Attack{
		{Name: "forks", Weight: 30, Rest: rest, Play: forks,
			Shows: "Twenty-four pages that do fifty-eight faults each to the biggest run stay within the server's memory."},
		{Name: "fill-events", Weight: 25, Rest: rest, Play: fillEvents,
			Shows: "Thirty-six pages that keep the longest logs, from one address and from eight, keep no newcomer from opening a lesson."},
		{Name: "fill-live", Weight: 20, Rest: longRest, Live: true, Play: fillWith("observe"),
			Shows: "Whoever observes many subtrees on Live and leaves keeps no newcomer from looking at another."},
		{Name: "fill-zoo", Weight: 20, Rest: rest, Play: fillWith("zoo"),
			Shows: "Whoever shows many subtrees of the Zoo and leaves keeps no newcomer from looking at another."},
		{Name: "sockets", Weight: 25, Rest: rest, Play: sockets,
			Shows: "Two thousand pages, from one address and from eight, do not use up the places of all others."},
		{Name: "big-figures", Weight: 20, Rest: rest, Play: bigFigures,
			Shows: "Thirty requests for figures of a thousand clients do not block the Lab, and who is refused is told when to try again."},
		{Name: "many-figures", Weight: 25, Rest: rest, Play: manyFigures,
			Shows: "Three thousand requests for small figures neither fill a cache for ever nor hold up others."},
		{Name: "askers-leave", Weight: 15, Rest: rest, Play: askersLeave,
			Shows: "A computation ends when nobody waits for it any more."},
		{Name: "bad-messages", Weight: 20, Rest: rest, Play: badMessages,
			Shows: "Messages that are refused, or ask for the slowest runs that there are, again and again, take no turn from others."},
	}
}

// biggest is the recipe whose logs are the longest.
const biggest = "children-lock"

// The sizes of forks.
const (
	forkers    = 24
	forksEach  = 58
	forkEvery  = 100 * time.Millisecond // within a page's allowance of messages
	runClients = 1000
)

func forks(ctx context.Context, w *World) error {
	from, clients := sources(), max(3, w.n(runClients))
	var refused, sent atomic.Int64
	var t tally
	each(ctx, w.n(forkers), func(ctx context.Context, i int) {
		p, ok := w.open(ctx, from[i%len(from)], &t)
		if !ok {
			return
		}
		defer p.leave()
		if !p.send(ctx, `{"do":"open","recipe":"%s","clients":%d,"seed":%d}`, biggest, clients, i+1) {
			t.add("cut off")
			return
		}
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		answers := make(chan int, 1)
		go func() { answers <- p.drain(inner) }()
		for n := range forksEach {
			if !sleep(ctx, forkEvery) || !p.send(ctx, `{"do":"fault","branch":0,"fault":"pause client-%d at %dms for 1s"}`, 1+n%3, 1+n) {
				break
			}
			sent.Add(1)
		}
		t.add("that did its faults")
		w.held(ctx)
		cancel()
		refused.Add(int64(<-answers))
	})
	w.note("pages: %s; %d faults sent, %d messages refused", &t, sent.Load(), refused.Load())
	return nil
}

// fillers is how many pages fill-events opens at once.
const fillers = 36

func fillEvents(ctx context.Context, w *World) error {
	for n, from := range [][]client.From{{loner()}, sources()} {
		early, cancel := part(ctx, 0.5*float64(n+1)) // half of the time each
		var refused atomic.Int64
		var t tally
		each(early, w.n(fillers), func(ctx context.Context, i int) {
			p, ok := w.open(ctx, from[i%len(from)], &t)
			if !ok {
				return
			}
			defer p.leave()
			p.send(ctx, `{"do":"open","recipe":"%s","clients":%d,"seed":%d}`, biggest, max(3, w.n(runClients)), 1000*n+i+1)
			t.add("opened")
			inner, cancel := context.WithCancel(ctx)
			defer cancel()
			if w.Scale < 1 {
				time.AfterFunc(time.Second, cancel) // a rehearsal
			}
			refused.Add(int64(p.drain(inner)))
		})
		cancel()
		w.note("from %d addresses: %s, %d refused", len(from), &t, refused.Load())
	}
	return nil
}

// observers is how many subtrees are looked at at once: twice as many as there may be.
const observers = 32

// fillWith has pages look at as many subtrees as they can, and leave in the middle of the time.
func fillWith(do string) func(context.Context, *World) error {
	return func(ctx context.Context, w *World) error {
		for n, from := range [][]client.From{{loner()}, sources()} {
			early, cancel := part(ctx, 0.3*float64(n+1))
			var refused atomic.Int64
			var t tally
			each(early, w.n(observers), func(ctx context.Context, i int) {
				p, ok := w.open(ctx, from[i%len(from)], &t)
				if !ok {
					return
				}
				defer p.leave()
				p.send(ctx, `{"do":"%s","path":"%s-%d-%d"}`, do, Root, n, i)
				t.add("opened")
				inner, cancel := context.WithCancel(ctx)
				defer cancel()
				if w.Scale < 1 {
					time.AfterFunc(time.Second, cancel)
				}
				refused.Add(int64(p.drain(inner)))
			})
			cancel()
			w.note("from %d addresses: %s, %d refused", len(from), &t, refused.Load())
		}
		w.held(ctx) // they have left: newcomers must find room at once
		return nil
	}
}

// The sizes of sockets.
const (
	manySockets    = 2000
	socketsASecond = 400
)

func sockets(ctx context.Context, w *World) error {
	for n, from := range [][]client.From{{loner()}, sources()} {
		early, cancel := part(ctx, 0.5*float64(n+1))
		var t tally
		pages := make(chan *page, manySockets)
		paced(early, w.n(manySockets), socketsASecond, 32, func(ctx context.Context, i int) {
			if p, ok := w.open(ctx, from[i%len(from)], &t); ok {
				t.add("open")
				pages <- p
			}
		})
		w.held(early)
		cancel()
		close(pages)
		for p := range pages {
			p.leave()
		}
		w.note("from %d addresses: %s", len(from), &t)
	}
	return nil
}

// bigFiguresAsked is how many ask at once for figures of big runs.
const bigFiguresAsked = 30

// names are the catalogue's recipes.
func names() (all []string) {
	for _, r := range recipes.All() {
		all = append(all, r.Name)
	}
	return all
}

func bigFigures(ctx context.Context, w *World) error {
	all := names()
	for n, from := range [][]client.From{{loner()}, sources()} {
		early, cancel := part(ctx, 0.5*float64(n+1))
		asking, done := browsers(from)
		var t tally
		each(early, w.n(bigFiguresAsked), func(ctx context.Context, i int) {
			url := fmt.Sprintf("%s/api/figures?recipe=%s&clients=%d", w.Pages, all[i%len(all)], max(10, w.n(runClients)-n))
			t.add(w.get(ctx, asking[i%len(asking)], url, nil))
		})
		done()
		cancel()
		w.note("from %d addresses: %s", len(from), &t)
		w.hints(&t)
	}
	return nil
}

// The sizes of many-figures.
const (
	smallFigures    = 3000
	figuresASecond  = 150
	smallestFigures = 3 // clients
)

func manyFigures(ctx context.Context, w *World) error {
	all := names()
	asking, done := browsers(sources())
	defer done()
	var t tally
	paced(ctx, w.n(smallFigures), figuresASecond, 32, func(ctx context.Context, i int) {
		url := fmt.Sprintf("%s/api/figures?recipe=%s&clients=%d", w.Pages, all[i%len(all)], smallestFigures+i/len(all))
		t.add(w.get(ctx, asking[i%len(asking)], url, nil))
	})
	w.note("%s", &t)
	w.hints(&t)
	return nil
}

// The sizes of askers-leave.
const (
	askers        = 300
	askersASecond = 30
	askerWaits    = 30 * time.Millisecond
	restless      = 0.8             // processors that the server may be using, with the class at work, when all askers have left
	restWithin    = 5 * time.Second // of the last one's leaving
)

func askersLeave(ctx context.Context, w *World) error {
	all := names()
	from := sources()
	asking, done := browsers(from)
	defer done()
	early, cancel := part(ctx, 0.6)
	defer cancel()
	var t tally
	paced(early, w.n(askers), askersASecond, 32, func(ctx context.Context, i int) {
		if i%2 == 0 {
			ctx, cancel := context.WithTimeout(ctx, askerWaits)
			defer cancel()
			t.add(w.get(ctx, asking[i%len(asking)], fmt.Sprintf("%s/api/figures?recipe=%s&clients=%d", w.Pages, all[i%len(all)], 900-i), nil))
			return
		}
		if p, ok := w.open(ctx, from[i%len(from)], &t); ok {
			p.send(ctx, `{"do":"open","recipe":"%s","clients":%d,"seed":%d}`, biggest, max(3, w.n(runClients)), 5000+i)
			sleep(ctx, askerWaits)
			p.leave()
			t.add("page that left")
		}
	})
	w.note("%s", &t)
	return w.calm(ctx)
}

// calm reports it if the server goes on computing.
func (w *World) calm(ctx context.Context) error {
	if w.PID == 0 || w.Scale < 1 {
		return nil
	}
	const look = time.Second
	share := 0.0
	for end := time.Now().Add(restWithin); time.Now().Before(end); {
		before := target.TicksOf(w.PID)
		if !sleep(ctx, look) {
			return nil
		}
		share = float64(target.TicksOf(w.PID).Ours-before.Ours) / 100 / look.Seconds()
		if share < restless {
			w.note("after the last had left the server came to rest at %.0f %% of a processor", 100*share)
			return nil
		}
	}
	w.broken("%v after the last asker had left the server still used %.0f %% of a processor", restWithin, 100*share)
	return nil
}

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
		`{"do":"open","recipe":"priority-queue","clients":1000,"rounds":1000}`,
		`{"do":"open","recipe":"delay-queue","clients":1000,"rounds":1000}`,
	}
}

// worst are messages that must be refused, or come to an end soon.
func worst() []string {
	query := func(q string) string {
		text, _ := json.Marshal(map[string]string{"do": "open", "query": q})
		return string(text)
	}
	return []string{
		`{"do":"open","recipe":"children-lock","clients":1000000000}`,
		`{"do":"open","recipe":"children-lock","clients":-1}`,
		`{"do":"open","recipe":"nothing"}`,
		`{"do":"open","recipe":"children-lock","clients":1000,"rounds":1000000}`,
		`{"do":"open","recipe":"children-lock","clients":3,"faults":["crash client-99 at 1s"]}`,
		`{"do":"open","recipe":"children-lock","clients":3,"faults":["restart server at 0s for 24h"]}`,
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
		p.send(ctx, `{"do":"open","recipe":"children-lock","clients":3}`)
		for n := range badEach {
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
