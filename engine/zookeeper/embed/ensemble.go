package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/base/agenda"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/replica"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// EnsembleConfig describes an Ensemble.
type EnsembleConfig struct {
	// Config applies to each server. The first server listens at Addr and the others at the following ports, or
	// each at a free one if the port is 0. Data must be empty, because the servers keep their data in memory.
	Config

	Servers   int           // voters
	Observers int           // servers that don't vote
	Latency   time.Duration // how long a message between two servers takes
	Fsync     time.Duration // how long a disk takes for an fsync

	listen func(addr string) (net.Listener, error) // for tests
	keep   int                                     // for tests; keepTxns
}

// Limits of an EnsembleConfig.
const (
	MaxServers = zab.MaxServers // voters and observers together
	maxLatency = time.Second
	maxFsync   = 10 * time.Second
)

// The bounds of a server's log in an ensemble, in transactions and in bytes. They exceed what a ZooKeeper sends a
// learner in its usual configuration.
const (
	keepTxns  = 20_000
	keepBytes = 32 << 20
)

// Validate returns a sentence that says what is wrong with c, or nil.
func (c EnsembleConfig) Validate() error {
	if err := ValidateServers(c.Servers, c.Observers); err != nil {
		return err
	}
	switch {
	case c.Servers == 1:
		return errors.New("one server alone is no ensemble")
	case c.Data != "":
		return errors.New("the servers of an ensemble keep what they have in memory, and write no data file")
	case c.Latency < 0 || c.Latency > maxLatency:
		return fmt.Errorf("a message between two servers takes up to %v, and not %v", maxLatency, c.Latency)
	case c.Fsync < 0 || c.Fsync > maxFsync:
		return fmt.Errorf("a disk takes up to %v, and not %v", maxFsync, c.Fsync)
	}
	return c.Config.Validate()
}

// ValidateServers returns a sentence that says what is wrong with these numbers of servers, or nil. A single server
// is allowed.
func ValidateServers(voters, observers int) error {
	switch {
	case voters < 1 || observers < 0 || voters+observers > MaxServers:
		return fmt.Errorf("there are 1 to %d servers, observers among them, and not %d and %d", MaxServers, voters,
			observers)
	case voters == 1 && observers > 0:
		return errors.New("one server alone has no observers; three servers may have some")
	}
	return nil
}

// Ensemble runs the servers of an ensemble in this process, each on its own port. Their messages and disks exist
// only in memory. All methods are safe for concurrent use.
type Ensemble struct {
	*shared
	cfg     EnsembleConfig
	log     journal
	members []*member // by zab.ID; the first is nil
	stop    chan struct{}
	earlier chan struct{} // an earlier step was planned
	changes chan struct{} // the state of a server changed
	all     sync.WaitGroup
	once    sync.Once

	// Under the lock.
	group   *replica.Group
	agenda  agenda.Agenda[plan]
	wakes   time.Duration // when run checks the agenda next
	changed bool          // a process may have started or ended
	dialled int
}

// plan is a planned action: a step of the ensemble, a check of sessions, or a new listener for a server.
type plan struct {
	step   ensemble.Step
	look   zab.ID
	listen zab.ID
}

// ListenEnsemble starts the servers of an ensemble, which run until Close. Clients can connect once the servers
// have elected a leader, a fifth of a second later.
func ListenEnsemble(c EnsembleConfig) (*Ensemble, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Config = c.Config.withDefaults()
	c.drawSeed()
	if c.listen == nil {
		c.listen = func(addr string) (net.Listener, error) { return net.Listen("tcp", addr) }
	}
	listeners, err := c.listenAll()
	if err != nil {
		return nil, err
	}
	e := &Ensemble{
		shared: &shared{start: time.Now()}, cfg: c, log: journal{w: c.Log}, members: make([]*member, 1),
		stop: make(chan struct{}), earlier: make(chan struct{}, 1),
		changes: make(chan struct{}, 1),
	}
	e.ensemble = e
	for i, ln := range listeners {
		e.members = append(e.members, newMember(e, zab.ID(i+1), ln))
	}
	e.group = replica.New(replica.Config{
		Ensemble: ensemble.Config{
			Voters: c.Servers, Observers: c.Observers, Tick: c.Tick, Fsync: cmp.Or(c.Fsync, -1),
			Keep: cmp.Or(c.keep, keepTxns), KeepBytes: keepBytes,
			Now:    func() time.Duration { return e.now },
			Plan:   func(at time.Duration, x ensemble.Step) { e.agenda.Add(at, plan{step: x}) },
			Flight: func() time.Duration { return c.Latency },
		},
		Server:  e.config,
		Look:    func(at time.Duration, id zab.ID) { e.agenda.Add(at, plan{look: id}) },
		Began:   func(r *replica.Replica) { e.members[r.ID].began(r) },
		Stopped: func(r *replica.Replica, why event.Reason, _ event.Seq) { e.members[r.ID].disconnect(why) },
	})
	e.mu.Lock()
	e.since()
	e.group.Start(func(*server.Server) {})
	e.settle()
	e.mu.Unlock()
	e.all.Go(e.run)
	return e, nil
}

// listenAll opens the ports of all servers, or of none.
func (c *EnsembleConfig) listenAll() (list []net.Listener, err error) {
	addr, n := c.Addr, c.Servers+c.Observers
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is not HOST:PORT: %w", addr, err)
	}
	first, err := strconv.Atoi(port)
	if err != nil || first != 0 && (first < 0 || first+n-1 > 65535) {
		return nil, fmt.Errorf("there are no %d ports from %q on", n, port)
	}
	for i := range n {
		at := addr
		if first != 0 {
			at = net.JoinHostPort(host, strconv.Itoa(first+i))
		}
		ln, err := c.listen(at)
		if err != nil {
			for _, ln := range list {
				_ = ln.Close()
			}
			return nil, listenError(at, err)
		}
		list = append(list, ln)
	}
	return list, nil
}

// config returns the configuration of a server's new process.
func (e *Ensemble) config(id zab.ID, _ uint32) server.Config {
	c := e.cfg.core(e.start)
	c.FirstSession = firstSession(int(id), time.Now())
	return c
}

// ConnectString returns the servers' addresses as clients expect them, separated by commas.
func (e *Ensemble) ConnectString() string {
	var list []string
	for _, m := range e.members[1:] {
		list = append(list, m.addr.String())
	}
	return strings.Join(list, ",")
}

// System describes the servers for the header of a log.
func (e *Ensemble) System() event.System {
	return event.System{Kind: event.ZooKeeperSystem, Servers: e.cfg.Servers, Observers: e.cfg.Observers,
		SyncLimit: zab.DefaultSyncLimit * e.cfg.Tick}
}

// Dial connects to one of the running servers, within the process. See Server.Dial.
func (e *Ensemble) Dial() (net.Conn, error) {
	for range e.members[1:] {
		e.mu.Lock()
		e.dialled++
		m := e.members[1+e.dialled%(len(e.members)-1)]
		e.mu.Unlock()
		if sock, err := m.Dial(); err == nil {
			return sock, nil
		}
	}
	return nil, net.ErrClosed
}

// Ready waits until all running servers serve clients, or until ctx ends.
func (e *Ensemble) Ready(ctx context.Context) error {
	for {
		e.mu.Lock()
		ready := true
		for _, m := range e.members[1:] {
			ready = ready && (!m.self().Up() || m.self().Serves())
		}
		e.mu.Unlock()
		if ready {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.stop:
			return net.ErrClosed
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Inject carries out a fault on servers now, whatever its own time says.
func (e *Ensemble) Inject(f fault.Fault) error {
	f.At = 0
	if to := f.Kind.Target(); to == fault.ToClientAt || to == fault.ToMessage {
		return sentence.Error("bad.fault.lines", sentence.Quote(f.String()))
	}
	if err := f.Validate(fault.Scope{Servers: e.cfg.Servers + e.cfg.Observers}); err != nil {
		return err
	}
	if f.Kind.Sets() {
		return sentence.Error("refused.clock", sentence.Quote(f.String()))
	}
	e.change(func() {
		e.group.Cluster.Inject(f, e.observations.emit(e.group.Cluster.Injected(f)))
		e.changed = true
	})
	return nil
}

// Heal ends all partitions now.
func (e *Ensemble) Heal() { e.change(e.group.Cluster.Heal) }

// change changes the servers with do, under the lock.
func (e *Ensemble) change(do func()) {
	e.mu.Lock()
	e.since()
	do()
	e.settle()
	others := e.take(nil)
	e.mu.Unlock()
	nudgeAll(others)
}

// Close stops all servers.
func (e *Ensemble) Close() error {
	e.once.Do(func() {
		e.mu.Lock()
		close(e.stop)
		for _, m := range e.members[1:] {
			m.end()
			m.ready.Broadcast()
		}
		e.mu.Unlock()
		for _, m := range e.members[1:] {
			m.all.Wait()
		}
		e.all.Wait()
		e.log.flush()
		e.mu.Lock()
		e.observations.end()
		e.mu.Unlock()
	})
	return nil
}

// run carries out planned actions when they are due.
func (e *Ensemble) run() {
	var others []*conn
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-e.stop:
			return
		case <-timer.C:
		case <-e.earlier:
		}
		e.mu.Lock()
		e.since()
		e.settle()
		others = e.take(others[:0])
		select {
		case <-e.earlier: // a signal for this goroutine that it now handles
		default:
		}
		pause := max(e.wakes-e.since(), 0)
		e.mu.Unlock()
		nudgeAll(others)
		timer.Reset(pause)
	}
}

// settle carries out everything that is due. Callers hold the lock, and call it after any change that others must
// learn of.
func (e *Ensemble) settle() {
	next := e.now + time.Hour
	for {
		at, p, ok := e.agenda.First()
		if !ok {
			break
		}
		if at > e.now {
			next = at
			break
		}
		e.agenda.Next()
		e.do(p)
	}
	for _, m := range e.members[1:] {
		if e.changed {
			m.follow()
		}
		m.resume()
		if now := m.status(); now != m.signalled {
			m.signalled = now
			select {
			case e.changes <- struct{}{}:
			default:
			}
		}
	}
	e.changed = false
	if next < e.wakes || e.wakes <= e.now {
		e.wakes = next
		select {
		case e.earlier <- struct{}{}:
		default:
		}
	}
}

func (e *Ensemble) do(p plan) {
	switch {
	case p.look != 0:
		e.group.Look(p.look)
	case p.listen != 0:
		e.changed = true
	default:
		e.group.Cluster.Do(p.step)
	}
}
