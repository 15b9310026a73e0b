package admin_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// TestAsk checks Ask with the possible answers of a server, which receives srvr and nothing else.
func TestAsk(t *testing.T) {
	const head = "Zookeeper version: 3.8.0-${mvngit.commit.id}, built on 2024-12-29 17:54 UTC\n" +
		"Latency min/avg/max: 0/0.25/12\nReceived: 1\nSent: 0\nConnections: 7\nOutstanding: 2\n"
	told := func(s admin.Status) admin.Status {
		s.Version, s.LatencyMS, s.MaxLatencyMS, s.Connections, s.Outstanding = "3.8.0", 0.25, 12, 7, 2
		return s
	}
	for _, c := range []struct {
		answer string
		want   admin.Status
	}{
		{head + "Zxid: 0x200000007\nMode: leader\nNode count: 5\nProposal sizes last/min/max: -1/-1/-1\n",
			told(admin.Status{Role: admin.Leads, Mode: admin.Leader, Zxid: 0x200000007})},
		{head + "Zxid: 0x100000003\nMode: follower\nNode count: 5\n",
			told(admin.Status{Role: admin.Follows, Mode: admin.Follower, Zxid: 0x100000003})},
		{head + "Zxid: 0x0\nMode: observer\n", told(admin.Status{Role: admin.Follows, Mode: admin.Observer})},
		{head + "Zxid: 0x5\nMode: read-only\n", told(admin.Status{Role: admin.Looks, Mode: admin.ReadOnly, Zxid: 5})},
		{head + "Zxid: 0x5\nMode: standalone\n", told(admin.Status{Mode: admin.Standalone, Zxid: 5})},
		{head + "Zxid: many\nMode: king\n", told(admin.Status{})},
		{"Zookeeper version: 3.8<b>\nLatency min/avg/max: 0/NaN/-5\nConnections: 1e9\nOutstanding: 99999999999999999999\n",
			admin.Status{Version: "3.8"}},
		{"Zookeeper version: " + strings.Repeat("1.", 999) + "\n", admin.Status{Version: "1.1.1.1.1.1.1.1."}},
		{"This ZooKeeper instance is not currently serving requests\n", admin.Status{Role: admin.Looks}},
		{"srvr is not executed because it is not in the whitelist.\n", admin.Status{Refused: true}},
		{"HTTP/1.1 400 Bad Request\r\n\r\n", admin.Status{}},
		{"", admin.Status{}},
	} {
		addr, asked := serve(t, c.answer)
		if got, err := admin.Ask(t.Context(), access.Dialer{}, addr); err != nil || got != c.want {
			t.Errorf("of %q it makes %+v, %v", c.answer, got, err)
		}
		if got := <-asked; got != "srvr" {
			t.Errorf("it asks %q", got)
		}
	}
}

// serve answers one connection after four bytes, closes its own side, and reports everything that came.
func serve(t *testing.T, answer string) (addr string, asked chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked = make(chan string, 1)
	go func() {
		defer l.Close()
		conn, err := l.Accept()
		if err != nil {
			asked <- err.Error()
			return
		}
		defer conn.Close()
		word := make([]byte, 4)
		_, _ = io.ReadFull(conn, word)       // the report shows what came
		_, _ = io.WriteString(conn, answer)  // the report shows a failure
		_ = conn.(*net.TCPConn).CloseWrite() // the report shows a failure
		rest, _ := io.ReadAll(conn)
		asked <- string(word) + string(rest)
	}()
	return l.Addr().String(), asked
}

// TestAskInVain asks where nobody listens, and asks a server that accepts connections and stays silent.
func TestAskInVain(t *testing.T) {
	if s, err := admin.Ask(t.Context(), access.Dialer{}, "127.0.0.1:1"); err == nil {
		t.Errorf("nobody says %+v", s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		conn, err := l.Accept()
		if err == nil {
			defer conn.Close()
			_, _ = io.ReadFull(conn, make([]byte, 4)) // Ask has now sent its word
		}
		cancel()
		<-t.Context().Done()
	}()
	if s, err := admin.Ask(ctx, access.Dialer{}, l.Addr().String()); err == nil {
		t.Errorf("a silent one says %+v", s)
	}
}
