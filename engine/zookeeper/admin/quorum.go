package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// configPath is the znode in which an ensemble stores its configuration.
const configPath = "/zookeeper/config"

// findWithin is the time limit for finding an ensemble's servers.
const findWithin = 10 * time.Second

// QuorumPorts asks one of an ensemble's servers for the quorum port of every server, as host:port. It connects to a
// client port and reads /zookeeper/config.
func QuorumPorts(ctx context.Context, cfg Config) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	conn, err := Dial(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("find the ensemble's quorum ports: %w", err)
	}
	defer conn.Close()
	data, _, err := conn.ZK.Get(configPath)
	switch CodeOf(err) {
	case zoo.OK:
		return quorumPorts(string(data))
	case zoo.ErrNoNode:
		return nil, fmt.Errorf("there is no %s: ZooKeeper has it from 3.5 on; name the quorum ports instead", configPath)
	case zoo.ErrNoAuth:
		return nil, fmt.Errorf("there is no permission to read %s; name the quorum ports instead", configPath)
	}
	return nil, fmt.Errorf("read %s: %w", configPath, err)
}

// quorumPorts parses lines like server.1=host:2888:3888:participant;0.0.0.0:2181. Several addresses of a server are
// separated by |.
func quorumPorts(config string) (ports []string, err error) {
	for line := range strings.Lines(config) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || !strings.HasPrefix(name, "server.") {
			continue
		}
		value, _, _ = strings.Cut(value, ";")
		for addr := range strings.SplitSeq(value, "|") {
			host, rest := addressOf(addr)
			port, _, _ := strings.Cut(rest, ":")
			if host == "" || port == "" {
				return nil, fmt.Errorf("%s: there is no quorum port in the line %.200q", configPath, line)
			}
			ports = append(ports, net.JoinHostPort(host, port))
		}
	}
	if len(ports) == 0 {
		return nil, errors.New("it is a single server, not an ensemble: there is nothing to join")
	}
	return ports, nil
}

// addressOf splits host:port:port:role after the host. An IPv6 host is in brackets.
func addressOf(addr string) (host, rest string) {
	if in, ok := strings.CutPrefix(addr, "["); ok {
		host, rest, _ = strings.Cut(in, "]:")
		return host, rest
	}
	host, rest, _ = strings.Cut(addr, ":")
	return host, rest
}
