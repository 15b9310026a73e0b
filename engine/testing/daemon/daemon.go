// Package daemon starts servers of other projects for tests: in a folder of their own, on a free port, without root
// rights, and stops them with the tests. It knows no server: engine/testing/redistest and similar packages tell how to
// start each.
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

	"github.com/zkviz/zkviz/engine/testing/port"
)

// Config tells how to start a server.
type Config struct {
	// Program is its name, which is looked up in PATH and in Folders.
	Program string
	Folders []string
	Package string // Debian's, for the error if the program is missing
	// Before returns a command that prepares the folder, run once as the same user, nil for none. Its program is looked
	// up like Program.
	Before func(dir string) (program string, args []string)
	// Arguments returns the server's arguments. It must listen on the port, and store its data in the folder.
	Arguments func(port int, dir string) []string
	// Answers returns nil once the server replies at the address. Without it, accepting a connection is enough.
	Answers func(addr string) error
}

// Server is a running server.
type Server struct {
	cfg  Config
	dir  string
	port int
	cmd  *exec.Cmd
	over chan struct{}
	log  *os.File
	stop sync.Once
	// release lets others have the port.
	release func()
}

// ErrMissing says that the program is not installed.
var ErrMissing = errors.New("not installed")

// Find returns the program's path. The error wraps ErrMissing and names the package.
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

// How often a start is retried, as another process may take the port, and how long one may take on a busy machine.
const (
	tries   = 5
	longest = 2 * time.Minute
)

// Start starts the server, and returns once it accepts requests.
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
	s := &Server{cfg: cfg, dir: dir, over: make(chan struct{}), release: func() {}}
	if err := s.run(path); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) run(path string) (err error) {
	if s.port, s.release, err = port.Reserve(); err != nil {
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

// nobody is the user that servers run as if the tests run as root: some refuse to run as root, and none needs it.
const nobody = 65534

// own makes that user the folder's owner.
func (s *Server) own() error {
	if os.Getuid() != 0 {
		return nil
	}
	return os.Chown(s.dir, nobody, nobody)
}

// command returns a command that runs in the server's folder and is killed when this program ends.
func (s *Server) command(path string, args []string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, s.log, s.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody, NoSetGroups: true}
	}
	return cmd
}

// prepare runs the command Before.
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

// wait waits until the server replies.
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
	return fmt.Errorf("%s doesn't answer: %w\n%s", s.cfg.Program, err, s.Log())
}

func connects(addr string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err == nil {
		_ = c.Close()
	}
	return err
}

// Addr returns the address on which it listens, host:port.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// PID returns its process ID.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Log returns the end of its output.
func (s *Server) Log() string {
	const most = 4096
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(text[max(0, len(text)-most):])
}

// Close stops the server and removes its folder.
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
		s.release()
	})
}
