package meter_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/cmd/attack/internal/meter"
	"github.com/zkviz/zkviz/engine/embed"
)

// planted is how long an answer is held up. A meter that finds more than that is right on any machine.
const planted = 300 * time.Millisecond

// until waits for something that must come.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it did not come", what)
		}
	}
}

func needLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux takes all of 127.0.0.0/8 for this machine")
	}
}

// TestVisitor visits a server that is slow with one page and refuses another.
func TestVisitor(t *testing.T) {
	needLinux(t)
	var loads atomic.Int64
	var slow, refused sync.Once
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		loads.Add(1)
		switch r.URL.Path {
		case "/lab":
			slow.Do(func() { time.Sleep(planted) }) // the fault that the meter has to find
		case "/recipes":
			refused.Do(func() { w.WriteHeader(http.StatusServiceUnavailable) })
		}
	}))
	defer srv.Close()
	ctx, leave := context.WithCancel(t.Context())
	var s meter.Samples
	var all sync.WaitGroup
	all.Go(func() { meter.Visitor(ctx, client.Address(0, 2), srv.URL, time.Millisecond, &s) })
	until(t, "twenty pages", func() bool { return loads.Load() > 20 })
	leave()
	all.Wait()
	w := s.Take()
	if got := w.Quantile(1); got < planted {
		t.Errorf("the slowest page took %v, and one was held up for %v", got, planted)
	}
	if w.Failed != 1 || len(w.Failures) != 1 || !strings.Contains(w.Failures[0], "/recipes") {
		t.Errorf("%d pages failed: %q", w.Failed, w.Failures)
	}
	if again := s.Take(); len(again.Took) > 0 || again.Failed > 0 {
		t.Errorf("the next window begins with %+v", again)
	}
}

// between passes connections on to a server, holds one answer up, and cuts one connection.
type between struct {
	net.Listener
	to   string
	late atomic.Bool // the next answer is late
	cut  atomic.Bool // the next answer does not come
	all  sync.WaitGroup
}

func (b *between) serve() {
	for {
		in, err := b.Accept()
		if err != nil {
			return
		}
		b.all.Go(func() {
			defer in.Close()
			out, err := net.Dial("tcp", b.to)
			if err != nil {
				return
			}
			defer out.Close()
			b.all.Go(func() {
				_, _ = io.Copy(out, in)
				_ = out.Close()
			})
			for buf := make([]byte, 1<<16); ; {
				n, err := out.Read(buf)
				if err != nil || b.cut.CompareAndSwap(true, false) {
					return
				}
				if b.late.CompareAndSwap(true, false) {
					time.Sleep(planted) // the fault that the meter has to find
				}
				if _, err := in.Write(buf[:n]); err != nil {
					return
				}
			}
		})
	}
}

// TestZooKeeper has a client work on a server that is late once and cuts it off once.
func TestZooKeeper(t *testing.T) {
	needLinux(t)
	srv, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &between{Listener: ln, to: srv.Addr().String()}
	b.all.Go(b.serve)
	ctx, leave := context.WithCancel(t.Context())
	var s meter.Samples
	var all sync.WaitGroup
	all.Go(func() { meter.ZooKeeper(ctx, client.Address(0, 3), ln.Addr().String(), time.Millisecond, &s) })
	var sum meter.Window
	answers := func(n int) func() bool {
		return func() bool { sum = sum.Add(s.Take()); return len(sum.Took) >= n }
	}
	until(t, "answers", answers(10))
	b.late.Store(true)
	until(t, "a late answer", func() bool { return !b.late.Load() })
	b.cut.Store(true)
	until(t, "a cut", func() bool { return !b.cut.Load() })
	until(t, "more answers", answers(len(sum.Took)+20))
	leave()
	all.Wait()
	_ = ln.Close()
	b.all.Wait()
	sum = sum.Add(s.Take())
	if got := sum.Quantile(1); got < planted {
		t.Errorf("the slowest answer took %v, and one was held up for %v", got, planted)
	}
	if sum.Failed != 1 {
		t.Errorf("%d requests failed, and one connection was cut: %q", sum.Failed, sum.Failures)
	}
}

func TestQuantile(t *testing.T) {
	var hundred meter.Window
	for i := range 100 {
		hundred.Took = append(hundred.Took, time.Duration(100-i)*time.Millisecond)
	}
	slices.Reverse(hundred.Took)
	for _, test := range []struct {
		w    meter.Window
		q    float64
		want time.Duration
	}{
		{meter.Window{}, 0.99, 0}, {hundred, 0.5, 50 * time.Millisecond}, {hundred, 0.99, 99 * time.Millisecond},
		{hundred, 1, 100 * time.Millisecond},
		{meter.Window{Took: []time.Duration{7}}, 0.99, 7},
	} {
		if got := test.w.Quantile(test.q); got != test.want {
			t.Errorf("%d samples, %v: %v, want %v", len(test.w.Took), test.q, got, test.want)
		}
	}
	if got, want := fmt.Sprint(hundred), "50/99/100 ms"; got != want {
		t.Errorf("printed as %s, want %s", got, want)
	}
}
