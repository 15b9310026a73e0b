// Package server implements a ZooKeeper 3.8 server without a clock, sockets or goroutines: connections and handshakes,
// sessions, authentication, every request that a client may send, watches, and the order of messages to clients.
// engine/zookeeper/znode implements the tree.
//
// Two hosts run it. engine/host/sim calls it in virtual time, with records that were never bytes.
// engine/zookeeper/embed calls it in real time, with frames from TCP. So both behave alike. A host passes the time
// with every call, and calls it from one goroutine at a time, or under a lock.
//
//	s := server.New(server.Config{})
//	c := s.Connect(link, server.From{Addr: addr})
//	c.Greet(&hello, now, 0)     // link.Welcome
//	c.Handle(&request, now, 0)  // link.Notify for each watch of this client that fires, then link.Reply
//	c.Lost(now, 0)              // the connection is gone, the session is not
//	s.Tick(now)                 // no later than s.NextTick()
//
// A Server is a single server. Each member of an ensemble has one, and they agree on changes: see Member.
package server

import (
	"cmp"
	"math"
	"net/netip"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Config configures a server. A field's zero value means the default in its comment.
type Config struct {
	Tick         time.Duration // sessions expire at multiples of it; default 2 s
	MaxTimeout   time.Duration // the longest session timeout, the shortest is 2 ticks; default 20 ticks
	MaxSessions  int           // maximum number of sessions at a time; 0 for no limit
	FirstSession int64         // number of the first session, later ones count up; default 0x100000000000000 + 1
	Seed         uint64        // for the sessions' passwords
	EpochMS      int64         // wall clock at time 0, in ms since 1970: ctime and mtime count from it; default 0

	// ContainerCheck is the interval, from time 0 on, at which the server looks for containers and znodes with a TTL
	// to delete; default 1 min.
	ContainerCheck time.Duration

	// NoExtendedTypes refuses znodes with a TTL, which is ZooKeeper's default.
	NoExtendedTypes bool

	// Limits limits what clients may keep; default none.
	Limits Limits

	// Portion is the number of watches that are removed at once when a connection ends. Forget removes the rest. 0
	// means all.
	Portion int

	// Ensemble connects the server to the others, and ID is its own number, from 1. Ensemble is nil for a standalone
	// server. In an ensemble, the first server to apply a change records its facts, see Proposal.Facts.
	Ensemble Ensemble
	ID       int
	// IgnoreSeen accepts clients that have seen more than the server has. No ZooKeeper does that.
	IgnoreSeen bool

	// Number names the client of a new session in the log if its connection has no name. If nil, it has none.
	Number func() event.Actor
	// Emit appends a fact to the log and returns its number; nil for no log. See Server.Log.
	Emit func(event.Event) event.Seq
	// Silenced returns the event that silenced a client, as the cause of its session's end; nil if unknown.
	Silenced func(event.Actor) event.Seq
}

// Link sends messages to one client. The server calls it in the order in which the client must receive them. The
// records belong to the server, so encode or copy them before returning. The cause is the event that caused the
// message, 0 without a log. During these calls, a host may call Lost on that Conn, and nothing else.
type Link interface {
	Welcome(r *wire.ConnectResponse, cause event.Seq)
	Reply(to *wire.Request, r *wire.Response, cause event.Seq)
	// Notify reports a change, for which the client had set watch.
	Notify(n wire.Notification, watch event.Watch, cause event.Seq)
	// Close ends the connection after all earlier messages. The server sends nothing more. Afterwards, only Forget may
	// be called on the Conn, and Lost, which then does nothing.
	Close(why event.Reason, cause event.Seq)
}

// From tells where a connection comes from.
type From struct {
	Addr  netip.Addr  // its identity in the scheme ip
	Actor event.Actor // the client's name in the log; 0 to let Config.Number name the client of a new session
}

// Server is a ZooKeeper server. Its zero value is not ready: use New.
type Server struct {
	cfg        Config
	now        time.Duration
	log        eventLog
	tree       *znode.Tree
	watchers   watchers
	sessions   sessions
	containers containers
	Member     Member

	// Memory that each request reuses.
	changes  []znode.Change
	ops      []znode.Txn
	response wire.Response
}

// New returns a freshly started server with an empty tree.
func New(cfg Config) *Server { return newServer(cfg.withDefaults(), znode.New()) }

func newServer(cfg Config, tree *znode.Tree) *Server {
	tree.NoTTL = cfg.NoExtendedTypes
	tree.Limits = cfg.Limits.Tree
	s := &Server{
		cfg:  cfg,
		log:  eventLog{emit: cfg.Emit, agreed: cfg.Ensemble != nil},
		tree: tree,
		sessions: sessions{all: make(map[int64]*session), nextID: cfg.FirstSession, tick: cfg.Tick,
			maxTimeout: cfg.MaxTimeout, seed: cfg.Seed},
		containers: containers{every: cfg.ContainerCheck, next: cfg.ContainerCheck},
	}
	s.watchers = watchers{table: znode.NewWatches(), limits: &s.cfg.Limits, log: &s.log}
	s.Member = Member{s: s, ensemble: cfg.Ensemble, id: cfg.ID, requests: make(map[int64]*Conn)}
	return s
}

func (c Config) withDefaults() Config {
	c.Tick = cmp.Or(c.Tick, 2*time.Second)
	c.MaxTimeout = min(cmp.Or(c.MaxTimeout, 20*c.Tick), math.MaxInt32*time.Millisecond) // a reply has no room for more
	c.FirstSession = cmp.Or(c.FirstSession, 1<<56+1)
	c.ContainerCheck = cmp.Or(c.ContainerCheck, time.Minute)
	return c
}

// Log sends all further facts to emit, or nowhere if it is nil: transactions, sessions, znodes, and watches that are
// set and removed. The host itself records messages: requests, replies, watch events and connections.
func (s *Server) Log(emit func(event.Event) event.Seq) { s.log.emit = emit }

// SetClock sets the server's wall clock: epochMS is what it showed at time 0, as in Config.EpochMS. Only what tells the
// time of day follows: ctime, mtime and the end of a TTL. Sessions run on time since time 0, in ZooKeeper as here.
func (s *Server) SetClock(epochMS int64) { s.cfg.EpochMS = epochMS }

func (s *Server) nowMS() int64 { return s.cfg.EpochMS + s.now.Milliseconds() }
