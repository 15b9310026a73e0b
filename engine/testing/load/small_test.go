package load

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

func serve(t *testing.T, c embed.Config) string {
	t.Helper()
	c.MaxConnsPerAddr, c.MaxTimeout = -1, time.Hour
	s, err := embed.Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // losses were checked before
	return s.Addr().String()
}

// TestManySessions keeps sessions longer than they would last without heartbeats. No session, watch or event may be
// lost.
func TestManySessions(t *testing.T) {
	t.Parallel()
	o := options{sessions: 200, watches: 2000, timeout: 15 * time.Second, span: 18 * time.Second}
	w, err := gather(serve(t, embed.Config{}), o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if !testing.Short() {
		time.Sleep(o.span) // this time is what the test is about
	}
	if err := w.settle(patience); err != nil {
		t.Error(err)
	}
	pongs, fired := w.counts()
	t.Logf("%d pings answered, %d watch events", pongs, fired)
	if fired == 0 {
		t.Error("no watch event was sent")
	}
}

// TestKilledConnections checks that a session's znodes go no sooner than its timeout after its last message,
// however its connection ended.
func TestKilledConnections(t *testing.T) {
	t.Parallel()
	const timeout = 4 * time.Second // nothing pings, and a busy machine may stall before a znode is created
	addr := serve(t, embed.Config{Tick: timeout / 4})
	w, err := gather(addr, options{sessions: 1, timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	b, err := kill(addr, 100, timeout, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ephemeral znodes went %v to %v after the last request", b.least, b.most)
	if b.least < timeout {
		t.Errorf("an ephemeral znode went after %v, and its session lasts %v", b.least, timeout)
	}
}

func TestThirds(t *testing.T) {
	const mb = 1 << 20
	for _, test := range []struct {
		values []int64
		want   flatness
		grew   bool
	}{
		{nil, flatness{}, false},
		{[]int64{10 * mb, 11 * mb, 90 * mb, 11 * mb, 10 * mb, 12 * mb, 11 * mb, 10 * mb, 11 * mb},
			flatness{11 * mb, 11 * mb, 11 * mb}, false},
		{[]int64{40 * mb, 42 * mb, 44 * mb, 46 * mb, 48 * mb, 50 * mb}, flatness{42 * mb, 46 * mb, 50 * mb}, true},
	} {
		if got := thirds(test.values); got != test.want || got.grew() != test.grew {
			t.Errorf("%v: %v, grew %t", test.values, got, got.grew())
		}
	}
}
