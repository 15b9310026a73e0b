package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"golang.org/x/time/rate"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/daemon"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// deep is how many clients hold or await each lock of a large cluster.
const deep = 10

// large is a cluster with many locks, whose clients hand them over.
type large struct {
	servers *apache.Ensemble
	clients []*zk.Conn // as many as stand in line at each lock
	locks   int
	first   []atomic.Int64 // by lock, the number in line of its holder
	writes  atomic.Int64
}

// BenchmarkLocksPage measures the page of locks with 10,000 locks of ten clients each, on a joined ensemble that gets
// 500 transactions a second: how long a page takes and what it costs the processor, whole, filtered and far behind;
// what following costs without a page; and how much memory the process has.
func BenchmarkLocksPage(b *testing.B) {
	c := newLarge(b, 10_000)
	url, pid := c.shown(b, "--observe-ensemble", strings.Join(c.servers.Quorum(), ","))
	stop := c.handOver(b, 500)
	defer stop()
	for b.Loop() {
		get(b, url)
	}
	last := shorter(10 * time.Second)
	alone, wrote := used(b, pid), c.writes.Load()
	time.Sleep(last)
	alone = used(b, pid) - alone
	b.ReportMetric(float64(c.writes.Load()-wrote)/last.Seconds(), "tx/s")
	b.ReportMetric(alone.Seconds()/last.Seconds(), "CPU-alone")
	for _, way := range []struct{ name, query string }{
		{"", ""}, {"filtered-", "?kind=lock&text=l1&page=3"}, {"last-", "?page=10000"},
	} {
		var took []float64
		began, before := time.Now(), used(b, pid)
		for range 20 {
			at := time.Now()
			get(b, url+way.query)
			took = append(took, float64(time.Since(at).Microseconds())/1000)
		}
		cost := used(b, pid) - before - time.Duration(float64(alone)*float64(time.Since(began))/float64(last))
		slices.Sort(took)
		b.ReportMetric(took[len(took)/2], way.name+"ms")
		b.ReportMetric(took[len(took)-1], way.name+"ms-most")
		b.ReportMetric(float64(cost.Milliseconds())/float64(len(took)), way.name+"CPU-ms")
	}
	b.ReportMetric(float64(resident(b, pid))/1e6, "MB")
}

// BenchmarkLocksRead measures how 1,000 such locks are read, if nothing is joined, which takes 11,000 znodes: for how
// long, and how many packets servers get. Once nothing changes any more, while a page asks every second, those are
// only the words that zkviz asks and heartbeats.
func BenchmarkLocksRead(b *testing.B) {
	c := newLarge(b, 1000)
	before, began := c.packets(b), time.Now()
	url, pid := c.shown(b)
	b.ReportMetric(0, "ns/op")
	for b.Loop() { // it is read once
	}
	b.ReportMetric(time.Since(began).Seconds(), "s-to-read")
	b.ReportMetric(float64(c.packets(b)-before), "packets")
	time.Sleep(shorter(5 * time.Second)) // it looks whether anything has changed since it began
	before, began = c.packets(b), time.Now()
	for last := shorter(10 * time.Second); time.Since(began) < last; time.Sleep(time.Second) {
		get(b, url)
	}
	b.ReportMetric(float64(c.packets(b)-before)/time.Since(began).Seconds(), "idle-packets/s")
	b.ReportMetric(float64(resident(b, pid))/1e6, "MB")
}

// shorter returns how long to measure.
func shorter(d time.Duration) time.Duration {
	if testing.Short() {
		return d / 10
	}
	return d
}

// shown runs viz-server until the benchmark ends, and returns the address of its page of locks once that has all of
// them, and its process.
func (c *large) shown(b *testing.B, args ...string) (url string, pid int) {
	b.Helper()
	program := filepath.Join(b.TempDir(), "viz-server")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	url, pid = start(b, program, append([]string{"--zk", c.servers.ConnectString()}, args...)...)
	url += "/live/locks"
	for text := ""; !strings.Contains(text, fmt.Sprintf("%d of %[1]d", c.locks)); time.Sleep(100 * time.Millisecond) {
		text = get(b, url)
	}
	return url, pid
}

// packets returns how many packets all servers have received.
func (c *large) packets(b *testing.B) (sum int) {
	b.Helper()
	for _, s := range c.servers.Servers {
		_, rest, _ := strings.Cut(s.Word("mntr"), "zk_packets_received\t")
		n, err := strconv.Atoi(strings.SplitN(rest, "\n", 2)[0])
		if err != nil {
			b.Fatal(err)
		}
		sum += n
	}
	return sum
}

func newLarge(b *testing.B, n int) *large {
	b.Helper()
	zktest.Need(b)
	b.Setenv("GOGC", "") // as users have it
	if testing.Short() {
		n = 20
	}
	e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 3, Direct: true,
		Config: apache.Config{HeapMB: 512, Settings: []string{"initLimit=150", "syncLimit=150"}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(e.Close)
	c := &large{servers: e, locks: n, first: make([]atomic.Int64, n)}
	for range deep {
		conn, _, err := zk.Connect(strings.Split(e.ConnectString(), ","), apache.MaxSession, zk.WithLogInfo(false))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(conn.Close)
		c.clients = append(c.clients, conn)
	}
	const each = 500 // operations in one transaction
	acl := zk.WorldACL(zk.PermAll)
	send := func(conn *zk.Conn, op func(lock int) any) {
		var ops []any
		for i := range n {
			if ops = append(ops, op(i)); len(ops) == each || i == n-1 {
				if _, err := conn.Multi(ops...); err != nil {
					b.Fatal(err)
				}
				ops = ops[:0]
			}
		}
	}
	send(c.clients[0], func(i int) any { return &zk.CreateRequest{Path: fmt.Sprintf("/l%d", i), Acl: acl} })
	for at, conn := range c.clients {
		send(conn, func(i int) any {
			return &zk.CreateRequest{Path: c.znode(i, at), Flags: zk.FlagEphemeral, Acl: acl}
		})
	}
	return c
}

// znode returns the path of the client that is at a place in the line of a lock, counted from the beginning of time.
func (c *large) znode(lock, at int) string { return fmt.Sprintf("/l%d/lock-%010d", lock, at) }

// handOver lets holders of locks go and stand in line again, at so many transactions a second, until stop is called.
func (c *large) handOver(b *testing.B, perSecond int) (stop func()) {
	b.Helper()
	ctx, end := context.WithCancel(b.Context())
	limit := rate.NewLimiter(rate.Limit(perSecond), perSecond/10)
	var next atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for {
				lock := int(next.Add(1)-1) % c.locks
				at := int(c.first[lock].Add(1) - 1)
				conn := c.clients[at%deep]
				if limit.Wait(ctx) != nil || conn.Delete(c.znode(lock, at), -1) != nil || limit.Wait(ctx) != nil {
					return
				}
				_, err := conn.Create(c.znode(lock, at+deep), nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
				if err != nil {
					return
				}
				c.writes.Add(2)
			}
		})
	}
	return func() { end(); all.Wait() }
}

func get(b *testing.B, url string) string {
	b.Helper()
	answer, err := http.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.Fatalf("%s: %d, %v", url, answer.StatusCode, err)
	}
	return string(body)
}

func used(b *testing.B, pid int) time.Duration {
	b.Helper()
	cpu, err := daemon.CPU(pid)
	if err != nil {
		b.Skip(err)
	}
	return cpu
}

// resident returns how many bytes of memory a process has.
func resident(b *testing.B, pid int) int {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		b.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		b.Fatal(err)
	}
	return pages * os.Getpagesize()
}
