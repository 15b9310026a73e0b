// Package connstring reads the address of a ZooKeeper in all common forms: a client's connection string, a URL, or
// lines of a zoo.cfg. It only converts text. It resolves no names and makes no connections. The command line calls it.
package connstring

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// DefaultPort is ZooKeeper's default port for clients.
const DefaultPort = 2181

// Limits of a text.
const (
	maxText = 64 << 10 // bytes
	maxHost = 253      // bytes, DNS's limit
)

// Address is the address of a ZooKeeper.
type Address struct {
	Servers []string // host:port without duplicates, in the text's order; at least one
	Chroot  string   // the znode that clients see as the root, such as /app; empty for the root itself
}

// String returns a connection string that any client accepts.
func (a Address) String() string { return strings.Join(a.Servers, ",") + a.Chroot }

// Parse reads a connection string. These are equivalent:
//
//	a:2181,[::1]:2182/app
//	a, [::1]:2182/app/
//	zk://a,[::1]:2182/app
//	zookeeper://a,[::1]:2182/app
//
// Apart from the path, so are these lines of a zoo.cfg, which may have others between them:
//
//	clientPort=2181
//	server.1=a:2888:3888
//	server.2=[::1]:2888:3888:observer;2182
//
// An error is a sentence that says what to write instead. It never contains a URL's password.
func Parse(text string) (Address, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		return Address{}, sentence.Error("bad.connect.long", sentence.Number(maxText))
	}
	servers, path, err := split(text)
	if err != nil {
		return Address{}, err
	}
	a, err := withPath(path, servers)
	if err != nil {
		return a, err
	}
	for _, s := range servers {
		if s, err = server(s); err != nil {
			return Address{}, err
		}
		if !slices.Contains(a.Servers, s) {
			a.Servers = append(a.Servers, s)
		}
	}
	if len(a.Servers) == 0 {
		return Address{}, sentence.Error("bad.connect.none")
	}
	return a, nil
}

// split returns the servers in a text, and the path after them.
func split(text string) (servers []string, path string, err error) {
	if isConfig(text) {
		servers, err = config(text)
		return servers, "", err
	}
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		if s := strings.ToLower(scheme); s != "zk" && s != "zookeeper" {
			return nil, "", sentence.Error("bad.connect.scheme", sentence.Quote(scheme))
		}
		text = rest
	}
	list := text
	if at := strings.IndexByte(text, '/'); at >= 0 {
		list, path = text[:at], text[at:]
	}
	if strings.ContainsRune(list, '@') {
		return nil, "", sentence.Error("bad.connect.secret")
	}
	return fields(list), path, nil
}

// fields splits a list at commas and spaces.
func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// withPath returns an Address that has the path after the servers as its chroot, and no servers yet.
func withPath(path string, servers []string) (Address, error) {
	if strings.ContainsAny(path, ", \t\n") {
		first := path[:strings.IndexAny(path, ", \t\n")]
		return Address{}, sentence.Error("bad.connect.middle", sentence.Quote(first))
	}
	path = strings.TrimRight(path, "/")
	if path == "" {
		return Address{}, nil
	}
	if znode.CheckPath(path) != nil {
		return Address{}, sentence.Error("bad.connect.path", sentence.Quote(path))
	}
	return Address{Chroot: path}, nil
}

// server returns one server's host:port.
func server(text string) (string, error) {
	host, port, err := hostPort(text)
	if err != nil {
		return "", err
	}
	if port == "" {
		port = strconv.Itoa(DefaultPort)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 || port[0] == '+' {
		return "", sentence.Error("bad.connect.port", sentence.Quote(text), sentence.Quote(port))
	}
	if !isHost(host) {
		return "", badServer(text)
	}
	return net.JoinHostPort(host, strconv.Itoa(n)), nil
}

func badServer(text string) error { return sentence.Error("bad.connect.server", sentence.Quote(text)) }

// hostPort splits a server's text. The port is empty if there is none.
func hostPort(text string) (host, port string, err error) {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		host, rest, ok = strings.Cut(rest, "]")
		if ip, err := netip.ParseAddr(host); !ok || err != nil || !ip.Is6() {
			return "", "", badServer(text)
		}
		if rest == "" {
			return host, "", nil
		}
		if port, ok = strings.CutPrefix(rest, ":"); !ok || port == "" {
			return "", "", badServer(text)
		}
		return host, port, nil
	}
	host, port, found := strings.Cut(text, ":")
	switch {
	case strings.Contains(port, ":") && isIP(text):
		return "", "", sentence.Error("bad.connect.brackets", sentence.Quote(text))
	case strings.Contains(port, ":"), found && port == "":
		return "", "", badServer(text)
	}
	return host, port, nil
}

func isIP(text string) bool {
	_, err := netip.ParseAddr(text)
	if err != nil { // maybe it has a port
		_, err = netip.ParseAddr(text[:strings.LastIndexByte(text, ':')])
	}
	return err == nil
}

// isHost reports whether a text can be a host name or an address.
func isHost(s string) bool {
	if s == "" || len(s) > maxHost {
		return false
	}
	if strings.Contains(s, ":") {
		return true // hostPort has checked it
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-._", r) {
			return false
		}
	}
	return s[0] != '-'
}
