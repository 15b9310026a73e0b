// Package server is a ZooKeeper 3.8 server without a clock, a socket or a goroutine: connections and their
// handshakes, sessions, authentication, every request that a client may send, watches, and the order in which
// a client hears of it all. What becomes of the tree is engine/znode's.
//
// Two hosts run it. engine/sim calls it in virtual time with records that never were bytes, engine/embed in
// real time with frames that came over TCP; so what holds of one holds of the other. A host tells the server
// what time it is with every call, and calls it from one goroutine at a time, or under a lock.
//
//	s := server.New(server.Config{})
//	c := s.Connect(link, server.From{Addr: addr})
//	c.Greet(&hello, now, 0)     // link.Welcome
//	c.Handle(&request, now, 0)  // link.Notify for each watch of this client that fires, then link.Reply
//	c.Lost(now, 0)              // the connection is gone, the session is not
//	s.Tick(now)                 // no later than s.NextTick()
//
// It is one server. In an ensemble each has one, behind which they agree on what they do: see Ensemble.
package server

import (
	"cmp"
	"math"
	"net/netip"
	"time"

	"github.com/zkviz/zkviz/engine/agenda"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/znode"
)

// Config is a server. The zero value of a field takes the default that is named at it.
type Config struct {
	Tick         time.Duration // sessions expire at multiples of it; 2 s
	MaxTimeout   time.Duration // the longest session timeout that a client gets, the shortest is 2 ticks; 20 ticks
	MaxSessions  int           // how many sessions there may be at a time; 0 for any number
	FirstSession int64         // number of the first session, the next has one more; 0x100000000000000 + 1
	Seed         uint64        // of the sessions' passwords
	EpochMS      int64         // wall clock at time 0, in ms since 1970: what ctime and mtime count from; 0

	// ContainerCheck is how often, from time 0 on, the server looks for containers and znodes with a TTL that
	// are to go; 1 min.
	ContainerCheck time.Duration

	// NoExtendedTypes refuses znodes with a TTL, as ZooKeeper does unless it is told otherwise.
	NoExtendedTypes bool

	// Limits bound what clients may keep here; none by default.
	Limits Limits

	// Portion is how many watches go at once with a connection that ends; if it has more, Forget takes them out. 0 is any
	// number.
	Portion int

	// Ensemble is the way to the other servers, and ID which of them this one is, from 1; nil for a server alone. Facts
	// of the tree and of sessions are then told by who is told first, see Proposal.Told.
	Ensemble Ensemble
	ID       int
	// IgnoreSeen welcomes clients that have seen more than the server has, which no ZooKeeper does.
	IgnoreSeen bool

	// Number names the client of a session for the log, if its connection has no name; nil leaves it without.
	Number func() event.Actor
	// Emit appends a fact to the log and numbers it; nil if nobody listens. See Server.Log.
	Emit func(event.Event) event.Seq
	// Silenced is why nothing is heard from a client, as the cause of its session's end; nil for unknown.
	Silenced func(event.Actor) event.Seq
}

// Link is the way back to one client. The server calls it in the order in which the client must hear; the
// records are the server's, to be encoded or copied before the call returns. The cause is the event that made
// the server say so, 0 without a log. From within these calls a host may call Lost of that Conn, and nothing else.
type Link interface {
	Welcome(r *wire.ConnectResponse, cause event.Seq)
	Reply(to *wire.Request, r *wire.Response, cause event.Seq)
	// Notify tells of a change. The client had set watch for it.
	Notify(n wire.Notification, watch event.Watch, cause event.Seq)
	// Close ends the connection after all that was said before. Nothing more is said, and nothing may be
	// called on the Conn but Forget, and Lost, which does nothing any more.
	Close(why event.Reason, cause event.Seq)
}

// From is where a connection comes from.
type From struct {
	Addr  netip.Addr  // its id in the scheme ip
	Actor event.Actor // who the log says it is; 0 to have Config.Number name the client of a new session
}

// Server is one server. Its zero value is not ready: use New.
type Server struct {
	cfg      Config
	now      time.Duration
	tree     *znode.Tree
	watches  *znode.Watches
	conns    []*Conn // by znode.Watcher; nil where one is free
	free     []znode.Watcher
	sessions map[int64]*session
	expiry   agenda.Agenda[int64] // which session to look at when; one that was put off is found out only then
	nextID   int64                // of a session
	looks    time.Duration        // for containers and TTLs, at this time
	due      []znode.Txn          // deletions that the last look has found, and that are still to be made

	// Of a server of an ensemble.
	tokens int64           // given to what it has asked the others
	asked  map[int64]*Conn // by token
	told   []event.Seq     // of the proposal that is delivered

	// Room that is used again for each request.
	changes  []znode.Change
	fired    []znode.Fired
	ops      []znode.Txn
	response wire.Response
}

// New is a server as it is when it has just started, with an empty tree.
func New(cfg Config) *Server { return newServer(cfg.withDefaults(), znode.New()) }

func newServer(cfg Config, tree *znode.Tree) *Server {
	tree.NoTTL = cfg.NoExtendedTypes
	tree.Limits = cfg.Limits.Tree
	return &Server{
		cfg:      cfg,
		tree:     tree,
		watches:  znode.NewWatches(),
		sessions: make(map[int64]*session),
		asked:    make(map[int64]*Conn),
		nextID:   cfg.FirstSession,
		looks:    cfg.ContainerCheck,
	}
}

func (c Config) withDefaults() Config {
	c.Tick = cmp.Or(c.Tick, 2*time.Second)
	c.MaxTimeout = min(cmp.Or(c.MaxTimeout, 20*c.Tick), math.MaxInt32*time.Millisecond) // what a reply has room for
	c.FirstSession = cmp.Or(c.FirstSession, 1<<56+1)
	c.ContainerCheck = cmp.Or(c.ContainerCheck, time.Minute)
	return c
}

// Log sends the facts from now on to emit, or nowhere if that is nil: transactions, sessions, znodes, and
// watches that are set and removed. What travels (requests, replies, watch events, connections) is the
// host's to tell.
func (s *Server) Log(emit func(event.Event) event.Seq) { s.cfg.Emit = emit }

func (s *Server) logs() bool { return s.cfg.Emit != nil }

func (s *Server) emit(e event.Event) event.Seq {
	if s.cfg.Emit == nil {
		return 0
	}
	return s.cfg.Emit(e)
}

func (s *Server) nowMS() int64 { return s.cfg.EpochMS + s.now.Milliseconds() }
