// Package target runs what is attacked: a viz-server that is held to an amount of memory, between the pages and a
// real ZooKeeper, and reads from /proc what it occupies. Meters and attacks know it by its addresses only.
package target

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Times, each the longest.
const (
	startTimeout = time.Minute
	stopTimeout  = 45 * time.Second // runs on a cluster clean up meanwhile
)

// keptLines is how many lines of what the server said on its standard error are kept: the first and the last.
const keptLines = 20

// Config says what to start.
type Config struct {
	Program  string // a built viz-server
	MemoryMB int    // the most that it may have as data: beyond it the system gives it no more, and it dies
	Dir      string // its temporary folder
	Apart    bool   // in a process group of its own: Ctrl-C is for the one who started it, and stops it
	Args     []string
}

// Server is a viz-server that runs, or has died.
type Server struct {
	Pages     string // http://host:port
	ZooKeeper string // host:port of the one inside, empty if there is none
	PID       int

	cmd     *exec.Cmd
	reading sync.WaitGroup
	ended   chan struct{}
	err     error // how it ended; after ended

	mu          sync.Mutex
	first, last []string // of its standard error
	fatal       string   // the line in which Go says why it ends
}

// Limited is a command that runs a program with at most memoryMB of data. RLIMIT_DATA counts what a process has
// mapped to write to; RLIMIT_AS would count what Go only reserves.
func Limited(ctx context.Context, memoryMB int, program string, args ...string) *exec.Cmd {
	script := fmt.Sprintf(`ulimit -d %d && exec "$0" "$@"`, memoryMB<<10)
	return exec.CommandContext(ctx, "sh", append([]string{"-c", script, program}, args...)...)
}

// Start starts the server and returns when it says where it listens.
func Start(c Config) (*Server, error) {
	s := &Server{ended: make(chan struct{})}
	s.cmd = Limited(context.Background(), c.MemoryMB, c.Program, c.Args...)
	s.cmd.Env = append(os.Environ(), "TMPDIR="+c.Dir)
	if c.Apart {
		s.cmd.SysProcAttr = apart()
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Program, err)
	}
	s.PID = s.cmd.Process.Pid
	lines := make(chan string, 8)
	s.reading.Go(func() { s.listen(out, lines) })
	s.reading.Go(func() { s.keep(errs) })
	go func() { // ends with the process, which Stop ends
		s.reading.Wait()
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	if err := s.addresses(lines, c.Args); err != nil {
		s.Kill()
		return nil, fmt.Errorf("start %s: %w\n%s", c.Program, err, s.Said())
	}
	return s, nil
}

// addresses reads where the server listens.
func (s *Server) addresses(lines <-chan string, args []string) error {
	inside := strings.Contains(strings.Join(args, " "), "--zk-listen")
	limit := time.After(startTimeout)
	for s.Pages == "" || inside && s.ZooKeeper == "" {
		select {
		case line, ok := <-lines:
			if !ok {
				return errors.New("it ended before it listened")
			}
			if strings.HasPrefix(line, "http://") {
				s.Pages = strings.TrimSuffix(strings.TrimSpace(line), "/")
			} else if i := strings.LastIndex(line, " "); strings.HasPrefix(line, "ZooKeeper ") {
				s.ZooKeeper = line[i+1:]
			}
		case <-limit:
			return fmt.Errorf("it did not listen within %v", startTimeout)
		}
	}
	return nil
}

// listen hands over the first lines of the server's output and drops the others.
func (s *Server) listen(out io.Reader, lines chan<- string) {
	defer close(lines)
	for in := bufio.NewScanner(out); in.Scan(); {
		select {
		case lines <- in.Text():
		default:
		}
	}
}

func (s *Server) keep(errs io.Reader) {
	in := bufio.NewReaderSize(errs, 64<<10)
	for {
		line, err := in.ReadString('\n')
		if line = strings.TrimSpace(line); line != "" {
			s.mu.Lock()
			if s.fatal == "" && (strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "panic:")) {
				s.fatal = line
			}
			switch {
			case len(s.first) < keptLines:
				s.first = append(s.first, line)
			case len(s.last) == keptLines:
				s.last = append(s.last[1:], line)
			default:
				s.last = append(s.last, line)
			}
			s.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// Said is what the server said on its standard error, without its middle if that is long.
func (s *Server) Said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(append(append([]string(nil), s.first...), s.last...), "\n")
}

// Ended is closed when the server has died or was stopped.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Death says how the server died, if it did: the line in which Go says why, and the system's account.
func (s *Server) Death() string {
	select {
	case <-s.ended:
	default:
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fatal != "" {
		return fmt.Sprintf("%s (%v)", s.fatal, s.err)
	}
	return fmt.Sprint(s.err)
}

// Stop asks the server to end, as Ctrl-C does, and waits for it. An exit other than a clean one is an error.
func (s *Server) Stop() error {
	if s.Death() != "" {
		return fmt.Errorf("stop the server: it was dead: %s", s.Death())
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // one that has just ended says so below
	select {
	case <-s.ended:
		if s.err != nil {
			return fmt.Errorf("stop the server: %w\n%s", s.err, s.Said())
		}
		return nil
	case <-time.After(stopTimeout):
		s.Kill()
		return fmt.Errorf("stop the server: it did not end within %v", stopTimeout)
	}
}

// Kill ends the server at once.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // it may be over
	<-s.ended
}
