package follow

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/learnertest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
)

// words is a server that answers four-letter words, and serves nobody once it has lost its quorum.
type words struct {
	net.Listener
	lost  atomic.Bool
	asked atomic.Int64 // how often, since then
}

func startWords(t *testing.T, says map[string]string) *words {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &words{Listener: ln}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			word := make([]byte, 4)
			_, _ = io.ReadFull(conn, word)
			answer := says[string(word)]
			if w.lost.Load() {
				w.asked.Add(1)
				answer = "This ZooKeeper instance is not currently serving requests\n"
			}
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	}()
	return w
}

// TestJoinedLost: without a leader, a joined ensemble's lock stays as last heard, with its holder's address and
// whom its release would wake, although servers no longer say that.
func TestJoinedLost(t *testing.T) {
	const at = "/l/lock-000000000"
	tree := txnlogtest.Tree{Nodes: []txnlog.Node{{Path: "/"}, {Path: "/l"}}}
	for i, n := range []string{"1", "2", "3", "4"} {
		id := int64(7 + i)
		tree.Sessions = append(tree.Sessions, txnlogtest.Session{ID: id, TimeoutMS: 4000})
		tree.Nodes = append(tree.Nodes, txnlog.Node{Path: at + n, Stat: zoo.Stat{EphemeralOwner: id, Czxid: 3 + id,
			Ctime: 1000}})
	}
	leader := learnertest.Start(t, tree, 20)
	w := startWords(t, map[string]string{
		"cons": " /10.0.0.7:5000[1](queued=0,recved=1,sent=1,sid=0x7,lop=PING,est=1,to=4000,lcxid=0x1,lzxid=0x1," +
			"lresp=1,llat=0,minlat=0,avglat=0,maxlat=0)\n",
		"wchp": at + "1\n\t0x8\n\t0x9\n\t0xa\n",
	})
	var gone atomic.Bool
	dial := func(ctx context.Context, addr string) (net.Conn, error) {
		if gone.Load() {
			return nil, errors.New("gone")
		}
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
	f := feed.New(feed.Config{Servers: []string{leader.Addr}, Dial: dial})
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); _ = f.Run(ctx) }()
	all := New(cluster.Cluster{Feed: f, Sessions: sessions.New(sessions.Config{Servers: []string{w.Addr().String()},
		Every: time.Millisecond})})
	t.Cleanup(func() { all.Close(); stop(); <-over })
	f.Wait(ctx)
	report := func(herds bool) Report {
		t.Helper()
		r, err := all.Report(t.Context(), "/", herds)
		if err != nil || !r.Joined || len(r.Rows) != 1 {
			t.Fatalf("%v, %+v", err, r)
		}
		return r
	}
	if r := report(true); r.AsOfMS != 0 || r.Rows[0].Holding[0].Client.Addr != "10.0.0.7:5000" ||
		len(r.Rows[0].Wakes) != 1 || len(r.Rows[0].Alerts) != 1 || r.Rows[0].Alerts[0].Key != "trouble.herd" {
		t.Fatalf("with a leader: %+v", r)
	}
	report(false)
	gone.Store(true)
	w.lost.Store(true)
	leader.HangUp()
	for why := ""; why == ""; why, _ = f.Away() {
		time.Sleep(time.Millisecond)
	}
	all.on.Sessions = sessions.New(sessions.Config{Servers: []string{w.Addr().String()}, Every: time.Millisecond})
	r := report(true)
	row := &r.Rows[0]
	if w.asked.Load() == 0 || r.Away == "" || row.AsOfMS == 0 || row.AsOfMS != r.AsOfMS ||
		row.Holding[0].Client.Addr != "10.0.0.7:5000" || len(row.Wakes) != 1 || row.Wakes[0].Least != 3 ||
		len(row.Alerts) != 1 || row.Alerts[0].Key != "trouble.herd" {
		t.Errorf("without one: %+v", r)
	}
	if r := report(false); len(r.Rows[0].Wakes) > 0 || r.Rows[0].Holding[0].Client.Addr != "10.0.0.7:5000" {
		t.Errorf("without one and without asking: %+v", r)
	}
}
