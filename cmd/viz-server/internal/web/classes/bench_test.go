package classes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/classes"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/run/class/across"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// BenchmarkClass measures how long after the teacher's message each learner's socket has that place or a later one,
// while the teacher moves ten times a second and learners answer 500 times a second: 1,000 at a server, alone and as
// the program runs it, and 2,000 at two servers, the teacher at one that doesn't decide. Both sides of all sockets, all
// servers and their NATS run here.
func BenchmarkClass(b *testing.B) {
	for _, c := range []struct {
		name     string
		learners int
		servers  func(testing.TB) []*httptest.Server
	}{
		{"one-alone", 1000, func(tb testing.TB) []*httptest.Server { return []*httptest.Server{patient(tb)} }},
		{"one", 1000, func(tb testing.TB) []*httptest.Server { return sharing(tb, 1, "") }},
		{"two", 2000, func(tb testing.TB) []*httptest.Server { return sharing(tb, 2, natstest.Start(tb).URL()) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			l := &lecture{learners: c.learners, moves: 100}
			if testing.Short() {
				l.learners, l.moves = 10, 10
			}
			for b.Loop() {
				l.begin(b, c.servers(b))
				l.move(b)
				l.report(b)
			}
		})
	}
}

// sharing serves classes at so many servers with the same NATS, or with one inside.
func sharing(tb testing.TB, servers int, url string) (all []*httptest.Server) {
	tb.Helper()
	for range servers {
		lines, err := across.New(across.Config{Shared: shared.Config{URL: url, Lease: time.Hour}, Within: time.Hour})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(lines.Close)
		for !lines.Linked() {
			time.Sleep(time.Millisecond)
		}
		all = append(all, serving(tb, classes.Config{Shared: lines}))
	}
	return all
}

// lecture is a class of many that goes on for a while.
type lecture struct {
	learners, moves int

	teacher *webtest.Pupil
	conns   []*websocket.Conn

	mu   sync.Mutex
	sent []time.Time
	late [][]time.Duration // by learner
}

// begin has everybody come in: the class begins at the first server, and its teacher is at the last.
func (l *lecture) begin(b *testing.B, servers []*httptest.Server) {
	name, secret := webtest.BeginClass(b, servers[0], "/lab")
	l.teacher = webtest.Enter(b, servers[len(servers)-1], name, hello(secret))
	l.conns, l.sent, l.late = nil, make([]time.Time, l.moves), make([][]time.Duration, l.learners)
	for i := range l.learners {
		at := i % len(servers)
		conn, err := webtest.DialClass(b, servers[at], from(at), name)
		if err != nil {
			b.Fatal(err)
		}
		l.conns = append(l.conns, conn)
		l.say(b, i, join(i))
	}
	l.teacher.Until(func(v webtest.View) bool { return len(v.Dots) == l.learners })
	l.teacher.Send(`{"do":"pose","question":{"id":"q/1","choices":2,"right":0}}`)
	l.teacher.Until(func(v webtest.View) bool { return v.Question != nil })
}

// from returns a client at an address of its own, since only class.MaxLearnersOfOne come from the same.
func from(n int) *http.Client {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(n+1))}}
	return &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
}

func (l *lecture) say(b *testing.B, learner int, text string) {
	if err := l.conns[learner].Write(b.Context(), websocket.MessageText, []byte(text)); err != nil {
		b.Error(err)
	}
}

// move has the teacher move, learners answer, and everybody look.
func (l *lecture) move(b *testing.B) {
	var all sync.WaitGroup
	for i, c := range l.conns {
		all.Go(func() {
			for next := 0; next < l.moves; {
				at, err := nextMove(c)
				if err != nil {
					b.Error(err)
					return
				}
				now := time.Now()
				l.mu.Lock()
				for ; next <= at; next++ {
					l.late[i] = append(l.late[i], now.Sub(l.sent[next]))
				}
				l.mu.Unlock()
			}
		})
	}
	const every, answers = 100 * time.Millisecond, 50
	begun := time.Now()
	for i := range l.moves {
		l.mu.Lock()
		l.sent[i] = time.Now()
		l.mu.Unlock()
		l.teacher.Send(fmt.Sprintf(`{"do":"lead","place":{"page":"/lab","query":"at=%d"}}`, i))
		for n := range answers {
			time.Sleep(time.Until(begun.Add(time.Duration(i)*every + time.Duration(n)*every/answers)))
			who := (i*answers + n) % l.learners
			l.say(b, who, fmt.Sprintf(`{"do":"answer","number":1,"choice":%d}`, (i*answers+n)/l.learners%2))
		}
	}
	all.Wait()
}

func (l *lecture) report(b *testing.B) {
	all := slices.Concat(l.late...)
	slices.Sort(all)
	for p, name := range map[int]string{50: "p50-ms", 99: "p99-ms", 100: "max-ms"} {
		b.ReportMetric(float64(all[(len(all)-1)*p/100].Microseconds())/1000, name)
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
