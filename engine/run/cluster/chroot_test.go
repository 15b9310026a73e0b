package cluster_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/learnertest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// listener writes down what a feed passes to a subscriber.
type listener struct{ said chan string }

func (l listener) Begin(tree iter.Seq2[string, *replay.Node], _ int64) {
	var paths []string
	for path := range tree {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	l.said <- strings.Join(paths, " ")
}

func (l listener) Take(_ *wire.Txn, facts []replay.Fact, _ int64) {
	var b strings.Builder
	for _, f := range facts {
		fmt.Fprintf(&b, "%s %s; ", f.Kind, f.Path)
	}
	l.said <- b.String()
}

// TestSubscribe takes the chroot off each path of an ensemble's stream once: below it there may be another of its name.
// It leaves out what is outside, but not what sessions do, nor a transaction that names a znode outside.
func TestSubscribe(t *testing.T) {
	ensemble := learnertest.Start(t, txnlogtest.Tree{Nodes: []txnlog.Node{{Path: "/"}, {Path: "/in"}, {Path: "/in/in"},
		{Path: "/inside"}}}, 9)
	f := feed.New(feed.Config{Servers: []string{ensemble.Addr}})
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); _ = f.Run(ctx) }()
	defer func() { stop(); <-over }()
	on := cluster.Cluster{Feed: f, Access: access.Dialer{Chroot: "/in"}}
	all := listener{make(chan string, 10)}
	on.Subscribe(all)
	says := func(want string) {
		t.Helper()
		select {
		case got := <-all.said:
			if got != want {
				t.Errorf("it says %q, not %q", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("it doesn't say %q", want)
		}
	}
	says("/ /in")
	ensemble.Happen(wire.Txn{Session: 8, Zxid: 10, Op: wire.OpCreateSession, TimeoutMS: 4000})
	says("session.created ; ")
	ensemble.Happen(wire.Txn{Session: 8, Cxid: 1, Zxid: 11, Op: wire.OpCreate, Path: "/in/in/l", Ephemeral: true})
	says("txn.applied /in/l; znode.created /in/l; ")
	ensemble.Happen(wire.Txn{Session: 8, Cxid: 2, Zxid: 12, Op: wire.OpCreate, Path: "/inside/l", Ephemeral: true})
	says("txn.applied ; ")
	ensemble.Happen(wire.Txn{Session: 8, Zxid: 13, Op: wire.OpCloseSession, Paths: []string{"/in/in/l", "/inside/l"}})
	says("session.expired ; znode.deleted /in/l; ")
	for path, want := range map[string]bool{"/": true, "/in": true, "/inside": false, "/in/in": false, "in": false} {
		if on.Exists(path) != want {
			t.Errorf("there is %s: %t", path, !want)
		}
	}
}
