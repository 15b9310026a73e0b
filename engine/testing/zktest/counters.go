package zktest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/apache"
)

// Counters holds a server's counts, from its words srvr and mntr, or the difference between two of them.
type Counters struct {
	Zxid        int64 // the zxid of its last transaction
	Znodes      int64
	Ephemerals  int64
	Bytes       int64 // of all paths and data
	Watches     int64 // a persistent recursive one counts as two
	Sessions    int64 // of the whole ensemble
	Connections int64 // of clients to this server, including the one that asks
	Outstanding int64 // waiting requests
}

// Count asks a server for its counts.
func Count(tb testing.TB, s *apache.Server) Counters {
	tb.Helper()
	var c Counters
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c.read(s.Word("srvr"), s.Word("mntr")) {
			return c
		}
	}
	tb.Fatalf("the server at %s did not report all its counters within %v", s.Addr, patience)
	return c
}

// read reports whether the answers contain every count.
func (c *Counters) read(srvr, mntr string) bool {
	fields := map[string]*int64{
		"zk_znode_count": &c.Znodes, "zk_ephemerals_count": &c.Ephemerals, "zk_approximate_data_size": &c.Bytes,
		"zk_watch_count": &c.Watches, "zk_global_sessions": &c.Sessions, "zk_num_alive_connections": &c.Connections,
		"zk_outstanding_requests": &c.Outstanding,
	}
	left := len(fields)
	for line := range strings.Lines(mntr) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if field := fields[name]; field != nil {
			n, err := strconv.ParseInt(value, 10, 64)
			if *field = n; err == nil {
				left--
			}
		}
	}
	_, after, said := strings.Cut(srvr, "Zxid: ")
	if !said || left > 0 {
		return false
	}
	_, err := fmt.Sscanf(after, "%v", &c.Zxid)
	return err == nil
}

// Quiet waits until a server has that many sessions, all connected to it, and returns its counts. The end of others
// may take a moment.
func Quiet(tb testing.TB, s *apache.Server, sessions int64) Counters {
	tb.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c := Count(tb, s); c.Sessions == sessions && c.Connections == sessions+1 && c.Outstanding == 0 {
			return c
		}
	}
	tb.Fatalf("the server at %s did not reach %d sessions within %v", s.Addr, sessions, patience)
	return Counters{}
}

// more returns the difference from before to c.
func (c Counters) more(before Counters) Counters {
	return Counters{c.Zxid - before.Zxid, c.Znodes - before.Znodes, c.Ephemerals - before.Ephemerals,
		c.Bytes - before.Bytes, c.Watches - before.Watches, c.Sessions - before.Sessions,
		c.Connections - before.Connections, c.Outstanding - before.Outstanding}
}

// Counted waits until a server's counts have grown by more: a session that has ended, or a connection that was
// closed, still counts for a moment. It returns the actual growth, which differs if that doesn't happen in time.
func Counted(tb testing.TB, s *apache.Server, before, more Counters) (got Counters) {
	tb.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got = Count(tb, s).more(before)
		if got == more || got.Zxid > more.Zxid || time.Now().After(end) {
			return got
		}
	}
}

// Counts fails the test unless a server's counts come to grow by more.
func Counts(tb testing.TB, when string, s *apache.Server, before, more Counters) {
	tb.Helper()
	if got := Counted(tb, s, before, more); got != more {
		tb.Errorf("%s, the server at %s counts %+v more, not %+v", when, s.Addr, got, more)
	}
}
