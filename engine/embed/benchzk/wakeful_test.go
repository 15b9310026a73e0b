package benchzk

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/apache"
	"github.com/zkviz/zkviz/engine/embed"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
)

// wakeEvery bounds what a lost wake-up costs ZooKeeper: little of a round, and enough to be seen in it.
const wakeEvery = 50 * time.Millisecond

// keepAwake has a client of its own ping a server until the returned function is called.
//
// In an ensemble, ZooKeeper 3.6.0 to 3.8.0 may miss that a write has been committed, and answer it only when somebody
// asks for something else (ZOOKEEPER-4537): its CommitProcessor looks for work without the lock, then takes the lock
// and waits, and what comes in between wakes nobody. A client that is alone with one request at a time, as in much of
// what is measured here, then waits until it gives up.
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

// ping pings a server until ctx ends or the server does.
func ping(ctx context.Context, addr string) {
	p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: 40_000})
	if err != nil {
		return
	}
	for p.Ping() == nil && pause(ctx) {
	}
	_ = p.Close() // the server may be gone
}

// pause reports whether ctx is still valid after a moment.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wakeEvery):
		return true
	}
}

// TestKeepAwake wants a server to be asked something again and again, and no session to be left of that.
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
