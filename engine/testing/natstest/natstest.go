// Package natstest runs NATS servers for tests, and slow, cut or hung links to them. It is only for tests: of
// engine/run/shared and of what several servers do together. The servers are nats-server's own code, in this process,
// so nothing needs to be installed; a test that kills a server runs Main in a process of its own.
package natstest

import (
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/zkviz/zkviz/engine/testing/port"
)

// Server is a NATS with JetStream on a port of 127.0.0.1.
type Server struct {
	server *server.Server
	dir    string
	port   int
	// Of a cluster: the port of its routes, all servers' routes, and its name.
	route  int
	routes []string
	name   string
}

// Start starts a server that ends with the test.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{dir: tb.TempDir(), port: port.Free(tb)}
	s.start(tb)
	tb.Cleanup(s.stop)
	return s
}

// URL returns the server's address.
func (s *Server) URL() string { return URL(s.port) }

// Restart stops the server and starts it again, on the same port and files.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	s.stop()
	s.start(tb)
}

func (s *Server) start(tb testing.TB) {
	tb.Helper()
	var err error
	if s.server, err = serve(s.options()); err != nil {
		tb.Fatal(err)
	}
}

func (s *Server) stop() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// URL returns the address of a server on a port.
func URL(port int) string { return fmt.Sprintf("nats://127.0.0.1:%d", port) }

// longest is how long a server may take to start on a busy machine.
const longest = 2 * time.Minute

func serve(o *server.Options) (*server.Server, error) {
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(longest) || !s.JetStreamEnabled() {
		return nil, fmt.Errorf("the NATS on port %d with files in %s doesn't start", o.Port, o.StoreDir)
	}
	return s, nil
}

// Ready is the line that Main prints when its server accepts connections.
const Ready = "NATS is ready"

// Main runs a server until standard input ends, for a process that a test starts and may kill.
func Main(dir string, port int) {
	s, err := serve((&Server{dir: dir, port: port}).options())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(Ready)
	_, _ = io.Copy(io.Discard, os.Stdin)
	s.Shutdown()
	s.WaitForShutdown()
}
