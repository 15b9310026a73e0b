package observe_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// BenchmarkSeen watches this many folders of znodes, and changes a znode at this interval.
const (
	manyFolders = 20
	changeEvery = time.Second / 190
)

// counter counts the changes in a log.
type counter struct {
	mu          sync.Mutex
	found, told int
	missed      int64
}

// Append implements event.Sink.
func (c *counter) Append(e event.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case e.Kind == event.ZnodeFound:
		c.found++
	case e.Kind == event.ZnodeChanged && len(e.Path) > len("/many/00"):
		c.told++
	case e.Reason == event.LeftMissed:
		c.missed += e.N
	}
}

func (c *counter) counts() (found, told int, missed int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.found, c.told, c.missed
}

// BenchmarkSeen measures how many of 190 changes a second of 20,000 znodes are seen, by reading and by joining, on
// three servers: changes of all znodes in turn, and of ten of them.
func BenchmarkSeen(b *testing.B) {
	zktest.Need(b)
	nodes, changes := 20_000, 1900
	if testing.Short() {
		nodes, changes = 200, 19
	}
	e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 3, Direct: true,
		Config: apache.Config{Tick: 2 * time.Second}})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	servers := strings.Split(e.ConnectString(), ",")
	conn, _, err := zk.Connect(servers, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	populate(b, conn, nodes)
	f := feed.New(feed.Config{Servers: e.Quorum()})
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	defer func() { stop(); <-ended }()
	reading := observe.Observation{Servers: servers, Path: "/many"}
	for name, look := range map[string]func(context.Context, event.Sink) error{
		"reading": reading.Run,
		"joined":  func(ctx context.Context, to event.Sink) error { return f.Observe(ctx, "/many", to, 0, nil) },
	} {
		for _, of := range []int{nodes, 10} {
			b.Run(fmt.Sprintf("%s/%d", name, of), func(b *testing.B) {
				for b.Loop() {
					seen(b, conn, look, of, changes)
				}
			})
		}
	}
}

func leaf(i int) string { return fmt.Sprintf("/many/%02d/%d", i%manyFolders, i) }

func populate(b *testing.B, conn *zk.Conn, nodes int) {
	b.Helper()
	open := zk.WorldACL(zk.PermAll)
	ops := []any{&zk.CreateRequest{Path: "/many", Acl: open}}
	for i := range manyFolders {
		ops = append(ops, &zk.CreateRequest{Path: fmt.Sprintf("/many/%02d", i), Acl: open})
	}
	for i := range nodes {
		ops = append(ops, &zk.CreateRequest{Path: leaf(i), Data: []byte("0"), Acl: open})
		if len(ops) < 500 && i < nodes-1 {
			continue
		}
		if _, err := conn.Multi(ops...); err != nil {
			b.Fatal(err)
		}
		ops = nil
	}
}

// seen makes the changes, and reports the share that the log has.
func seen(b *testing.B, conn *zk.Conn, look func(context.Context, event.Sink) error, of, changes int) {
	b.Helper()
	var c counter
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- look(ctx, &c) }()
	settle(&c)
	tick := time.NewTicker(changeEvery)
	defer tick.Stop()
	var setters sync.WaitGroup
	from := time.Now()
	for i := range changes {
		<-tick.C
		setters.Go(func() {
			if _, err := conn.Set(leaf(i*7919%of), fmt.Append(nil, i), -1); err != nil {
				b.Error(err)
			}
		})
	}
	setters.Wait()
	took := time.Since(from)
	settle(&c)
	stop()
	<-ended
	_, told, missed := c.counts()
	b.ReportMetric(100*float64(told)/float64(changes), "%seen")
	b.ReportMetric(100*float64(missed)/float64(changes), "%counted")
	b.ReportMetric(float64(changes)/took.Seconds(), "changes/s")
}

// settle waits until a log has been quiet for a while.
func settle(c *counter) {
	type state struct {
		found, told int
		missed      int64
	}
	var was state
	for quiet := 0; quiet < 20; quiet++ {
		time.Sleep(100 * time.Millisecond)
		var now state
		if now.found, now.told, now.missed = c.counts(); now != was || now.found == 0 {
			was, quiet = now, 0
		}
	}
}
