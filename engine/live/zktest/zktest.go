// Package zktest starts a real Apache ZooKeeper for tests: a single server on a free port of this machine,
// its files in a temporary folder. It is not for anything but tests.
package zktest

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Tick is the server's tickTime. Sessions may ask for MinSession and more, up to MaxSession, and expire
// within a Tick after their timeout.
const (
	Tick       = 200 * time.Millisecond
	MinSession = 2 * Tick
	MaxSession = 40 * time.Second
)

// startLimit bounds how long a server may take to answer.
const startLimit = 30 * time.Second

// classPath is where Debian's packages zookeeper and libslf4j-java put the server.
var classPath = []string{
	"/usr/share/java/zookeeper.jar",
	"/usr/share/java/slf4j-simple.jar",
}

// Server is a ZooKeeper that runs, or can be restarted.
type Server struct {
	// Addr is host:port. It stays the same over restarts.
	Addr string

	tb  testing.TB
	dir string
	cmd *exec.Cmd
}

// Start starts a server, which ends with the test. Settings are further lines of its configuration. A machine without ZooKeeper skips the test, unless the
// environment has CI set: then the test fails.
func Start(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	java, err := find()
	if err != nil {
		if os.Getenv("CI") != "" {
			tb.Fatal(err)
		}
		tb.Skip(err)
	}
	s := &Server{tb: tb, Addr: freeAddr(tb), dir: tb.TempDir()}
	s.configure(settings)
	s.run(java)
	tb.Cleanup(s.Kill)
	return s
}

func find() (java string, err error) {
	java, err = exec.LookPath("java")
	if err != nil {
		return "", fmt.Errorf("no ZooKeeper to test with: there is no java (Debian: apt install zookeeper)")
	}
	for _, jar := range classPath {
		if _, err := os.Stat(jar); err != nil {
			return "", fmt.Errorf("no ZooKeeper to test with: there is no %s (Debian: apt install zookeeper)", jar)
		}
	}
	return java, nil
}

func freeAddr(tb testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal("find a free port:", err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (s *Server) configure(settings []string) {
	host, port, _ := net.SplitHostPort(s.Addr)
	cfg := fmt.Sprintf("dataDir=%s\nclientPortAddress=%s\nclientPort=%s\ntickTime=%d\nmaxSessionTimeout=%d\n"+
		"maxClientCnxns=0\nadmin.enableServer=false\n4lw.commands.whitelist=*\n",
		filepath.Join(s.dir, "data"), host, port, Tick.Milliseconds(), MaxSession.Milliseconds())
	cfg += strings.Join(settings, "\n") + "\n" // the last of two lines counts
	if err := os.WriteFile(s.config(), []byte(cfg), 0o600); err != nil {
		s.tb.Fatal(err)
	}
}

func (s *Server) config() string { return filepath.Join(s.dir, "zoo.cfg") }

func (s *Server) run(java string) {
	s.tb.Helper()
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer log.Close()
	s.cmd = exec.Command(java, "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
		"-Dzookeeper.forceSync=no", "-Dzookeeper.jmx.log4j.disable=true",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-cp", strings.Join(classPath, ":"),
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", s.config())
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		s.tb.Fatal("start ZooKeeper:", err)
	}
	for end := time.Now().Add(startLimit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(s.Word("srvr"), "Mode: ") { // ruok is answered before requests are
			return
		}
	}
	s.Kill()
	text, _ := os.ReadFile(log.Name())
	s.tb.Fatalf("ZooKeeper at %s did not answer within %v:\n%s", s.Addr, startLimit, text)
}

// Kill ends the server at once, without a word to its clients. What it had acknowledged is kept.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may be over already
	_ = s.cmd.Wait()         // reports the signal
	s.cmd = nil
}

// Start starts a server again that was killed, with the data that it had.
func (s *Server) Start() {
	s.tb.Helper()
	java, err := find()
	if err != nil {
		s.tb.Fatal(err)
	}
	s.run(java)
}

// Restart kills the server and starts it again.
func (s *Server) Restart() {
	s.tb.Helper()
	s.Kill()
	s.Start()
}

// Word asks the server one of its four-letter words and returns the answer, empty if there is none.
func (s *Server) Word(word string) string {
	c, err := net.DialTimeout("tcp", s.Addr, time.Second)
	if err != nil {
		return ""
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err := io.WriteString(c, word); err != nil {
		return ""
	}
	answer, _ := io.ReadAll(c)
	return string(answer)
}
