package server_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestRenew checks that after an outage every session has its whole timeout, and expires only then.
func TestRenew(t *testing.T) {
	expired := 0
	s := server.New(server.Config{Emit: func(e event.Event) event.Seq {
		if e.Kind == event.SessionExpired {
			expired++
		}
		return 0
	}})
	for range 2 {
		link := &client{}
		link.conn = s.Connect(link, server.From{})
		link.conn.Greet(&wire.ConnectRequest{TimeoutMS: 10_000}, 0, 0)
	}
	const up, deadline = 101 * time.Second, 112 * time.Second // the tick after the timeout of 10 s
	s.Renew(up)
	for _, info := range s.Sessions() {
		if info.Deadline != deadline {
			t.Errorf("after %v the deadline is %v, want %v", up, info.Deadline, deadline)
		}
	}
	if s.Tick(deadline - 1); expired != 0 {
		t.Errorf("%d expired before the deadline", expired)
	}
	if s.Tick(deadline); expired != 2 {
		t.Errorf("%d expired at the deadline, want 2", expired)
	}
}
