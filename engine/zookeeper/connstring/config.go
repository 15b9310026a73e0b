package connstring

import (
	"net"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// A zoo.cfg lists the servers of its ensemble. Each line has the host, two ports for the other servers and, since 3.5,
// the address for clients:
//
//	server.N=HOST:2888:3888[:ROLE][|HOST:2888:3888…][;[HOST:]PORT]
//
// If a line has no port for clients, clientPort applies.

const (
	serverKey     = "server."
	clientPortKey = "clientPort"
)

// isConfig reports whether a text is from a zoo.cfg, and not a connection string.
func isConfig(text string) bool {
	for _, line := range configLines(text) {
		if strings.HasPrefix(line, serverKey) && strings.Contains(line, "=") {
			return true
		}
	}
	return false
}

// configLines returns the settings without comments. Settings on a single line are separated by spaces or commas.
func configLines(text string) (all []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && !strings.Contains(value, "=") {
			all = append(all, strings.TrimSpace(key)+"="+strings.TrimSpace(value))
			continue
		}
		all = append(all, fields(line)...)
	}
	return all
}

// config returns each server's address for clients.
func config(text string) (servers []string, err error) {
	lines, port := configLines(text), ""
	for _, line := range lines {
		if key, value, _ := strings.Cut(line, "="); key == clientPortKey {
			port = value
		}
	}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(key, serverKey) {
			continue
		}
		s, ok := configured(strings.TrimRight(value, ","), port)
		if !ok {
			return nil, sentence.Error("bad.connect.line", sentence.Quote(line))
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// configured returns the address for clients from a server's line.
func configured(value, port string) (addr string, ok bool) {
	peer, client, _ := strings.Cut(value, ";")
	peer, _, _ = strings.Cut(peer, "|") // the first of its addresses is enough
	host, ok := peerHost(strings.TrimSpace(peer))
	if client = strings.TrimSpace(client); client == "" {
		client = port
	}
	if strings.Contains(client, ":") {
		own, p, err := hostPort(client)
		if err != nil {
			return "", false
		}
		if client = p; own != "0.0.0.0" && own != "::" { // else it listens everywhere
			host = own
		}
	}
	if client == "" {
		return bracketed(host), ok
	}
	return net.JoinHostPort(host, client), ok
}

// peerHost returns the host from a server's address for other servers, which must have both ports.
func peerHost(peer string) (host string, ok bool) {
	rest := ""
	if inner, is6 := strings.CutPrefix(peer, "["); is6 {
		if host, rest, ok = strings.Cut(inner, "]"); !ok {
			return "", false
		}
	} else if at := strings.IndexByte(peer, ':'); at >= 0 {
		host, rest = peer[:at], peer[at:]
	}
	return host, strings.Count(rest, ":") >= 2
}

func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
