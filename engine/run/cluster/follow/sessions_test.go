package follow

import (
	"net"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/run/cluster"
)

// TestSlowServer: the first caller waits for a server that answers late, so that a report has its answer.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	answers := make(chan struct{})
	go func() {
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			<-answers
			conn.Close()
		}
	}()
	l := New(cluster.Cluster{Sessions: sessions.New(sessions.Config{Servers: []string{server.Addr().String()}, Every: 1})})
	defer l.Close()
	time.AfterFunc(sessionsWait+100*time.Millisecond, func() { answers <- struct{}{}; close(answers) })
	if r := l.sessions(t.Context()); r.Number == 0 || len(r.Servers) != 1 {
		t.Fatalf("the first look has %+v", r)
	}
}
