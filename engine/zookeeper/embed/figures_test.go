package embed

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestFigures runs a few operations and reads mntr, conf and srvr afterwards.
func TestFigures(t *testing.T) {
	bubble(t, Config{MaxTimeout: 50 * time.Second}, &nowhere{}, func(t *testing.T, s *Server) {
		p := join(t, s, time.Hour)
		var watched int
		do := func(q wire.Request) {
			t.Helper()
			q.ACL = zoo.OpenACL()
			_, notes, err := p.Do(q)
			watched += len(notes)
			if err != nil {
				t.Fatal(q.Op, q.Path, err)
			}
		}
		do(wire.Request{Op: wire.OpGetChildren, Path: "/"}) // its answer is longer than those that follow
		do(wire.Request{Op: wire.OpExists, Path: "/a", Watch: true})
		do(wire.Request{Op: wire.OpCreate, Path: "/a", Data: []byte("12345")})
		do(wire.Request{Op: wire.OpGetData, Path: "/a", Watch: true})
		do(wire.Request{Op: wire.OpGetChildren, Path: "/a", Watch: true})
		do(wire.Request{Op: wire.OpSetData, Path: "/a", Data: []byte("1234567"), Version: -1})
		do(wire.Request{Op: wire.OpCreate, Path: "/a/e", Flags: int32(zoo.Ephemeral)})
		do(wire.Request{Op: wire.OpGetData, Path: "/a/e", Watch: true})
		do(wire.Request{Op: wire.OpDelete, Path: "/a/e", Version: -1})
		do(wire.Request{Op: wire.OpCreate, Path: "/b", Flags: int32(zoo.Ephemeral)})
		do(wire.Request{Op: wire.OpGetData, Path: "/a", Watch: true})
		time.Sleep(time.Second)
		if err := p.Ping(); err != nil || watched != 4 {
			t.Fatal(watched, err)
		}
		stranger := join(t, s, time.Hour)
		if _, _, err := stranger.Do(wire.Request{Xid: wire.XidAuth, Op: wire.OpAuth, Scheme: "none"}); err != nil {
			t.Log(err) // the server may close before
		}
		long := pipe(t, s)
		if _, err := long.Write([]byte("\x7f\xff\xff\xff")); err != nil {
			t.Fatal(err)
		}
		closes(long)
		closes(pipe(t, s)) // it sends nothing: 10 seconds
		if err := p.Ping(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		mntr := answered(t, s, "mntr")
		for key, want := range map[string]string{
			"server_state": "standalone", "ephemerals_count": "1", "num_alive_connections": "2", "znode_count": "7",
			"outstanding_requests": "0", "global_sessions": "2", "watch_count": "1", "auth_failed_count": "1",
			"uptime": "11000", "large_requests_rejected": "1", "connection_rejected": "0",
			"sessionless_connections_expired": "1",
			"connection_drop_count":           "0", "request_throttle_wait_count": "0", "connection_request_count": "2",
			"snap_count":                   "0",
			"sum_node_created_watch_count": "1", "sum_node_deleted_watch_count": "1", "sum_node_children_watch_count": "1",
			"sum_node_changed_watch_count": "1", "min_latency": "0", "max_latency": "0", "avg_latency": "0.0",
			"packets_received": "17", "packets_sent": "20", "last_client_response_size": "20", "min_client_response_size": "20",
			"bytes_received_count": "402",
		} {
			if got := mntr["zk_"+key]; got != want {
				t.Errorf("zk_%s is %s, not %s", key, got, want)
			}
		}
		conf := answered(t, s, "conf")
		for key, want := range map[string]string{
			"clientPort": "2181", "tickTime": "2000", "maxClientCnxns": "60", "minSessionTimeout": "4000",
			"maxSessionTimeout": "50000",
		} {
			if conf[key] != want {
				t.Errorf("%s is %s, not %s", key, conf[key], want)
			}
		}
	})
}

// TestTally checks the shortest, longest and last values.
func TestTally(t *testing.T) {
	var y tally
	var z figures[int64]
	for _, n := range []int{3, 5, 1, 2} {
		y.latency.add(time.Duration(n) * time.Millisecond)
		z.add(int64(n))
	}
	l := &y.latency
	if l.least != time.Millisecond || l.most != 5*time.Millisecond || l.last != 2*time.Millisecond || y.average() != 2.75 {
		t.Errorf("of latencies it counts %+v", y)
	}
	if z != (figures[int64]{count: 4, sum: 11, least: 1, most: 5, last: 2}) {
		t.Errorf("of sizes it counts %+v", z)
	}
	if new(tally).average() != 0 {
		t.Error("of nothing there is an average")
	}
}

// answered returns the answer to a four-letter word, by key.
func answered(t *testing.T, s *Server, word string) map[string]string {
	t.Helper()
	conn := pipe(t, s)
	defer conn.Close()
	if _, err := io.WriteString(conn, word); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if at := strings.IndexAny(line, "\t="); at > 0 {
			all[line[:at]] = strings.TrimSpace(line[at+1:])
		}
	}
	return all
}
