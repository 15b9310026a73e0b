// Package port serves a simulated Redis on a TCP port in real time, to anyone who speaks Redis's protocol: it is what a
// reader without a Redis tries locks with.
//
// It runs any script of Lua, within the limits of engine/redis/lua. One goroutine reads each connection and carries its
// commands out under one lock; another writes what a connection is sent because of others. Nothing that a client can do
// may cost more than a named limit.
package port

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/redis/lua"
	"github.com/zkviz/zkviz/engine/redis/model"
	"github.com/zkviz/zkviz/engine/redis/resp"
)

// Config is a server. The zero value of a field takes the default that is named at it.
type Config struct {
	Addr  string // host:port; 127.0.0.1:6379
	Conns int    // 1,000 at a time
	Bytes int    // of keys and values; model.MaxBytes
}

// Limits of a server.
const (
	mostConns  = 1000
	mostOutput = 8 << 20  // bytes that a connection has been sent and not taken
	allOutput  = 32 << 20 // that all have; beyond it those are hung up on that have more than their share of that
	allInput   = 32 << 20 // of requests of all connections that are longer than a short one
	mostOwed   = 64 << 10 // of requests that a connection has sent while one of its requests is kept waiting
	mostHeld   = 64 << 10 // of a request that may be kept waiting

	longScript = 5 * time.Millisecond
)

// Server is one that listens.
type Server struct {
	cfg   Config
	ln    net.Listener
	began time.Time

	scripts sync.Mutex // held while a script is carried out; see conn.handle

	mu    sync.Mutex // guards all below, and the node
	node  *model.Server
	seq   event.Seq // of what was told to observations
	conns map[*conn]bool
	count int // commands so far
	input *resp.Budget
	timer *time.Timer
	came  int // connections so far
	over  bool

	observed []*observation
	visitors capture.Visitors

	unread atomic.Int64 // bytes that all connections have been sent and not taken

	all sync.WaitGroup
}

// Listen takes the port. An error says why it cannot be had.
func Listen(cfg Config) (*Server, error) {
	cfg.Addr, cfg.Conns = cmp.Or(cfg.Addr, "127.0.0.1:6379"), cmp.Or(cfg.Conns, mostConns)
	ln, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, ln: ln, began: time.Now(), conns: make(map[*conn]bool), input: resp.NewBudget(allInput)}
	s.node = model.New(model.Config{ID: node, Emit: s.emit, Bytes: cfg.Bytes,
		Clock: time.Duration(s.began.UnixNano()), Lua: compile})
	return s, nil
}

// compile has the scripts of clients run as Lua.
func compile(text string) (model.Runner, error) { return lua.Compile(text) }

// Addr is where it listens.
func (s *Server) Addr() net.Addr { return s.ln.Addr() }

func (s *Server) now() time.Duration { return time.Since(s.began) }

// Serve takes connections until ctx ends. It returns nil then, once all of them have ended.
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
		case err != nil: // too many files are open, perhaps; others may be closed soon
			time.Sleep(10 * time.Millisecond)
			continue
		}
		s.admit(c)
	}
}

// admit begins a connection, if there is room for it.
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

// number names a client that comes, for the logs.
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

// connected are the numbers of those who are there.
func (s *Server) connected() map[event.Actor]bool {
	there := make(map[event.Actor]bool, len(s.conns))
	for k := range s.conns {
		there[k.who] = true
	}
	return there
}

// close ends everything.
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

// plan has the node do what is due by itself when it is. It is called with mu held.
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
