package embed

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestOnlyThoseBehindGiveWay lets several clients read nothing until one of them has to give way. Its unwritten
// frames then count no more, so that clients that read stay connected.
func TestOnlyThoseBehindGiveWay(t *testing.T) {
	const most = 1 << 20
	bubble(t, Config{bounds: bounds{encoded: most}}, &nowhere{}, func(t *testing.T, s *Server) {
		path := "/" + strings.Repeat("n", 1000)
		changes := func(n int) wire.Request {
			multi := wire.Request{Op: wire.OpMulti}
			for range n {
				multi.Ops = append(multi.Ops, wire.Request{Op: wire.OpSetData, Path: path, Version: -1})
			}
			return multi
		}
		p := join(t, s, time.Minute)
		ask(t, p, wire.Request{Op: wire.OpCreate, Path: path, ACL: zoo.OpenACL()})
		watch := wire.Request{Op: wire.OpAddWatch, Path: path, Mode: wire.WatchPersistent}
		const behind = 4
		for range behind {
			ask(t, join(t, s, time.Minute), watch)
		}
		ask(t, p, changes(most/behind/1100)) // nearly as much as may wait, and writing of all of it has begun
		synctest.Wait()
		reader := join(t, s, time.Minute)
		ask(t, reader, watch)
		const rest = 60
		ask(t, p, changes(rest))
		for range rest {
			if m, err := reader.Recv(); err != nil || !m.IsNotification {
				t.Fatalf("the client that reads gets %+v, %v", m, err)
			}
		}
		synctest.Wait()
		if cut := s.cuts.Load(); cut != 1 {
			t.Errorf("%d clients are cut off, not one", cut)
		}
	})
}

// ask sends a request that must succeed.
func ask(t *testing.T, p *peer.Peer, r wire.Request) {
	t.Helper()
	got, _, err := p.Do(r)
	if err != nil || got.Code != zoo.OK {
		t.Fatalf("%v: %v, %v", r.Op, got.Code, err)
	}
}
