// Package port serves a simulated Redis on a TCP port in real time, to any client of Redis's protocol: readers without
// a Redis can try locks with it.
//
// It runs any Lua script within the limits of engine/stores/redis/lua. One goroutine reads each connection and
// executes its commands under one lock; another writes what others cause to be sent. Nothing that a client does
// can cost more than a named limit.
//
// What the Zoo shows is in observe.go; the lines with which a reader joins are in web/zoo/join_redis.go and
// static/join/redis.go.
package port

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/stores/redis/lua"
	"github.com/zkviz/zkviz/engine/stores/redis/model"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// Config configures a server. Zero values mean the defaults noted at the fields.
type Config struct {
	Addr  string // host:port; 127.0.0.1:6379
	Conns int    // at a time; 1,000
	Bytes int    // of keys and values; model.MaxBytes
}

// Limits of a server.
const (
	maxConns   = 1000
	maxOutput  = 8 << 20  // bytes sent to a connection that it hasn't read
	allOutput  = 32 << 20 // the same for all; beyond it, connections above their share are closed
	allInput   = 32 << 20 // bytes of all connections' requests beyond freeBytes each
	maxPending = 64 << 10 // bytes of requests that a connection sends while one of its requests waits
	maxWaiting = 64 << 10 // bytes of a request that may wait

	longScript = 5 * time.Millisecond
)

// Server listens on a port.
type Server struct {
	cfg   Config
	ln    net.Listener
	began time.Time

	scripts sync.Mutex // held while a script runs; see conn.handle

	mu    sync.Mutex // guards all fields below, and the node
	node  *model.Server
	seq   event.Seq // last number given to observations
	conns map[*conn]bool
	count int // number of commands so far
	input *resp.Budget
	timer *time.Timer
	came  int // number of connections so far
	over  bool

	observed []*observation
	visitors window.Visitors

	unread atomic.Int64 // bytes sent to all connections that they haven't read

	all sync.WaitGroup
}

// Listen listens on the port. An error says why it can't.
func Listen(cfg Config) (*Server, error) {
	cfg.Addr, cfg.Conns = cmp.Or(cfg.Addr, "127.0.0.1:6379"), cmp.Or(cfg.Conns, maxConns)
	ln, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, ln: ln, began: time.Now(), conns: make(map[*conn]bool), input: resp.NewBudget(allInput)}
	s.node = model.New(model.Config{ID: node, Emit: s.emit, Bytes: cfg.Bytes,
		Clock: time.Duration(s.began.UnixNano()), Lua: compile})
	return s, nil
}

// compile compiles clients' scripts as Lua.
func compile(text string) (model.Runner, error) { return lua.Compile(text) }

// Addr returns the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.ln.Addr() }

func (s *Server) now() time.Duration { return time.Since(s.began) }

// Serve accepts connections until ctx ends. Then it closes them all and returns nil.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, s.close)
	defer stop()
	defer s.all.Wait()
	defer s.close()
	for {
		c, err := s.ln.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = c.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil: // maybe too many open files; others may be closed soon
			time.Sleep(10 * time.Millisecond)
			continue
		}
		s.admit(c)
	}
}

// admit starts serving a connection, if there is room.
func (s *Server) admit(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || len(s.conns) >= s.cfg.Conns {
		_, _ = c.Write([]byte("-ERR max number of clients reached\r\n"))
		_ = c.Close()
		return
	}
	s.came++
	k := newConn(s, c, s.number())
	s.conns[k] = true
	s.all.Go(k.read)
	s.all.Go(k.write)
}

// number returns the number of a new client for the logs.
func (s *Server) number() event.Actor {
	return s.visitors.Next(func(keep func(event.Actor)) {
		for _, o := range s.observed {
			o.Renew()
		}
		there := s.connected()
		for who := range there {
			keep(who)
		}
		s.node.Disown(func(owner event.Actor) bool { return !there[owner] })
	})
}

// connected returns the numbers of the connected clients.
func (s *Server) connected() map[event.Actor]bool {
	there := make(map[event.Actor]bool, len(s.conns))
	for k := range s.conns {
		there[k.who] = true
	}
	return there
}

// close closes everything.
func (s *Server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	_ = s.ln.Close()
	for k := range s.conns {
		k.end()
	}
	for _, o := range s.observed {
		o.Over()
	}
	if s.timer != nil {
		s.timer.Stop()
	}
}

// plan schedules the node's next tick. The caller holds mu.
func (s *Server) plan() {
	at, ok := s.node.NextTick()
	if s.timer != nil {
		s.timer.Stop()
	}
	if !ok || s.over {
		return
	}
	s.timer = time.AfterFunc(max(at-s.now(), 0), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.over {
			s.node.Tick(s.now())
			s.plan()
		}
	})
}
