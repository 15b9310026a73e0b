package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/zkviz/zkviz/engine/room"
)

// Timeouts of HTTP. A websocket has its own.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 20 * time.Second // from the request's first byte to its last
	answerWithin  = 5 * time.Minute  // 2.7 MB at 72 kbit/s
	idleTimeout   = 2 * time.Minute
	maxHeader     = 16 << 10 // bytes
)

// Serve listens until ctx ends, and cleans up.
func Serve(ctx context.Context, cfg Config) error {
	cfg = cfg.withDefaults()
	ln, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return listenError(cfg.Addr, err)
	}
	s, err := New(ctx, cfg)
	if err != nil {
		_ = ln.Close()
		return err
	}
	defer s.Close()
	conns := newConnections(filesLimit(), cfg.Log)
	srv := newHTTPServer(s, conns)
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener{ln, conns}) }()
	if cfg.Listening != nil {
		cfg.Listening("http://" + openable(ln.Addr()))
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve at %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	s.close()
	inTime, cancel := context.WithTimeout(context.Background(), room.CloseTimeout)
	defer cancel()
	if err := srv.Shutdown(inTime); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop: %w", err)
	}
	return nil
}

// newHTTPServer serves connections that conns counts.
func newHTTPServer(h http.Handler, conns *connections) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      answerWithin,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnState:         conns.changed,
		ErrorLog:          log.New(io.Discard, "", 0), // what goes wrong with one browser is its own affair
	}
}

func listenError(addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("cannot listen at %s: another program does already; give another address with --addr", addr)
	}
	return fmt.Errorf("cannot listen at %s: %w", addr, err)
}

// openable is an address that a browser on this machine can open.
func openable(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}
