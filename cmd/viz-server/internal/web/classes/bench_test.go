package classes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

// BenchmarkClass measures how long after the teacher's message each of 1,000 learners' sockets has that place or a
// later one, while the teacher moves ten times a second. Both sides of all sockets run here.
func BenchmarkClass(b *testing.B) {
	learners, moves := 1000, 100
	if testing.Short() {
		learners, moves = 10, 10
	}
	for b.Loop() {
		srv := patient(b)
		name, secret := webtest.BeginClass(b, srv, "/lab")
		teacher := webtest.Enter(b, srv, name, hello(secret))
		conns := make([]*websocket.Conn, learners)
		for i := range conns {
			p, err := webtest.DialClass(b, srv, nil, name)
			if err != nil {
				b.Fatal(err)
			}
			conns[i] = p
			if err := p.Write(b.Context(), websocket.MessageText, []byte(join(i))); err != nil {
				b.Fatal(err)
			}
		}
		teacher.Until(func(v webtest.View) bool { return len(v.Dots) == learners })
		sent := make([]time.Time, moves)
		late := make([][]time.Duration, learners)
		var wg sync.WaitGroup
		var mu sync.Mutex
		for i, c := range conns {
			wg.Go(func() {
				for next := 0; next < moves; {
					at, err := nextMove(c)
					if err != nil {
						b.Error(err)
						return
					}
					now := time.Now()
					mu.Lock()
					for ; next <= at; next++ {
						late[i] = append(late[i], now.Sub(sent[next]))
					}
					mu.Unlock()
				}
			})
		}
		for i := range moves {
			time.Sleep(100 * time.Millisecond)
			mu.Lock()
			sent[i] = time.Now()
			mu.Unlock()
			teacher.Send(fmt.Sprintf(`{"do":"lead","place":{"page":"/lab","query":"at=%d"}}`, i))
		}
		wg.Wait()
		all := slices.Concat(late...)
		slices.Sort(all)
		for p, name := range map[int]string{50: "p50-ms", 99: "p99-ms", 100: "max-ms"} {
			b.ReportMetric(float64(all[(len(all)-1)*p/100].Microseconds())/1000, name)
		}
	}
}

// nextMove reads until the next place, and returns its number.
func nextMove(c *websocket.Conn) (int, error) {
	for {
		_, text, err := c.Read(context.Background())
		if err != nil {
			return 0, err
		}
		var v webtest.View
		if json.Unmarshal(text, &v); v.Say == "place" && len(v.Query) > len("at=") {
			return strconv.Atoi(v.Query[len("at="):])
		}
	}
}
