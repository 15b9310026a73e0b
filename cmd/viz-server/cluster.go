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

// clusterFlags name the real ZooKeeper, and the other real systems, that a command may use.
type clusterFlags struct {
	ZK     []string `name:"zk" sep:"none" placeholder:"HOST:PORT" help:"A real ZooKeeper to run on: its connection string, such as a:2181,b:2181/app, or the server lines of its zoo.cfg. Port 2181 may be left out."`
	ZKPath string   `name:"zk-path" default:"/zkviz" placeholder:"PATH" help:"The znode under which everything is written (default: ${default})."`

	accessFlags
	access access.Dialer // that they name, with the chroot of ZK

	elsewhereFlags
	others cluster.Elsewhere // that they name

	ZKPathExists bool `name:"zk-path-exists" help:"Allow --zk-path to be a znode that zkviz didn't make. Without this flag such a znode is refused."`
}

func (c clusterFlags) cluster() cluster.Cluster {
	return cluster.Cluster{Servers: c.ZK, Access: c.access, Path: c.ZKPath, PathExists: c.ZKPathExists,
		Elsewhere: c.others}
}

// host is where a command runs: on what is named, or simulated.
func (c clusterFlags) host() event.Host {
	if c.cluster().Given() {
		return event.Cluster
	}
	return event.Simulated
}

// runner is what carries out a scenario on a host, in the place that placed gives it.
func runner(on cluster.Cluster, host event.Host) run.Runner {
	if host != event.Cluster {
		return run.Sim
	}
	return func(ctx context.Context, s run.Scenario, sink event.Sink) error { return on.Run(ctx, s, sink, nil) }
}

// headerOf is that of the log of a scenario that placed has given its place.
func headerOf(on cluster.Cluster, host event.Host, s run.Scenario) event.Header {
	if host != event.Cluster {
		return s.Header(host)
	}
	return on.Header(s)
}

func placed(on cluster.Cluster, host event.Host, s run.Scenario) run.Scenario {
	if host != event.Cluster {
		return s
	}
	return on.Place(s)
}

// leavings are lines about what runs and sweeps have left on a cluster, kept until nothing else is printed.
type leavings struct {
	mu    sync.Mutex
	lines []string
	more  int // lines that are not kept
}

// mostLeavings is how many lines about what was left are printed.
const mostLeavings = 30

func (l *leavings) add(lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := min(len(lines), mostLeavings-len(l.lines))
	l.lines = append(l.lines, lines[:kept]...)
	l.more += len(lines) - kept
}

func (l *leavings) print(term *terminal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		term.complain("%s", line)
	}
	if l.more > 0 {
		term.complain("and %d more lines like these", l.more)
	}
}

// tidying does something on the cluster, if there is one, and beside it removes what runs that were killed have
// left there. That this fails is only told, as is what was left because no run made it.
func (c clusterFlags) tidying(term *terminal, do func(cluster.Cluster) error) error {
	on := c.cluster()
	if len(c.ZK) == 0 {
		return web.Advised(do(on))
	}
	var left leavings
	defer left.print(term)
	on.Report = left.add
	ctx, cancel := context.WithCancel(term.ctx)
	defer cancel()
	swept := make(chan error, 1)
	go func() { swept <- on.SweepNow(ctx) }()
	if err := do(on); err != nil {
		return web.Advised(err)
	}
	if err := <-swept; err != nil && ctx.Err() == nil {
		term.complain("what an earlier run has left is still there: %v", err)
	}
	return nil
}

// validate refuses what cannot be used, and reads what the flags name.
func (c *clusterFlags) validate() (err error) {
	chroot := ""
	if c.others, err = c.elsewhere(); err != nil {
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

// validatePath refuses what ZooKeeper would refuse, and its root, which nobody should run under.
func validatePath(path string) error {
	bad := func(why string) error { return fmt.Errorf("--zk-path: %q %s", path, why) }
	if !strings.HasPrefix(path, "/") || path == "/" {
		return bad("is not the path of a znode, like /zkviz")
	}
	for _, name := range strings.Split(path[1:], "/") {
		if name == "" || name == "." || name == ".." {
			return bad("has an empty or relative name in it")
		}
	}
	for _, r := range path {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return bad("has a character in it that ZooKeeper does not take")
		}
	}
	if path == "/zookeeper" || strings.HasPrefix(path, "/zookeeper/") {
		return bad("is ZooKeeper's own")
	}
	return nil
}
