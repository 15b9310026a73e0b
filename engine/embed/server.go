// Package embed is a ZooKeeper server in this process: engine/server on a TCP port, in real time.
//
// Any ZooKeeper client can talk to it. What requests do is decided by engine/server and engine/znode, the
// same code as in the simulator; here are sockets, clocks, four-letter words, limits, and the file that a
// server may keep its data in. It is one server that answers from memory: there is no ensemble, no log on
// disk, no TLS.
//
// cmd/viz-server runs it, alone and behind the page "Zoo"; tests and benchmarks talk to it.
package embed

import (
	"context"
	"errors"
	"net"

	"github.com/zkviz/zkviz/engine/event"
)

// Server is a running server. Its methods may be called at any time from anywhere.
type Server struct {
}

// Listen starts a server, which runs until Close.
func Listen(c Config) (*Server, error) { return nil, errors.New("to come") }

// Addr is where the server listens.
func (s *Server) Addr() net.Addr { panic("to come") }

// Close ends the server: all connections are closed, and the data file, if there is one, is written. Sessions
// do not end with it: after a start from that file they have their whole timeouts again.
func (s *Server) Close() error { panic("to come") }

// Dial connects to the server within the process, without a socket. The server sees the address
// 127.0.0.1, and does not count it among the connections of that.
func (s *Server) Dial() (net.Conn, error) { panic("to come") }

// ErrLogFull is returned by Observe when its log is as long as it may get. Observe into a new log: it
// starts with what is there then.
var ErrLogFull = errors.New("the log is full; it goes on in a new one")

// Limits of an observation, as of engine/live's. Reaching one is a RecipeNote of ZooKeeper's, or for the
// number of events the end of the log.
const (
	MaxObservedEvents  = 100_000 // in one log, unless asked for less
	MaxObservedNodes   = 2000    // that are there at the start
	MaxObservedClients = 1000    // sessions in one log
)

// Observe reports to sink what happens at the znode root and below it, until ctx ends, the server is closed,
// or the log has max events (0: MaxObservedEvents); then it returns ErrLogFull. It writes nothing into the
// tree, costs the clients next to nothing, and any number of observations may go on at once.
//
// The log begins with RunStarted, whose Path is root, and with what is there: SessionCreated and ConnOpened
// of every session that is open, ZnodeCreated of root and every znode below it, WatchSet of every watch on
// those. Sessions are the log's clients, numbered from 1 in the order of their coming; ClientStarted, whose
// Text is the address that it came from, introduces each. Then follow, each with its cause:
//
//	of the clients  conn.opened conn.closed op.sent op.done watch.delivered
//	of the server   session.* txn.applied znode.* watch.set watch.fired watch.removed, and pings as msg.*
//
// A request is sent when the server has read it, and done when the server has begun to write the reply: how
// long messages travel, nobody here can know.
func (s *Server) Observe(ctx context.Context, root string, sink event.Sink, max int) error {
	return errors.New("to come")
}
