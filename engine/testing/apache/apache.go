// Package apache runs a real Apache ZooKeeper as a process of its own: one server on a free port of this
// machine. It is what the embedded server is compared with, by engine/testing/conform, and what tests of live
// clusters run against, through engine/testing/zktest. It is not for production: without Config.Fsync an
// acknowledged write may be lost with the machine.
package apache

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// MaxSession is the longest session timeout that a server grants.
const MaxSession = time.Hour

// startLimit bounds how long a server may take to answer, on a machine that has much else to do.
const startLimit = 3 * time.Minute

// classPath is where Debian's packages zookeeper and libslf4j-java put the server.
var classPath = []string{
	"/usr/share/java/zookeeper.jar",
	"/usr/share/java/slf4j-simple.jar",
}

// nettyPath is what zookeeper.jar does not name of Netty, and needs.
var nettyPath = []string{"/usr/share/java/netty-codec.jar", "/usr/share/java/netty-resolver.jar"}

// Config says how a server runs. The zero value will do.
type Config struct {
	// Tick is ZooKeeper's tickTime, 200 ms if it is 0. Sessions may ask for twice that and more.
	Tick time.Duration
	// Settings are further lines of zoo.cfg. The last of two lines for one setting counts.
	Settings []string
	// Properties are further system properties, such as znode.container.checkIntervalMs=50.
	Properties []string
	// Netty has it serve its clients through Netty, which TLS needs, and whose files Debian puts beside it.
	Netty bool
	// Fsync makes the server force every write to the disk, as it does by default elsewhere.
	Fsync bool
	// HeapMB is the most that Java may take for its heap, 512 if it is 0.
	HeapMB int
	// Optimize lets Java compile and collect as well as it can, as on a server that runs for long. Without it
	// the start is faster.
	Optimize bool
}

// Server is a ZooKeeper that runs, or can be started again.
type Server struct {
	// Addr is host:port. It stays the same when the server is started again.
	Addr string

	cfg   Config
	dir   string
	cmd   *exec.Cmd     // nil before it is started and after Kill
	ended chan struct{} // closed once cmd is over
}

// Find says what is missing to run ZooKeeper here, or nil.
func Find() error {
	if _, err := exec.LookPath("java"); err != nil {
		return fmt.Errorf("no ZooKeeper to test with: there is no java (Debian: apt install zookeeper)")
	}
	for _, jar := range classPath {
		if _, err := os.Stat(jar); err != nil {
			return fmt.Errorf("no ZooKeeper to test with: there is no %s (Debian: apt install zookeeper)", jar)
		}
	}
	return nil
}

// Start starts a server without data and returns when it serves. Its files are in a temporary folder, which
// Close removes.
func Start(cfg Config) (*Server, error) {
	if err := Find(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "zkviz-zookeeper-")
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, dir: dir}
	if err := s.serve(s.move); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// move gives the server another free port. Until it listens there another program may be given the same.
func (s *Server) move() (err error) {
	if s.Addr, err = freeAddr(); err != nil {
		return err
	}
	return s.configure()
}

// freeAddr is a variable for the test.
var freeAddr = func() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (s *Server) configure() error {
	host, port, _ := net.SplitHostPort(s.Addr)
	cfg := fmt.Sprintf("dataDir=%s\nclientPortAddress=%s\nclientPort=%s\ntickTime=%d\nmaxSessionTimeout=%d\n"+
		"maxClientCnxns=0\nadmin.enableServer=false\n4lw.commands.whitelist=*\n",
		filepath.Join(s.dir, "data"), host, port, s.tick().Milliseconds(), MaxSession.Milliseconds())
	cfg += strings.Join(s.cfg.Settings, "\n") + "\n"
	return os.WriteFile(s.file(), []byte(cfg), 0o600)
}

func (s *Server) tick() time.Duration {
	if s.cfg.Tick > 0 {
		return s.cfg.Tick
	}
	return 200 * time.Millisecond
}

// Files is the folder of its transaction logs and snapshots.
func (s *Server) Files() string { return filepath.Join(s.dir, "data", "version-2") }

func (s *Server) file() string { return filepath.Join(s.dir, "zoo.cfg") }

// Again starts a server that was killed, with the data that it had. While another program has taken its
// port, it tries again.
func (s *Server) Again() error { return s.serve(func() error { return nil }) }

// Launch starts a server that was killed, with the data that it had, and does not wait until it serves.
func (s *Server) Launch() error {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = exec.Command("java", s.arguments()...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		return fmt.Errorf("start ZooKeeper: %w", err)
	}
	cmd, ended := s.cmd, make(chan struct{})
	s.ended = ended
	go func() {
		defer close(ended)
		_ = cmd.Wait() // reports the signal, or what the log has too
	}()
	return nil
}

// serve starts the server, again for as long as it ends before it serves. Each time prepare is called first.
func (s *Server) serve(prepare func() error) error {
	for end := time.Now().Add(startLimit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if s.over() {
			if err := prepare(); err != nil {
				return err
			}
			if err := s.Launch(); err != nil {
				return err
			}
		}
		// ruok is answered before requests are, and at a port that was taken somebody else may answer.
		if strings.Contains(s.Word("srvr"), "Mode: ") && strings.Contains(s.Word("conf"), s.dir) {
			return nil
		}
	}
	s.Kill()
	return fmt.Errorf("ZooKeeper at %s did not answer within %v:\n%s", s.Addr, startLimit, s.Log())
}

// over reports that no process of the server runs.
func (s *Server) over() bool {
	if s.cmd == nil {
		return true
	}
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

func (s *Server) arguments() []string {
	heap := s.cfg.HeapMB
	if heap <= 0 {
		heap = 512
	}
	args := []string{fmt.Sprintf("-Xmx%dm", heap)}
	if !s.cfg.Optimize {
		args = append(args, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
	}
	args = append(args,
		"-Dzookeeper.jmx.log4j.disable=true", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
	if !s.cfg.Fsync {
		args = append(args, "-Dzookeeper.forceSync=no")
	}
	for _, p := range s.cfg.Properties {
		args = append(args, "-D"+p)
	}
	jars := classPath
	if s.cfg.Netty {
		jars = append(jars[:len(jars):len(jars)], nettyPath...)
		args = append(args, "-Dzookeeper.serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory")
	}
	return append(args, "-cp", strings.Join(jars, ":"),
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", s.file())
}

// Kill ends the server at once, without a word to its clients. What it had acknowledged is kept.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may be over already
	<-s.ended
	s.cmd = nil
}

// PID is the server's process, 0 if it does not run.
func (s *Server) PID() int {
	if s.cmd == nil {
		return 0
	}
	return s.cmd.Process.Pid
}

// Close kills the server and removes its files.
func (s *Server) Close() {
	s.Kill()
	_ = os.RemoveAll(s.dir) // a temporary folder: whatever stays is the system's to clear
}

// Log is what the server has printed.
func (s *Server) Log() string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(text)
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

// Logged reports whether the text stands in one of the server's transaction logs.
func (s *Server) Logged(text string) bool {
	names, _ := filepath.Glob(filepath.Join(s.dir, "data", "version-2", "log.*")) // the pattern is right
	for _, name := range names {
		if bytes.Contains(written(name), []byte(text)) {
			return true
		}
	}
	return false
}

// written is what a transaction log has before the zeros that ZooKeeper puts behind it in advance.
func written(name string) (data []byte) {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	for part := make([]byte, 1<<14); ; {
		n, err := io.ReadFull(f, part)
		if len(bytes.TrimLeft(part[:n], "\x00")) == 0 {
			return data
		}
		if data = append(data, part[:n]...); err != nil {
			return data
		}
	}
}
