// Package apache runs real Apache ZooKeeper servers as processes, on free ports of this machine. engine/testing/conform
// compares the embedded server with it, and tests of live clusters run against it through engine/testing/zktest. It is
// not for production: without Config.Fsync an acknowledged write may be lost with the machine.
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

	"github.com/zkviz/zkviz/engine/testing/port"
)

// MaxSession is the longest session timeout that a server grants.
const MaxSession = time.Hour

// startLimit bounds how long a server may take to answer on a busy machine.
const startLimit = 3 * time.Minute

// classPath lists the server's files in Debian's packages zookeeper and libslf4j-java.
var classPath = []string{
	"/usr/share/java/zookeeper.jar",
	"/usr/share/java/slf4j-simple.jar",
}

// nettyPath lists the parts of Netty that zookeeper.jar needs but doesn't name.
var nettyPath = []string{"/usr/share/java/netty-codec.jar", "/usr/share/java/netty-resolver.jar"}

// Config configures a server. Its zero value is useful.
type Config struct {
	// Tick is ZooKeeper's tickTime, by default 200 ms. A session's timeout is at least twice that.
	Tick time.Duration
	// Settings are further lines of zoo.cfg. If a setting has two lines, the last one counts.
	Settings []string
	// Properties are further system properties, such as znode.container.checkIntervalMs=50.
	Properties []string
	// Netty makes the server use Netty for its clients, which TLS needs. Debian puts Netty's files next to ZooKeeper's.
	Netty bool
	// Fsync makes the server force every write to the disk, as ZooKeeper does by default.
	Fsync bool
	// HeapMB limits Java's heap, by default to 512.
	HeapMB int
	// Optimize lets Java compile and collect garbage as on a server that runs for long. Without it the start is faster.
	Optimize bool
}

// Server is a ZooKeeper that is running or can be started again.
type Server struct {
	// Addr is host:port. It stays the same after a restart.
	Addr string

	cfg   Config
	dir   string
	cmd   *exec.Cmd     // nil before it is started and after Kill
	ended chan struct{} // closed once cmd has ended

	release func() // lets others have the port
}

// Find returns an error that names what is missing to run ZooKeeper here, or nil.
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
	s := &Server{cfg: cfg, dir: dir, release: func() {}}
	if err := s.serve(s.move); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// move gives the server another free port. A program that doesn't ask package port may get the same one before the
// server listens on it.
func (s *Server) move() error {
	s.release()
	number, release, err := freePort()
	if err != nil {
		return err
	}
	s.Addr, s.release = localhost(number), release
	return s.configure()
}

// freePort is a variable so that a test can replace it.
var freePort = port.Reserve

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

// Files returns the folder of its transaction logs and snapshots.
func (s *Server) Files() string { return filepath.Join(s.dir, "data", "version-2") }

func (s *Server) file() string { return filepath.Join(s.dir, "zoo.cfg") }

// Again restarts a killed server with its data. While another program has its port, it keeps trying.
func (s *Server) Again() error { return s.serve(func() error { return nil }) }

// Launch restarts a killed server with its data, and doesn't wait until it serves.
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

// serve starts the server, and starts it again as long as it ends before it serves. It calls prepare before each start.
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
		// The server answers ruok before it serves requests, and another program may answer at a port that was taken.
		if strings.Contains(s.Word("srvr"), "Mode: ") && strings.Contains(s.Word("conf"), s.dir) {
			return nil
		}
	}
	s.Kill()
	return fmt.Errorf("ZooKeeper at %s did not answer within %v:\n%s", s.Addr, startLimit, s.Log())
}

// over reports whether the server has no running process.
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

// Kill ends the server at once, without a word to its clients. It keeps what it had acknowledged.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may have ended already
	<-s.ended
	s.cmd = nil
}

// PID returns the server's process ID, 0 if it doesn't run.
func (s *Server) PID() int {
	if s.cmd == nil {
		return 0
	}
	return s.cmd.Process.Pid
}

// Close kills the server and removes its files.
func (s *Server) Close() {
	s.Kill()
	_ = os.RemoveAll(s.dir) // a temporary folder: the system clears what stays
	s.release()
}

// Log returns what the server has printed.
func (s *Server) Log() string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(text)
}

// Word sends the server a four-letter word and returns the answer, empty if there is none.
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

// Logged reports whether one of the server's transaction logs contains the text.
func (s *Server) Logged(text string) bool {
	names, _ := filepath.Glob(filepath.Join(s.dir, "data", "version-2", "log.*")) // the pattern is right
	for _, name := range names {
		if bytes.Contains(written(name), []byte(text)) {
			return true
		}
	}
	return false
}

// written returns the used part of a transaction log, without the zeros that ZooKeeper allocates in advance.
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
