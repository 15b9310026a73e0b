package follow

import (
	"context"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/learnertest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
)

// TestEnsembleJoined: a joined ensemble's stream tells of its leader, though the server refuses to. Once the leader is
// gone, nothing tells.
func TestEnsembleJoined(t *testing.T) {
	t.Parallel()
	leader := learnertest.Start(t, txnlogtest.Tree{Nodes: []txnlog.Node{{Path: "/"}}}, 5<<32+9)
	w := startWords(t, map[string]string{"srvr": "srvr is not executed because it is not in the whitelist.\n"})
	f := feed.New(feed.Config{Servers: []string{leader.Addr}})
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); _ = f.Run(ctx) }()
	servers := inquiry.Servers([]string{w.Addr().String()}, access.Dialer{}, nil)
	all := New(cluster.Cluster{Feed: f, Ensemble: ensemble.New(servers, access.Dialer{}, time.Millisecond)})
	t.Cleanup(func() { all.Close(); stop(); <-over })
	f.Wait(ctx)
	s, known := all.Ensemble(t.Context())
	epoch, leads := f.Epoch()
	if !known || !leads || epoch != 5 || s.Quorum != ensemble.Serves || s.Epoch != epoch || s.Leader != "" {
		t.Errorf("with a leader of epoch %d, %t: %+v", epoch, leads, s)
	}
	stop()
	<-over
	for s.Quorum != ensemble.Unknown {
		time.Sleep(time.Millisecond)
		s, _ = all.Ensemble(t.Context())
	}
	if _, leads := f.Epoch(); leads || s.Servers[0].Why.Key != inquiry.Refused {
		t.Errorf("without one: %t, %+v", leads, s)
	}
}

// TestNobodyMayAsk: without a poller there is no state, and nothing waits for one.
func TestNobodyMayAsk(t *testing.T) {
	l := New(cluster.Cluster{})
	defer l.Close()
	if s, known := l.Ensemble(t.Context()); known {
		t.Errorf("it knows %+v", s)
	}
}
