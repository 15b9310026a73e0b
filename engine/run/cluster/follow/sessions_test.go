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

// TestAddressesAreRemembered checks that a session's last address outlives it for a while, and that no more than a
// limit are remembered.
func TestAddressesAreRemembered(t *testing.T) {
	var a addresses
	at, number := time.Unix(0, 0), 0
	note := func(later time.Duration, all ...sessions.Session) {
		at, number = at.Add(later), number+1
		a.note(&sessions.Report{Number: number, At: at, Sessions: all})
	}
	one := func(id int64, addr string) sessions.Session { return sessions.Session{ID: id, Client: addr} }
	note(0, one(1, "h:1"), one(2, "h:2"))
	note(time.Second, one(1, "h:3"), one(2, ""))
	if a.of(1) != "h:3" || a.of(2) != "h:2" || a.of(3) != "" {
		t.Errorf("it remembers %v", a.now)
	}
	note(addressSpan, one(1, "h:4"))
	if a.of(1) != "h:4" || a.of(2) != "h:2" {
		t.Errorf("a span later it remembers %v and %v", a.now, a.old)
	}
	note(addressSpan)
	if a.of(1) != "h:4" || a.of(2) != "" {
		t.Errorf("two spans later it remembers %v and %v", a.now, a.old)
	}
	for i := range 5 {
		var many []sessions.Session
		for j := range int64(sessions.MaxSessions) {
			many = append(many, one(1000+int64(i)*sessions.MaxSessions+j, "h:1"))
		}
		note(time.Second, many...)
	}
	if n := len(a.now) + len(a.old); n > 4*mostAddresses {
		t.Errorf("it remembers %d addresses", n)
	}
}
