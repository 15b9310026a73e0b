package main

import (
	"context"
	"fmt"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run/cluster"
)

// clusterFlags name the real ZooKeeper that a command may use.
type clusterFlags struct {
	ZK     []string `name:"zk" placeholder:"HOST:PORT" help:"A real ZooKeeper to run on; several servers of it are separated by commas."`
	ZKPath string   `name:"zk-path" default:"/zkviz" placeholder:"PATH" help:"The znode that everything is written under (default: ${default})."`
}

func (c clusterFlags) cluster() cluster.Cluster {
	return cluster.Cluster{Servers: c.ZK, Path: c.ZKPath}
}

// tidying does something on the cluster, if there is one, and beside it removes what runs that were killed have
// left there. That this fails is only told.
func (c clusterFlags) tidying(term *terminal, do func() error) error {
	if len(c.ZK) == 0 {
		return do()
	}
	ctx, cancel := context.WithCancel(term.ctx)
	defer cancel()
	swept := make(chan error, 1)
	go func() { swept <- c.cluster().SweepNow(ctx) }()
	if err := do(); err != nil {
		return web.Advised(err)
	}
	if err := <-swept; err != nil && ctx.Err() == nil {
		term.complain("what an earlier run has left is still there: %v", err)
	}
	return nil
}

// validate refuses what cannot be used. It drops what is meant for the eye, spaces, and servers that are named twice.
func (c *clusterFlags) validate() error {
	var servers []string
	for _, server := range c.ZK {
		if server = strings.TrimSpace(server); !slices.Contains(servers, server) {
			servers = append(servers, server)
		}
	}
	c.ZK = servers
	for _, server := range c.ZK {
		if addr, chroot, ok := strings.Cut(server, "/"); ok && !strings.Contains(server, "://") {
			return fmt.Errorf("--zk: %q has a path in it; the servers go to --zk alone, %s, and the path to --zk-path, %s", server, addr, path.Join("/", chroot, c.ZKPath))
		}
		host, port, err := net.SplitHostPort(server)
		n, portErr := strconv.Atoi(port)
		if err != nil || host == "" || portErr != nil || n < 1 || n > 65535 {
			return fmt.Errorf("--zk: %q is not HOST:PORT, like 127.0.0.1:2181 or [::1]:2181", server)
		}
	}
	return validatePath(c.ZKPath)
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
