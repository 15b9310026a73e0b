package admin

import (
	"io"
	"log"

	"github.com/go-zookeeper/zk"
)

// Silent keeps the library from writing to the program's log.
func Silent() func(*zk.Conn) { return zk.WithLogger(log.New(io.Discard, "", 0)) }

// Hosts chooses the server to connect to. The library's own provider waits a second before every
// reconnection to a single server.
type Hosts struct {
	Start int // the server before the first one to try, so that clients spread over them

	servers []string
	tries   int // since the last success
}

// Init implements zk.HostProvider.
func (h *Hosts) Init(servers []string) error {
	h.servers = servers
	return nil
}

// Len implements zk.HostProvider.
func (h *Hosts) Len() int { return len(h.servers) }

// Next implements zk.HostProvider. When all servers have been tried, the library pauses, and fails the requests
// that wait for a connection.
func (h *Hosts) Next() (string, bool) {
	n := len(h.servers)
	again := h.tries >= n && h.tries%n == 0
	h.tries++
	h.Start++
	return h.servers[h.Start%n], again
}

// Connected implements zk.HostProvider.
func (h *Hosts) Connected() { h.tries = 0 }
