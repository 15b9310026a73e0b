package ensemble

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// busy returns a server's answer after some seconds, with what it has done by then.
func busy(addr, mode string, seconds, reads, readMS, writes, writeMS int64, failed ...int64) Answer {
	a := answer(addr, mode, 0x100000001)
	t := &a.Figures.Traffic
	t.UptimeMS = seconds * 1000
	t.Reads, t.Writes = admin.Served{N: reads, SumMS: readMS}, admin.Served{N: writes, SumMS: writeMS}
	copy(t.Failures[:], failed)
	return a
}

// TestTraffic checks what rounds tell about reads, writes and failures: on average since the start at first, then
// between two rounds, unless a server has restarted or its counters were reset.
func TestTraffic(t *testing.T) {
	voice := english(t)
	var s State
	for i, c := range []struct {
		answers []Answer
		want    string
	}{
		{[]Answer{busy("a:1", admin.Leader, 100, 1000, 500, 100, 400, 7), busy("b:1", admin.Follower, 10, 100, 0, 0, 0)},
			"20 reads a second in 0.5 ms, 1 writes a second in 4 ms, on average since the start"},
		{[]Answer{busy("a:1", admin.Leader, 102, 1100, 900, 104, 440, 9, 1), busy("b:1", admin.Follower, 12, 100, 0, 0, 0)},
			"50 reads a second in 4 ms, 2 writes a second in 10 ms · 2 connections refused · 1 connection broken"},
		{[]Answer{busy("a:1", admin.Leader, 104, 1100, 900, 104, 440, 9, 1), busy("b:1", admin.Follower, 14, 100, 0, 0, 0)},
			"no reads, no writes"},
		{[]Answer{busy("a:1", admin.Leader, 106, 1100, 900, 104, 440, 9, 1), busy("b:1", admin.Follower, 1, 10, 0, 0, 0)},
			"20.4 reads a second in 0.8 ms, 1 writes a second in 4.2 ms, on average since the start"}, // b has restarted
		{[]Answer{busy("a:1", admin.Leader, 108, 54, 0, 104, 440, 9, 1), busy("b:1", admin.Follower, 3, 10, 0, 0, 0)},
			"3.8 reads a second in 0 ms, 1 writes a second in 4.2 ms, on average since the start"}, // a was reset
		{[]Answer{busy("a:1", admin.Leader, 600, 600, 0, 0, 0), busy("b:1", admin.Follower, 5, 10, 0, 0, 0)},
			"3 reads a second in 0 ms, no writes, on average since the start"}, // a's last answer is old
		{[]Answer{answer("a:1", admin.Leader, 5), busy("b:1", admin.Follower, 7, 10, 0, 0, 0)}, ""}, // a doesn't tell
	} {
		s = Fold(s, c.answers, Heard{}, startMS+int64(i)*2000)
		_, got, _ := strings.Cut(voice.Says(s.Says()), "nothing outstanding")
		if got = strings.TrimPrefix(got, " · "); got != c.want {
			t.Errorf("after round %d it says %q, not %q", i+1, got, c.want)
		}
	}
}

// TestHostileTraffic checks that no figures of a server make it say anything negative.
func TestHostileTraffic(t *testing.T) {
	const most = 1<<63 - 1
	var s State
	for i, n := range []int64{0, most, 1, most, most} {
		s = Fold(s, []Answer{busy("a:1", admin.Leader, n/1000, n, n, n, n, n),
			busy("b:1", admin.Follower, n/1000, n, n, n, n)}, Heard{}, startMS+int64(i))
		if text := english(t).Says(s.Says()); strings.Contains(text, "-") {
			t.Errorf("of %d it says %s", n, text)
		}
	}
}

// TestRealTraffic asks a real ZooKeeper before and after a client's requests, some of which fail. Failed ones count
// like others.
func TestRealTraffic(t *testing.T) {
	zktest.Need(t)
	server, err := apache.Start(apache.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	client, err := peer.Dial(server.Addr, wire.ConnectRequest{TimeoutMS: 30_000})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Abort()
	p := New(inquiry.Servers([]string{server.Addr}, access.Dialer{}, nil), access.Dialer{}, time.Millisecond)
	before, err := p.Next(t.Context(), 0)
	if err != nil || before.Servers[0].Traffic.UptimeMS == 0 {
		t.Fatalf("%+v, %v", before, err)
	}
	for i := range int32(20) {
		for _, r := range []wire.Request{{Op: wire.OpExists, Path: "/no"}, {Op: wire.OpDelete, Path: "/no", Version: -1}} {
			r.Xid = i + 1
			if _, _, err := client.Do(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	after, err := p.Next(t.Context(), before.Number)
	r, now := after.Servers[0].Rates()
	if err != nil || !now || r.Reads.N != 20 || r.Writes.N != 20 {
		t.Errorf("%+v, %v, %v", r, now, err)
	}
}
