package load

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// The parents of all znodes.
const (
	nodes = "/nodes" // the watched znodes
	alive = "/alive" // an ephemeral znode of each session
	doom  = "/doom"  // an ephemeral znode of each connection that will be dropped
)

func node(i int) string { return fmt.Sprintf("%s/n-%05d", nodes, i) }
func mark(i int) string { return fmt.Sprintf("%s/s-%05d", alive, i) }

// swarm holds all sessions and a writer that changes what they watch.
type swarm struct {
	addr   string
	o      options
	writer *peer.Peer // a session like the others, but without watches
	all    []*session

	stop   chan struct{}
	wrote  chan error    // the writer's result
	writes map[int]int32 // the version of each znode; only for the writer until it has ended
}

// gather opens the sessions. All watch about the same number of znodes, and all znodes have about the same number
// of watchers.
func gather(addr string, o options) (*swarm, error) {
	w := &swarm{addr: addr, o: o, stop: make(chan struct{}), wrote: make(chan error, 1), writes: make(map[int]int32)}
	var err error
	if w.writer, err = peer.Dial(addr, wire.ConnectRequest{TimeoutMS: int32(o.timeout.Milliseconds())}); err != nil {
		return nil, err
	}
	paths := []string{nodes, alive, doom}
	for i := range o.sessions {
		paths = append(paths, node(i))
	}
	for _, path := range paths {
		if err := made(w.writer.Do(wire.Request{Op: wire.OpCreate, Path: path, Data: make([]byte, 100),
			ACL: zoo.OpenACL()})); err != nil {
			return nil, fmt.Errorf("make %s: %w", path, err)
		}
	}
	go func() { w.wrote <- w.write() }()
	for i := range o.sessions {
		var watched []string
		for j := range (o.watches + i) / o.sessions {
			watched = append(watched, node((i+j)%o.sessions))
		}
		s, err := open(addr, o.timeout, mark(i), watched)
		if err != nil {
			return nil, fmt.Errorf("session %d: %w", i, err)
		}
		w.all = append(w.all, s)
	}
	return w, nil
}

// writePause is the pause between two changes. Every watcher of the znode receives each change.
const writePause = 20 * time.Millisecond

// write changes one znode after another until the swarm stops.
func (w *swarm) write() error {
	for i := 0; ; i = (i + 1) % w.o.sessions {
		select {
		case <-w.stop:
			return nil
		case <-time.After(writePause):
		}
		set := wire.Request{Op: wire.OpSetData, Path: node(i), Data: make([]byte, 100), Version: w.writes[i]}
		if err := made(w.writer.Do(set)); err != nil {
			return fmt.Errorf("the writer: %w", err)
		}
		w.writes[i]++
	}
}

// lost returns an error for a session that has ended.
func (w *swarm) lost() error {
	for i, s := range w.all {
		select {
		case <-s.done:
			return fmt.Errorf("session %d is lost: %w", i, s.err)
		default:
		}
	}
	return nil
}

// settle stops the writer. It then waits until the server has all watches and every session has seen the last
// version of what it watches.
func (w *swarm) settle(within time.Duration) error {
	close(w.stop)
	if err := <-w.wrote; err != nil {
		return err
	}
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		err := w.settled()
		if err == nil {
			return w.lost()
		}
		if time.Now().After(end) {
			return fmt.Errorf("within %v of the last write: %w", within, err)
		}
	}
}

func (w *swarm) settled() error {
	for i, s := range w.all {
		for j := range len(s.paths) {
			n := (i + j) % w.o.sessions
			if seen, last := s.saw(node(n)), w.writes[n]; seen != last {
				return fmt.Errorf("session %d has seen version %d of %s, and the last is %d", i, seen, node(n), last)
			}
		}
	}
	r, _, err := w.writer.Do(wire.Request{Op: wire.OpGetChildren, Path: alive})
	if err == nil && len(r.Children) != len(w.all) {
		err = fmt.Errorf("%d ephemeral znodes of %d sessions", len(r.Children), len(w.all))
	}
	if err != nil {
		return err
	}
	if got := w.figure("zk_watch_count"); got != w.o.watches {
		return fmt.Errorf("the server has %d watches, not %d", got, w.o.watches)
	}
	return nil
}

// figure returns a value of the server's mntr, or -1.
func (w *swarm) figure(name string) int {
	conn, err := net.Dial("tcp", w.addr)
	if err != nil {
		return -1
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "mntr"); err != nil {
		return -1
	}
	text, _ := io.ReadAll(conn) // missing text means a missing value
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			if n, err := strconv.Atoi(f[1]); err == nil {
				return n
			}
		}
	}
	return -1
}

// counts returns the totals of all sessions.
func (w *swarm) counts() (pongs, fired int64) {
	for _, s := range w.all {
		pongs += s.pongs.Load()
		fired += s.fired.Load()
	}
	return pongs, fired
}

// close drops all connections.
func (w *swarm) close() {
	for _, s := range w.all {
		s.close()
	}
	w.writer.Abort()
}
