package benchzk

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// wakeEvery bounds the cost of a wake-up that ZooKeeper loses: a small part of a round, but still visible in it.
const wakeEvery = 50 * time.Millisecond

// keepAwake pings a server with a separate client until the returned function is called.
//
// In an ensemble, ZooKeeper 3.6.0 to 3.8.0 may miss the commit of a write and answer it only at the next request
// (ZOOKEEPER-4537). Its CommitProcessor looks for work without the lock, then takes the lock and waits. Work that
// arrives in between wakes nobody. A single client that sends one request at a time, as most measurements here do,
// then waits until it gives up.
func keepAwake(addr string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var awake sync.WaitGroup
	awake.Go(func() {
		for pause(ctx) {
			ping(ctx, addr)
		}
	})
	return func() { cancel(); awake.Wait() }
}

// ping pings a server until ctx or the server ends.
func ping(ctx context.Context, addr string) {
	p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: 40_000})
	if err != nil {
		return
	}
	for p.Ping() == nil && pause(ctx) {
	}
	_ = p.Close() // the server may be gone
}

// pause waits a moment and reports whether ctx is still valid.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wakeEvery):
		return true
	}
}

// TestKeepAwake checks that the server keeps receiving requests, and that no session remains afterwards.
func TestKeepAwake(t *testing.T) {
	s, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	addr := s.Addr().String()
	stop := keepAwake(addr)
	asked := func() (n int) {
		_, text, _ := strings.Cut((&apache.Server{Addr: addr}).Word("srvr"), "Received: ")
		_, _ = fmt.Sscan(text, &n)
		return n
	}
	for begun := time.Now(); asked() < 5; time.Sleep(time.Millisecond) {
		if time.Since(begun) > startLimit {
			t.Fatal("nobody pings the server")
		}
	}
	stop()
	if text := (&apache.Server{Addr: addr}).Word("mntr"); !strings.Contains(text, "zk_global_sessions\t0\n") {
		t.Errorf("a session is left: %s", text)
	}
}
