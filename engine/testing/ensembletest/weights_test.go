package ensembletest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestWeights checks what the glossary says about quorums: with weights, more than half of the weight is one. Of four
// of ZooKeeper's servers that weigh 2, 1, 1 and 1, the first two go on without the rest, but the rest don't without
// them.
func TestWeights(t *testing.T) {
	zktest.Need(t)
	e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 4, Direct: true, Config: apache.Config{Tick: tick,
		HeapMB: 96, Settings: []string{"group.1=1:2:3:4", "weight.1=2", "weight.2=1", "weight.3=1", "weight.4=1"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	await := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("in vain:", what)
			}
		}
	}
	e.Servers[2].Kill()
	e.Servers[3].Kill()
	await("a write at the first two", func() bool { return creates(e.Servers[0].Addr) == nil })
	for _, s := range e.Servers[2:] {
		if err := s.Again(); err != nil {
			t.Fatal(err)
		}
	}
	e.Servers[0].Kill()
	e.Servers[1].Kill()
	for _, s := range e.Servers[2:] {
		await("a server that stops serving", func() bool {
			return strings.Contains(s.Word("srvr"), "not currently serving")
		})
	}
}

// creates creates a znode.
func creates(addr string) error {
	p, err := peer.Dial(addr, wire.ConnectRequest{TimeoutMS: 10_000, Password: make([]byte, wire.PasswordBytes)})
	if err != nil {
		return err
	}
	defer p.Abort()
	r, _, err := p.Do(wire.Request{Op: wire.OpCreate, Path: "/w-", ACL: zoo.OpenACL(),
		Flags: int32(zoo.PersistentSequential)})
	if err == nil && r.Code != zoo.OK {
		err = errors.New("refused")
	}
	return err
}
