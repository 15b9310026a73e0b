package redisconform

import (
	"errors"
	"net"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// RealPair is a Target of two real Redis servers, a primary and its replica. They must serve nothing else.
type RealPair struct {
	nodes   [2]*Real
	proxies [2]*proxy // in front of each node, for the other
	primary int
	alone   bool // the old primary doesn't replicate the new one yet
	held    bool
}

// DialPair connects to both.
func DialPair(one, two string) (*RealPair, error) {
	p := &RealPair{}
	for i, addr := range []string{one, two} {
		var err error
		if p.proxies[i], err = startProxy(addr); err == nil {
			p.nodes[i], err = Dial(addr)
		}
		if err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

// Close closes all connections.
func (p *RealPair) Close() {
	for i := range p.nodes {
		if p.nodes[i] != nil {
			p.nodes[i].Close()
		}
		if p.proxies[i] != nil {
			p.proxies[i].close()
		}
	}
}

// Reset implements Target. It makes the first node the primary again, without keys, and the second its replica.
func (p *RealPair) Reset() error {
	for i, n := range p.nodes {
		p.proxies[i].cut()
		if err := n.order("REPLICAOF", "NO", "ONE"); err != nil {
			return err
		}
		if err := n.Reset(); err != nil {
			return err
		}
	}
	p.primary, p.held = 0, false
	return p.follow()
}

// follow makes the other node the primary's replica, and waits until it is.
func (p *RealPair) follow() error {
	host, port, err := net.SplitHostPort(p.proxies[p.primary].Addr().String())
	if err != nil {
		return err
	}
	p.alone = false
	if err := p.nodes[1-p.primary].order("REPLICAOF", host, port); err != nil {
		return err
	}
	return p.caughtUp()
}

// caughtUp waits until the replica has executed everything that the primary has.
func (p *RealPair) caughtUp() error {
	if p.held || p.alone {
		return nil
	}
	for end := time.Now().Add(longest); time.Now().Before(end); {
		primary, err := p.nodes[p.primary].ask("INFO", "replication")
		if err != nil {
			return err
		}
		replica, err := p.nodes[1-p.primary].ask("INFO", "replication")
		if err != nil {
			return err
		}
		if infoOf(replica, "master_link_status") == "up" &&
			infoOf(replica, "slave_repl_offset") == infoOf(primary, "master_repl_offset") {
			return nil
		}
	}
	return errors.New("the replica does not catch up")
}

// infoOf returns the value of one line of an INFO.
func infoOf(v resp.Value, name string) string {
	_, rest, _ := strings.Cut(v.Str, "\n"+name+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// Do implements Target.
func (p *RealPair) Do(step Step) error {
	switch step.Do {
	case Hold, Release:
		p.held = step.Do == Hold
		p.proxies[p.primary].hold(p.held)
		return p.caughtUp()
	case Failover:
		next := 1 - p.primary
		if err := p.nodes[next].order("REPLICAOF", "NO", "ONE"); err != nil {
			return err
		}
		p.proxies[p.primary].cut()
		p.primary, p.held, p.alone = next, false, true
		return nil
	case Rejoin:
		return p.follow()
	}
	if err := p.nodes[nodeOf(true, step.Conn)].Do(step); err != nil {
		return err
	}
	return p.caughtUp()
}

// Take implements Target.
func (p *RealPair) Take(conn int, more bool) (resp.Value, bool, error) {
	node := p.nodes[nodeOf(true, conn)]
	v, sent, err := node.Take(conn, more)
	for range rounds {
		if sent || err != nil || !more || p.held || p.alone {
			break
		}
		// A wait may depend on the replica having replayed and acknowledged something.
		if err := p.nodes[p.primary].order("WAIT", "1", "0"); err != nil {
			return resp.Value{}, false, err
		}
		v, sent, err = node.Take(conn, more)
	}
	return v, sent, err
}
