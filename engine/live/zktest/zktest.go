// Package zktest starts a real Apache ZooKeeper for tests, by engine/apache, and compares what servers count. It is not
// for anything but tests.
package zktest

import (
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/apache"
)

// Tick is the server's tickTime. Sessions may ask for MinSession and more, up to MaxSession, and expire
// within a Tick after their timeout.
const (
	Tick       = 200 * time.Millisecond
	MinSession = 2 * Tick
	MaxSession = 40 * time.Second
)

// Server is a ZooKeeper that runs, or can be restarted.
type Server struct {
	*apache.Server
	tb testing.TB
}

// patience bounds every wait, on a machine however slow.
const patience = 2 * time.Minute

// Start starts a server, which ends with the test. Settings are further lines of its configuration. A
// machine without ZooKeeper skips the test, unless the environment has CI set: then the test fails.
func Start(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	return start(tb, false, settings...)
}

func start(tb testing.TB, netty bool, settings ...string) *Server {
	tb.Helper()
	Need(tb)
	limit := fmt.Sprintf("maxSessionTimeout=%d", MaxSession.Milliseconds())
	s, err := apache.Start(apache.Config{Tick: Tick, Netty: netty, Settings: append([]string{limit}, settings...)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return &Server{Server: s, tb: tb}
}

// Need skips the test where ZooKeeper is not installed, and fails it there if CI is set.
func Need(tb testing.TB) {
	tb.Helper()
	err := apache.Find()
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
}

// Start starts a server again that was killed, with the data that it had.
func (s *Server) Start() {
	s.tb.Helper()
	if err := s.Again(); err != nil {
		s.tb.Fatal(err)
	}
}

// Ask asks one of the four-letter words until the server answers.
func (s *Server) Ask(word string) string {
	s.tb.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if answer := s.Word(word); answer != "" {
			return answer
		}
	}
	s.tb.Fatalf("the server does not answer %s within %v", word, patience)
	return ""
}

// Restart kills the server and starts it again.
func (s *Server) Restart() {
	s.tb.Helper()
	s.Kill()
	s.Start()
}

// StartSecure is Start with a port besides that speaks TLS, as store says, with clients whose certificates trust has
// signed. Both are files in PEM.
func StartSecure(tb testing.TB, store, trust string, settings ...string) (s *Server, secure string) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	secure = l.Addr().String()
	_ = l.Close() // it is the server's now, unless another program is faster
	_, port, _ := net.SplitHostPort(secure)
	s = start(tb, true, append([]string{
		"secureClientPort=" + port, "secureClientPortAddress=127.0.0.1",
		"ssl.keyStore.location=" + store, "ssl.keyStore.type=PEM",
		"ssl.trustStore.location=" + trust, "ssl.trustStore.type=PEM",
		"authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider",
	}, settings...)...)
	return s, secure
}
