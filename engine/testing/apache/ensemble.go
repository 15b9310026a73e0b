package apache

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/testing/port"
)

// EnsembleConfig configures the servers of an ensemble.
type EnsembleConfig struct {
	Config
	Servers   int // voting servers
	Observers int // observers, which don't vote; their numbers come after the voting ones
	// Direct connects the servers without relays: then packets can't be recorded and links can't be cut.
	Direct bool
	// Heard receives each packet between a learner and its leader, and each Notification of an election; it may be
	// nil. Several goroutines call it.
	Heard func(Packet)
}

// Ensemble is several ZooKeeper servers. All traffic between them goes through relays, so that they can be cut off
// from each other.
type Ensemble struct {
	Servers []*Server // server 1 is the first
	cfg     EnsembleConfig
	dir     string
	release []func()      // lets others have the ports, which stay free while a server is down
	ports   [][2]string   // of each server, for followers and for votes
	relays  [][][2]*relay // from each server to each, one for each port

	mu  sync.Mutex
	cut map[[2]int]bool // cut pairs of servers, the lower number first
}

// StartEnsemble starts servers without data, and returns when all of them serve. Their files are in a temporary
// folder, which Close removes.
func StartEnsemble(cfg EnsembleConfig) (*Ensemble, error) {
	if err := Find(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "zkviz-ensemble-")
	if err != nil {
		return nil, err
	}
	e := &Ensemble{cfg: cfg, dir: dir, cut: map[[2]int]bool{}}
	if err := e.configure(); err != nil {
		e.Close()
		return nil, err
	}
	var starting sync.WaitGroup
	failed := make([]error, len(e.Servers))
	for i, s := range e.Servers {
		starting.Go(func() { failed[i] = s.Again() })
	}
	starting.Wait()
	if err := errors.Join(failed...); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// configure gives every server its ports and its files, and opens the relays.
func (e *Ensemble) configure() error {
	servers := e.cfg.Servers + e.cfg.Observers
	if servers > maxServers {
		return fmt.Errorf("servers must be at most %d, not %d", maxServers, servers)
	}
	for i := range servers {
		var ports [3]string
		for k := range ports {
			number, release, err := port.Reserve()
			if err != nil {
				return err
			}
			e.release = append(e.release, release)
			ports[k] = localhost(number)
		}
		e.ports = append(e.ports, [2]string{ports[following], ports[voting]})
		s := &Server{Addr: ports[2], cfg: e.cfg.Config, dir: filepath.Join(e.dir, fmt.Sprint(i+1)),
			release: func() {}}
		e.Servers = append(e.Servers, s)
		if err := os.MkdirAll(filepath.Join(s.dir, "data"), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(s.dir, "data", "myid"), []byte(fmt.Sprint(i+1)), 0o600); err != nil {
			return err
		}
	}
	for from := range e.Servers {
		e.relays = append(e.relays, make([][2]*relay, len(e.Servers)))
		for to := range e.Servers {
			for k := range e.relays[from][to] {
				if from == to || e.cfg.Direct {
					continue
				}
				r, err := e.newRelay(from, to, k == voting)
				if err != nil {
					return err
				}
				e.relays[from][to][k] = r
			}
		}
	}
	for i, s := range e.Servers {
		s.cfg.Settings = append([]string{"initLimit=10", "syncLimit=5"}, e.cfg.Settings...)
		if i >= e.cfg.Servers {
			s.cfg.Settings = append(s.cfg.Settings, "peerType=observer")
		}
		for to := range e.Servers {
			follow, vote, role := e.ports[to][following], e.ports[to][voting], "participant"
			if to >= e.cfg.Servers {
				role = "observer"
			}
			if to != i && !e.cfg.Direct {
				follow, vote = e.relays[i][to][following].addr(), e.relays[i][to][voting].addr()
			}
			_, port, _ := net.SplitHostPort(vote)
			s.cfg.Settings = append(s.cfg.Settings, fmt.Sprintf("server.%d=%s:%s:%s", to+1, follow, port, role))
		}
		if err := s.configure(); err != nil {
			return err
		}
	}
	return nil
}

// maxServers limits an ensemble, including its observers.
const maxServers = 10

func localhost(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// The two ports for other servers.
const (
	following = iota
	voting
)

// ConnectString returns the servers' addresses in the form for clients.
func (e *Ensemble) ConnectString() string {
	var list []string
	for _, s := range e.Servers {
		list = append(list, s.Addr)
	}
	return strings.Join(list, ",")
}

// Quorum returns, in the order of the servers, the addresses (host:port) at which each would accept learners as leader.
func (e *Ensemble) Quorum() (list []string) {
	for _, p := range e.ports {
		list = append(list, p[following])
	}
	return list
}

// Leader returns the number of the server that says it leads, 0 if none does.
func (e *Ensemble) Leader() int {
	for i, s := range e.Servers {
		if strings.Contains(s.Word("srvr"), "Mode: leader") {
			return i + 1
		}
	}
	return 0
}

// Isolate blocks all traffic between a server and the others until Heal. Whatever is sent meanwhile is lost with its
// connection.
func (e *Ensemble) Isolate(n int) {
	for other := range e.Servers {
		if other+1 != n {
			e.Cut(n, other+1)
		}
	}
}

// Cut blocks all traffic between two servers until Heal.
func (e *Ensemble) Cut(a, b int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cut[[2]int{min(a, b), max(a, b)}] = true
}

// Heal ends all cuts. It closes the connections that were cut, and what was waiting on them is lost.
func (e *Ensemble) Heal() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for link := range e.cut {
		for _, to := range [][2]int{{link[0], link[1]}, {link[1], link[0]}} {
			for _, r := range e.relays[to[0]-1][to[1]-1] {
				r.reset()
			}
		}
	}
	clear(e.cut)
}

func (e *Ensemble) isCut(from, to int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cut[[2]int{min(from, to) + 1, max(from, to) + 1}]
}

// Close kills all servers and removes their files.
func (e *Ensemble) Close() {
	for _, s := range e.Servers {
		s.Kill()
	}
	for _, row := range e.relays {
		for _, pair := range row {
			for _, r := range pair {
				if r != nil {
					r.close()
				}
			}
		}
	}
	for _, release := range e.release {
		release()
	}
	_ = os.RemoveAll(e.dir) // a temporary folder: the system clears what stays
}

// retryFor is how long a relay tries to reach a server that doesn't listen yet. A port without a listener wouldn't
// accept a connection and then close it.
const retryFor = 2 * time.Second
