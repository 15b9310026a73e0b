package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/connstring"
)

// clusterFlags names the real ZooKeeper and the other real systems that a command may use.
type clusterFlags struct {
	ZK     []string `name:"zk" sep:"none" placeholder:"HOST:PORT" help:"A real ZooKeeper to run on: its connection string, such as a:2181,b:2181/app, or the server lines of its zoo.cfg. The default port is 2181."`
	ZKPath string   `name:"zk-path" default:"/zkviz" placeholder:"PATH" help:"The znode below which zkviz writes everything (default: ${default})."`

	accessFlags
	access access.Dialer // named by the flags, with the chroot of ZK

	systemFlags
	systems cluster.Elsewhere // named by the flags

	ZKPathExists bool `name:"zk-path-exists" help:"Allow --zk-path to be a znode that zkviz didn't create. Without this flag, zkviz refuses such a znode."`
}

func (c clusterFlags) cluster() cluster.Cluster {
	return cluster.Cluster{Servers: c.ZK, Access: c.access, Path: c.ZKPath, PathExists: c.ZKPathExists,
		Elsewhere: c.systems}
}

// host returns where the command runs: on the named systems, or simulated.
func (c clusterFlags) host() event.Host {
	if c.cluster().Given() {
		return event.Cluster
	}
	return event.Simulated
}

// runner returns the function that runs a scenario on a host. Call place on the scenario first.
func runner(on cluster.Cluster, host event.Host) run.Runner {
	if host != event.Cluster {
		return run.Sim
	}
	return func(ctx context.Context, s run.Scenario, sink event.Sink) error { return on.Run(ctx, s, sink, nil) }
}

// headerOf returns the log header of a scenario that place has returned.
func headerOf(on cluster.Cluster, host event.Host, s run.Scenario) event.Header {
	if host != event.Cluster {
		return s.Header(host)
	}
	return on.Header(s)
}

// place returns the scenario as it runs on the host.
func place(on cluster.Cluster, host event.Host, s run.Scenario) run.Scenario {
	if host != event.Cluster {
		return s
	}
	return on.Place(s)
}

// leftovers collects lines about leftovers of runs and sweeps on a cluster. They are printed after everything else.
type leftovers struct {
	mu      sync.Mutex
	lines   []string
	dropped int // lines that were dropped
}

// maxLeftovers is the maximum number of lines printed about leftovers.
const maxLeftovers = 30

func (l *leftovers) add(lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := min(len(lines), maxLeftovers-len(l.lines))
	l.lines = append(l.lines, lines[:kept]...)
	l.dropped += len(lines) - kept
}

func (l *leftovers) print(term *terminal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		term.complain("%s", line)
	}
	if l.dropped > 0 {
		term.complain("and %d more lines like these", l.dropped)
	}
}

// withCleanup runs do on the cluster, if there is one, and meanwhile removes what killed runs have left there. If the
// removal fails, or finds znodes that no run made, it only prints so.
func (c clusterFlags) withCleanup(term *terminal, do func(cluster.Cluster) error) error {
	on := c.cluster()
	if len(c.ZK) == 0 {
		return web.WithAdvice(do(on))
	}
	var left leftovers
	defer left.print(term)
	on.Report = left.add
	ctx, cancel := context.WithCancel(term.ctx)
	defer cancel()
	swept := make(chan error, 1)
	go func() { swept <- on.SweepNow(ctx) }()
	if err := do(on); err != nil {
		return web.WithAdvice(err)
	}
	if err := <-swept; err != nil && ctx.Err() == nil {
		term.complain("remove what an earlier run left: %v", err)
	}
	return nil
}

// validate refuses unusable flags and parses the rest.
func (c *clusterFlags) validate() (err error) {
	chroot := ""
	if c.systems, err = c.parseSystems(); err != nil {
		return err
	}
	if len(c.ZK) > 0 {
		a, err := connstring.Parse(strings.Join(c.ZK, "\n"))
		if err != nil {
			return fmt.Errorf("--zk: %w", err)
		}
		c.ZK, chroot = a.Servers, a.Chroot
	}
	if c.access, err = c.dialer(chroot); err != nil {
		return err
	}
	if err := validatePath(c.ZKPath); err != nil || chroot == "" {
		return err
	}
	return validatePath(chroot + c.ZKPath)
}

// validatePath refuses paths that ZooKeeper would refuse, the root, and ZooKeeper's own /zookeeper.
func validatePath(path string) error {
	bad := func(why string) error { return fmt.Errorf("--zk-path: %q %s", path, why) }
	if !strings.HasPrefix(path, "/") || path == "/" {
		return bad("is not a znode's path, like /zkviz")
	}
	for _, name := range strings.Split(path[1:], "/") {
		if name == "" || name == "." || name == ".." {
			return bad("contains an empty or relative name")
		}
	}
	for _, r := range path {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return bad("contains a character that ZooKeeper doesn't accept")
		}
	}
	if path == "/zookeeper" || strings.HasPrefix(path, "/zookeeper/") {
		return bad("belongs to ZooKeeper itself")
	}
	return nil
}
