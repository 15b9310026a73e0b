package capture_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// FuzzFrames lets two clients and their server send anything. Events in the log must follow their causes, and no
// payload may change. In the end, each frame must have gone on, and no watch event may remain on its way.
func FuzzFrames(f *testing.F) {
	frames := func(records ...wire.Record) (b []byte) {
		for _, r := range records {
			b = wire.AppendFrame(b, r)
		}
		return b
	}
	secret := make([]byte, 16)
	hello, welcome := &wire.ConnectRequest{Password: secret}, &wire.ConnectResponse{Session: 9, Password: secret}
	f.Add(frames(hello,
		&wire.Request{Xid: 1, Op: wire.OpCreate, Path: "/a", Flags: 1, ACL: zoo.OpenACL()},
		&wire.Request{Xid: 2, Op: wire.OpMulti, Ops: []wire.Request{
			{Op: wire.OpDelete, Path: "/a"}, {Op: wire.OpCreate, Path: "/b"}}},
		&wire.Request{Xid: 3, Op: wire.OpGetData, Path: "/a", Watch: true},
		&wire.Request{Xid: 4, Op: wire.OpCloseSession},
	), frames(welcome,
		&wire.Response{Xid: 1, Op: wire.OpCreate, Zxid: 1, Path: "/a"},
		&wire.Notification{Type: int32(zoo.NodeDeleted), State: wire.StateSyncConnected, Path: "/a"},
		&wire.Response{Xid: 2, Op: wire.OpMulti, Zxid: 2, Results: []wire.Result{
			{Op: wire.OpDelete}, {Op: wire.OpCreate}, {Op: wire.OpCreate}}},
		&wire.Response{Xid: 3, Op: wire.OpGetData, Zxid: 2},
		&wire.Response{Xid: 4, Op: wire.OpCloseSession, Zxid: 3}), uint8(1))
	again := &wire.Request{Xid: 1, Op: wire.OpSetWatches, DataWatches: []string{"/a"}, ChildWatches: []string{"/a", ""}}
	refused := &wire.ConnectResponse{Password: secret}
	f.Add(frames(hello, again), frames(refused, &wire.Response{Xid: 1, Op: wire.OpSetWatches}), uint8(3))
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x01?"),
		bytes.Repeat([]byte{0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff}, 4), uint8(0))
	f.Fuzz(func(t *testing.T, up, down []byte, lost uint8) {
		now, seq := time.Unix(0, 0), event.Seq(0)
		cluster := capture.NewCluster(func(e event.Event) event.Seq {
			if e.Cause > seq {
				t.Fatalf("after %d events one is because of %d", seq, e.Cause)
			}
			seq++
			return seq
		}, func() {}, func() {})
		asked := wire.NewFrameReader(bytes.NewReader(up), wire.MaxFrame)
		told := wire.NewFrameReader(bytes.NewReader(down), wire.MaxFrame)
		inbound := 0
		var waiting []*capture.Frame
		var conns []*capture.Conn
		for id := range event.Actor(2) {
			c := &capture.Client{ID: id + 1, Inbound: func(n int) { inbound += n }}
			c.Latency = func() time.Duration { return 0 }
			claim := func(r *capture.Request) { r.Claimed, r.Cause, r.Passed = true, seq, true }
			conns = append(conns, cluster.Connect(c, claim, func(*capture.Frame) {}))
		}
		for n := 0; ; n++ {
			c := conns[n/8%2]
			sent, noMore := asked.Next()
			if was := bytes.Clone(sent); noMore == nil {
				s := c.Sent(sent, 0)
				if n == int(lost) {
					c.Lost(s, now)
				}
				if !bytes.Equal(sent, was) {
					t.Fatalf("%x becomes %x", was, sent)
				}
			}
			received, nothing := told.Next()
			if was := bytes.Clone(received); nothing == nil {
				var frame capture.Frame
				c.Received(&frame, was, now)
				if !bytes.Equal(received, was) {
					t.Fatalf("%x becomes %x", received, was)
				}
				waiting = append(waiting, &frame)
			}
			if noMore != nil && nothing != nil {
				break
			}
		}
		for _, c := range conns {
			c.HungUp(now)
		}
		cluster.Looked(cluster.BeginLook(), now)
		for range len(waiting) + 1 { // those that wait for each other go in turn
			now = now.Add(time.Minute)
			cluster.Settle(now)
		}
		for _, frame := range waiting {
			if frame.Waits {
				t.Errorf("a frame waits for ever: %+v", frame)
			}
			if frame.Notice != nil {
				inbound--
			}
		}
		if inbound != 0 {
			t.Errorf("%d watch events are still expected", inbound)
		}
	})
}
