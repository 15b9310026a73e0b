package benchzk

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/testing/port"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// server is a running server.
type server struct {
	name    string
	addr    string
	pids    []int
	started time.Duration // from the process' start to the first session
	idle    int           // kB of its own memory, without a session
	stop    func()
}

// startLimit bounds how long a server may take to answer, even on a busy machine. settle is how long it stays idle
// before its memory is measured.
const (
	startLimit = 10 * time.Minute
	settle     = time.Second
)

// dial opens a session.
func (s *server) dial() (*peer.Peer, error) {
	p, err := peer.Dial(s.addr, wire.ConnectRequest{TimeoutMS: 40_000, Password: make([]byte, wire.PasswordBytes),
		HasReadOnly: true})
	if err == nil && p.Welcome.Session == 0 {
		p.Abort()
		err = fmt.Errorf("%s refuses a new session", s.name)
	}
	return p, err
}

// await dials until a session opens, and closes that session.
func (s *server) await(since time.Time) error {
	for {
		p, err := s.dial()
		if err == nil {
			s.started = time.Since(since)
			return p.Close()
		}
		if time.Since(since) > startLimit {
			return err
		}
		time.Sleep(500 * time.Microsecond)
	}
}

// unlimited removes limits of the embedded server, because ZooKeeper has none. The creates alone exceed the default
// number of znodes.
var unlimited = []string{"--max-znodes", "0", "--max-data", "0", "--max-conns-per-addr", "1000"}

// startEmbedded starts viz-server several times and leaves the last one running. Its start time is the median.
func startEmbedded(program string, times int) (*server, error) {
	var took []time.Duration
	for {
		s, err := runEmbedded(program)
		if err != nil {
			return nil, err
		}
		took = append(took, s.started)
		if len(took) < times {
			s.stop()
			continue
		}
		slices.Sort(took)
		s.started = took[len(took)/2]
		time.Sleep(settle)
		s.idle, err = owned(s.pids)
		return s, err
	}
}

func runEmbedded(program string) (*server, error) {
	number, _, err := port.Reserve() // until this program ends
	if err != nil {
		return nil, err
	}
	addr := fmt.Sprintf("127.0.0.1:%d", number)
	cmd := exec.Command(program, append([]string{"zookeeper", "--addr", addr}, unlimited...)...)
	cmd.Stderr = os.Stderr
	since := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{name: "viz-server", addr: addr, pids: []int{cmd.Process.Pid}, stop: func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		_ = cmd.Wait()                          // reports the signal
	}}
	if err := s.await(since); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// startApache starts a ZooKeeper whose Java optimizes, which takes some time.
func startApache(fsync bool) (*server, error) {
	since := time.Now()
	a, err := apache.Start(apache.Config{Fsync: fsync, Tick: 2 * time.Second, HeapMB: 1000, Optimize: true})
	if err != nil {
		return nil, err
	}
	s := &server{name: "ZooKeeper", addr: a.Addr, pids: []int{a.PID()}, stop: a.Close}
	if !fsync {
		s.name = "ZooKeeper, forceSync=no"
	}
	if err := s.await(since); err != nil {
		s.stop()
		return nil, err
	}
	time.Sleep(settle)
	s.idle, err = owned(s.pids)
	return s, err
}
