package embed

import (
	"errors"
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// The shortest and longest pause after a failed accept, which happens while the process has too many files open.
const (
	shortPause = 5 * time.Millisecond
	longPause  = time.Second
)

// accept accepts connections until the server closes.
func (s *Server) accept(ln net.Listener) {
	pause := shortPause
	for {
		sock, err := ln.Accept()
		if err == nil {
			pause = shortPause
			s.welcome(sock)
			continue
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
		s.log.printf("no connection can be accepted for now: %v", err)
		select {
		case <-s.stop:
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, longPause)
	}
}

// socketBuffer is how many bytes the operating system may buffer in each direction of a connection. By default it
// may buffer several MB, which no budget counts.
const socketBuffer = 128 << 10

// welcome serves a connection, or closes it at once if its address has too many.
//
// Go sets TCP_NODELAY on accepted connections, and makes the system check every 15 seconds whether a silent
// client's machine is still there.
func (s *Server) welcome(sock net.Conn) {
	if tcp, ok := sock.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(socketBuffer) // if the system refuses, its own sizes apply
		_ = tcp.SetWriteBuffer(socketBuffer)
	}
	if !s.begin(sock, address(sock.RemoteAddr()).String(), remote(sock.RemoteAddr())) {
		_ = sock.Close()
	}
}

// begin starts to serve a connection. It reports false if there are too many connections, too many from that host,
// or if the server is closed. An empty host is not counted.
func (s *Server) begin(sock net.Conn, host, remote string) bool {
	var oldest *conn
	defer func() {
		if oldest != nil {
			oldest.cut(errCrowdedOut)
		}
	}()
	c := &conn{
		s: s, sock: sock, remote: remote, host: host, lastOp: "NA", lastXid: -1, lastZx: -1, gone: make(chan struct{}),
		answered: make(chan struct{}, 1),
	}
	c.out = newOut(sock, &s.pressure, &c.moved)
	c.requests.c = c
	c.frames = wire.NewFrameReader(c, wire.MaxFrame).Within(&c.requests)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.listens() {
		return false
	}
	if host != "" && !s.admission.enterHost(host) {
		s.stats.rejected++
		s.log.printf("%s: closed: there are %d connections from its address already", remote, s.admission.mostPerHost)
		return false
	}
	entered := true
	if host != "" {
		oldest, entered = s.admission.enter(c)
	}
	if !entered {
		s.admission.leaveHost(host)
		s.stats.rejected++
		s.log.printf("%s: closed: there are %d connections already, all with sessions", remote, s.cfg.MaxConns)
		return false
	}
	s.conns.add(c)
	s.pressure.conns.Add(1)
	c.came = s.since()
	c.core = s.core.Connect(c, server.From{Addr: address(sock.RemoteAddr())})
	s.all.Go(c.serve)
	return true
}

// Dial connects to the server from within the process, without a socket. The server sees the address 127.0.0.1 but
// doesn't count the connection for it.
func (s *Server) Dial() (net.Conn, error) {
	mine, theirs := net.Pipe()
	if !s.begin(theirs, "", "this process") {
		return nil, net.ErrClosed
	}
	return mine, nil
}
