// Package zktest starts a real Apache ZooKeeper for tests through engine/testing/apache, and compares servers'
// counts. It is only for tests.
package zktest

import (
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/need"
	"github.com/zkviz/zkviz/engine/testing/port"
)

// Tick is the server's tickTime. Sessions may ask for MinSession to MaxSession, and expire within a Tick after their
// timeout.
const (
	Tick       = 200 * time.Millisecond
	MinSession = 2 * Tick
	MaxSession = 40 * time.Second
)

// Server is a ZooKeeper that is running or can be restarted.
type Server struct {
	*apache.Server
	tb testing.TB
}

// patience bounds every wait, even on a slow machine.
const patience = 2 * time.Minute

// Start starts a server, which ends with the test. Settings are further lines of its configuration. Need may skip
// the test.
func Start(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	return start(tb, false, settings...)
}

// Config returns the configuration of this package's servers.
func Config(settings ...string) apache.Config {
	limit := fmt.Sprintf("maxSessionTimeout=%d", MaxSession.Milliseconds())
	return apache.Config{Tick: Tick, Settings: append([]string{limit}, settings...)}
}

func start(tb testing.TB, netty bool, settings ...string) *Server {
	tb.Helper()
	Need(tb)
	cfg := Config(settings...)
	cfg.Netty = netty
	s, err := apache.Start(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return &Server{Server: s, tb: tb}
}

// Variable is the environment variable with the address of a server for all tests of a run. cmd/testbed sets it.
const Variable = "ZKVIZ_TEST_ZOOKEEPER"

// Shared returns the server for all tests of a run. If there is none, it starts one for this test. The test must
// stay below its Root, and must neither stop the server nor rely on its counts.
func Shared(tb testing.TB) *Server {
	tb.Helper()
	need.Installed(tb, apache.Find())
	addr := os.Getenv(Variable)
	if addr == "" {
		return Start(tb)
	}
	return &Server{Server: &apache.Server{Addr: addr}, tb: tb}
}

// roots counts the paths that Root has returned.
var roots atomic.Int64

// Root returns the path of a znode that no other test of a run uses. It doesn't exist yet.
func Root(tb testing.TB) string {
	name := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '-'
	}, tb.Name())
	return fmt.Sprintf("/%s-%d-%d", name, os.Getpid(), roots.Add(1))
}

// Need skips a test that starts its own ZooKeeper if ZooKeeper isn't installed, or fails it if CI is set. With
// -short it skips every such test: then the server for all tests of a run is enough.
func Need(tb testing.TB) {
	tb.Helper()
	need.Own(tb, "a ZooKeeper", apache.Find())
}

// Start restarts a killed server with its data.
func (s *Server) Start() {
	s.tb.Helper()
	if err := s.Again(); err != nil {
		s.tb.Fatal(err)
	}
}

// Ask sends a four-letter word until the server answers.
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

// StartSecure is like Start, with an additional port for TLS: the server uses the certificate in store, and accepts
// clients whose certificates trust has signed. Both are PEM files.
func StartSecure(tb testing.TB, store, trust string, settings ...string) (s *Server, secure string) {
	tb.Helper()
	secure = port.Addr(tb)
	_, number, _ := net.SplitHostPort(secure)
	s = start(tb, true, append([]string{
		"secureClientPort=" + number, "secureClientPortAddress=127.0.0.1",
		"ssl.keyStore.location=" + store, "ssl.keyStore.type=PEM",
		"ssl.trustStore.location=" + trust, "ssl.trustStore.type=PEM",
		"authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider",
	}, settings...)...)
	return s, secure
}
