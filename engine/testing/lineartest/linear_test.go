// Package lineartest checks the embedded server against ZooKeeper's consistency guarantees. It judges the histories
// of concurrent clients whose connections break, whose answers get lost and whose sessions expire. It contains only
// tests.
package lineartest

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

const (
	clients = 8
	each    = 400 // things that each client does
)

// TestLinearizable records clients of a server and judges the history.
func TestLinearizable(t *testing.T) {
	for _, seed := range []uint64{1, 2, uint64(time.Now().UnixNano())} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			h, faults := record(t, seed)
			if h.judge(t) != porcupine.Ok {
				t.Errorf("seed %d: no order of its %d ops explains what the clients saw", seed, len(h.ops))
			}
			t.Logf("%d ops; %+v", len(h.ops), faults)
			if faults.lost == 0 || faults.expired == 0 || faults.resumed == 0 {
				t.Errorf("seed %d: not every fault occurred: %+v", seed, faults)
			}
		})
	}
}

// faults counts what happened to the clients.
type faults struct{ lost, expired, resumed int }

func record(t *testing.T, seed uint64) (*history, faults) {
	t.Helper()
	s, err := embed.Listen(embed.Config{Tick: timeout / 20, MaxTimeout: time.Hour, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // nothing needs it any more
	found(t, s.Addr().String())
	return recordAt(t, seed, client{addr: []string{s.Addr().String()}}, each)
}

// recordAt records several clients, all set up like the given one.
func recordAt(t *testing.T, seed uint64, like client, each int) (*history, faults) {
	t.Helper()
	h := newHistory()
	kill := make(chan struct{})
	over := make(chan struct{})
	go func() { // disconnects clients that wait for an answer
		for {
			select {
			case kill <- struct{}{}:
				time.Sleep(20 * time.Millisecond)
			case <-over:
				return
			}
		}
	}()
	all := make([]*client, clients)
	var working sync.WaitGroup
	for i := range all {
		c := like
		c.id, c.h, c.kill, c.rng = i, h, kill, rand.New(rand.NewPCG(seed, uint64(i)))
		all[i] = &c
		working.Go(func() { c.work(t, each) })
	}
	working.Wait()
	close(over)
	var sum faults
	for _, c := range all {
		sum.lost, sum.expired, sum.resumed = sum.lost+c.lost, sum.expired+c.expired, sum.resumed+c.resumed
	}
	return h, sum
}

// found creates the families' parent znodes.
func found(t *testing.T, addr string) {
	t.Helper()
	p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: int32(time.Hour / time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	for f := range families {
		r, _, err := p.Do(wire.Request{Op: wire.OpCreate, Path: top(f), ACL: zoo.OpenACL()})
		if err != nil || r.Code != zoo.OK {
			t.Fatal(r.Code, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}
