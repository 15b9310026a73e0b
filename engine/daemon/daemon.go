// Package daemon starts a server that somebody else wrote, for tests: in a folder of its own, on a free port, as an
// ordinary user, and ends it with them. It knows no server: engine/redis/redistest and its like say how each is
// started.
package daemon

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Config says how a server is started.
type Config struct {
	// Program is its name, looked for in PATH and in Folders.
	Program string
	Folders []string
	Package string // Debian's, for the error if it is not there
	// Before is a command that prepares the folder, run once as the same user, nil for none. Its program is looked for as
	// the server is.
	Before func(dir string) (program string, args []string)
	// Arguments are what it is started with. It is to listen on the port, and keep what it has in the folder.
	Arguments func(port int, dir string) []string
	// Answers asks once whether it serves at the address; nil asks whether it takes connections.
	Answers func(addr string) error
}

// Server is one that runs.
type Server struct {
	cfg  Config
	dir  string
	port int
	cmd  *exec.Cmd
	over chan struct{}
	log  *os.File
	stop sync.Once
}

// ErrMissing is that the program is not installed.
var ErrMissing = errors.New("not installed")

// Find is where the program is. The error wraps ErrMissing and says which package has it.
func (c Config) Find() (string, error) { return c.find(c.Program) }

func (c Config) find(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	for _, dir := range c.Folders {
		path := filepath.Join(dir, program)
		if s, err := os.Stat(path); err == nil && s.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is %w; Debian's package %s has it", program, ErrMissing, c.Package)
}

// How often a start is tried when something else takes the port, and how long one may take on a machine however busy.
const (
	tries   = 5
	longest = 2 * time.Minute
)

// Start starts the server, and returns once it serves.
func Start(cfg Config) (*Server, error) {
	path, err := cfg.Find()
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		s, err := start(cfg, path)
		if err == nil || try == tries {
			return s, err
		}
	}
}

func start(cfg Config, path string) (*Server, error) {
	dir, err := os.MkdirTemp("", "zkviz-"+filepath.Base(path)+"-")
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, dir: dir, over: make(chan struct{})}
	if err := s.run(path); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) run(path string) (err error) {
	if s.port, err = freePort(); err != nil {
		return err
	}
	if s.log, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		return err
	}
	if err := s.own(); err != nil {
		return err
	}
	if err := s.prepare(); err != nil {
		return err
	}
	s.cmd = s.command(path, s.cfg.Arguments(s.port, s.dir))
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		return fmt.Errorf("start %s: %w", s.cfg.Program, err)
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.over)
	}()
	return s.wait()
}

// nobody is the ordinary user that servers run as where the tests run as root: some refuse to run as root, and none
// needs to.
const nobody = 65534

// own gives the folder to that user.
func (s *Server) own() error {
	if os.Getuid() != 0 {
		return nil
	}
	return os.Chown(s.dir, nobody, nobody)
}

// command is a command in the server's folder that ends with this program.
func (s *Server) command(path string, args []string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, s.log, s.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody, NoSetGroups: true}
	}
	return cmd
}

// prepare runs the command that comes before.
func (s *Server) prepare() error {
	if s.cfg.Before == nil {
		return nil
	}
	program, args := s.cfg.Before(s.dir)
	path, err := s.cfg.find(program)
	if err != nil {
		return err
	}
	if err := s.command(path, args).Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, s.Log())
	}
	return nil
}

// wait waits until the server answers.
func (s *Server) wait() error {
	answers := s.cfg.Answers
	if answers == nil {
		answers = connects
	}
	var err error
	for end := time.Now().Add(longest); time.Now().Before(end); {
		if err = answers(s.Addr()); err == nil {
			return nil
		}
		select {
		case <-s.over:
			return fmt.Errorf("%s ended: %s", s.cfg.Program, s.Log())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not serve: %w\n%s", s.cfg.Program, err, s.Log())
}

func connects(addr string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err == nil {
		_ = c.Close()
	}
	return err
}

// freePort is a port that nothing listens on now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Addr is where it listens, host:port.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// PID is its process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Log is what it has written, the end of it.
func (s *Server) Log() string {
	const most = 4096
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(text[max(0, len(text)-most):])
}

// Close ends the server and removes its folder.
func (s *Server) Close() {
	s.stop.Do(func() {
		if s.cmd != nil {
			_ = s.cmd.Process.Signal(syscall.SIGTERM)
			select {
			case <-s.over:
			case <-time.After(5 * time.Second):
				_ = s.cmd.Process.Kill()
				<-s.over
			}
		}
		if s.log != nil {
			_ = s.log.Close()
		}
		_ = os.RemoveAll(s.dir)
	})
}
