package benchzk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// The promises of docs/budgets.md for three servers in one process, compared with three of Apache's.
const (
	writesOfOne = 3.0 // times as many writes on one connection, one at a time
	cpuOfOne    = 0.5 // of the CPU time for each
	failover    = 0.6 // of the time from the leader's crash to the next write
)

// three is a running ensemble.
type three struct {
	server
	addrs  []string
	leader func() int
	crash  func(n int) error
	start  func(n int) error
}

// TestThreeBeside compares ensembles for make bench-zk.
func TestThreeBeside(t *testing.T) {
	need(t)
	var all []*three
	for _, start := range []func(t *testing.T) (*three, error){threeEmbedded, threeOfApache} {
		s, err := start(t)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	compareRates(t, []*server{&all[0].server, &all[1].server})
	compareFailOvers(t, all)
}

// compareRates compares operations of clients at the leaders.
func compareRates(t *testing.T, servers []*server) {
	for _, s := range servers {
		defer keepAwake(s.addr)()
	}
	if err := warm(servers, asked); err != nil {
		t.Fatal(err)
	}
	for _, c := range []cell{{"create", 1, 1}, {"set", 1, 1}, {"set", 10, 1}, {"set", 10, 50}, {"get", 10, 50}} {
		row, err := measure(servers, c, asked)
		if err != nil {
			t.Fatal(c, err)
		}
		rate, used := row[0].rate/row[1].rate, float64(row[0].cpu)/float64(row[1].cpu)
		t.Logf("%-12v %8.0f and %8.0f a second (%.1f times), %v and %v of CPU each (%.2f)", c, row[0].rate, row[1].rate, rate,
			row[0].cpu, row[1].cpu, used)
		if c == (cell{"set", 1, 1}) && (rate < writesOfOne || used > cpuOfOne) {
			missed(t, "%v: %.1f times the rate at %.2f of the CPU; promised are %v and %v", c, rate, used, writesOfOne,
				cpuOfOne)
		}
	}
}

// compareFailOvers compares the times from a leader's crash to the next write.
func compareFailOvers(t *testing.T, all []*three) {
	times := 5
	if !asked.play {
		times = 1
	}
	var took [2][]time.Duration
	for i, s := range all {
		for range times {
			d, err := s.failOver()
			if err != nil {
				t.Fatal(s.name, err)
			}
			took[i] = append(took[i], d.Round(time.Millisecond))
		}
		slices.Sort(took[i])
	}
	ratio := float64(median(took[0])) / float64(median(took[1]))
	t.Logf("from the leader's end to the next write: %v and %v (%.2f)", took[0], took[1], ratio)
	if ratio > failover {
		missed(t, "to fail over takes %.2f of the time, promised is %v", ratio, failover)
	}
}

// failOver crashes the leader. It returns the time until its client has written at another server.
func (s *three) failOver() (time.Duration, error) {
	leader := s.leader()
	for since := time.Now(); leader == 0; leader = s.leader() {
		if time.Since(since) > startLimit {
			return 0, errors.New("nobody leads")
		}
		time.Sleep(10 * time.Millisecond)
	}
	p, err := peer.Dial(s.addrs[leader-1], wire.ConnectRequest{TimeoutMS: 40_000})
	if err != nil {
		return 0, err
	}
	defer p.Abort()
	session, password := p.Welcome.Session, p.Welcome.Password
	time.Sleep(100 * time.Millisecond)
	begun := time.Now()
	if err := s.crash(leader); err != nil {
		return 0, err
	}
	for n := leader; ; n++ {
		if time.Since(begun) > startLimit {
			return 0, errors.New("nobody takes over")
		}
		q, err := peer.Dial(s.addrs[n%len(s.addrs)], wire.ConnectRequest{TimeoutMS: 40_000, Session: session,
			Password: password})
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		path := fmt.Sprintf("/after-%d", begun.UnixNano())
		r, _, err := q.Do(wire.Request{Op: wire.OpCreate, Path: path, ACL: zoo.OpenACL()})
		took := time.Since(begun)
		q.Abort()
		if q.Welcome.Session == 0 { // the session had expired
			session, password = 0, nil
		}
		if err == nil && r.Code == zoo.OK {
			if err := s.start(leader); err != nil {
				return 0, err
			}
			time.Sleep(3 * time.Second) // until the old leader follows again
			return took, nil
		}
	}
}

// threeEmbedded starts viz-server with three servers. Its clients connect to the leader.
func threeEmbedded(t *testing.T) (*three, error) {
	o := asked
	if err := o.build(t.TempDir()); err != nil {
		return nil, err
	}
	cmd := exec.Command(o.viz, append([]string{"zookeeper", "--servers", "3", "--addr", "127.0.0.1:0"}, unlimited...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &three{server: server{name: "viz-server", pids: []int{cmd.Process.Pid}, stop: func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}}}
	t.Cleanup(s.stop)
	lines := bufio.NewScanner(out)
	for lines.Scan() && len(s.addrs) == 0 {
		for word := range strings.FieldsSeq(lines.Text()) {
			if strings.HasPrefix(word, "127.") {
				s.addrs = strings.Split(strings.TrimSuffix(word, ","), ",")
			}
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	s.leader = func() int { return leads(s.addrs) }
	s.crash = func(n int) error { _, err := fmt.Fprintf(in, "crash server-%d\n", n); return err }
	s.start = func(n int) error { _, err := fmt.Fprintf(in, "start server-%d\n", n); return err }
	return s, s.begin()
}

// threeOfApache starts three of Apache's servers, whose Java optimizes. They never wait for a disk.
func threeOfApache(t *testing.T) (*three, error) {
	a, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 3, Direct: true,
		Config: apache.Config{Tick: 2 * time.Second, HeapMB: 400, Optimize: true}})
	if err != nil {
		return nil, err
	}
	t.Cleanup(a.Close)
	s := &three{server: server{name: "ZooKeeper, forceSync=no"}, addrs: strings.Split(a.ConnectString(), ",")}
	for _, one := range a.Servers {
		s.pids = append(s.pids, one.PID())
	}
	s.leader = a.Leader
	s.crash = func(n int) error { a.Servers[n-1].Kill(); return nil }
	s.start = func(n int) error { return a.Servers[n-1].Again() }
	return s, s.begin()
}

// begin waits for a leader and connects the clients to it.
func (s *three) begin() error {
	for since := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if n := s.leader(); n > 0 {
			s.addr = s.addrs[n-1]
			return s.await(since)
		}
		if time.Since(since) > startLimit {
			return fmt.Errorf("%s: nobody leads", s.name)
		}
	}
}

// leads returns the number of the server that says it leads, or 0.
func leads(addrs []string) int {
	return 1 + slices.IndexFunc(addrs, func(addr string) bool {
		return strings.Contains((&apache.Server{Addr: addr}).Word("srvr"), "Mode: leader")
	})
}
