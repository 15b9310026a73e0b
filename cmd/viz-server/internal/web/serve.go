package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/zkviz/zkviz/engine/run/room"
)

// Timeouts of HTTP. Websockets have their own.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 20 * time.Second // for the whole request, from its first byte
	answerTimeout = 5 * time.Minute  // 2.5 MB at 67 kbit/s
	idleTimeout   = 2 * time.Minute
	maxHeader     = 16 << 10 // bytes
)

// stopTimeout limits the time for stopping: runs clean up, and pages are told.
const stopTimeout = room.CloseTimeout + 2*goodbyeTimeout

// Serve listens until ctx ends. Then it takes no new connections, tells the viewers of runs, finishes requests in
// progress, and returns within cfg.StopWithin.
func Serve(ctx context.Context, cfg Config) error {
	cfg = cfg.withDefaults()
	ln, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return listenError(cfg.Addr, "--addr", err)
	}
	operators, err := listenForOperator(cfg.OperatorAddr)
	if err != nil {
		_ = ln.Close()
		return err
	}
	s, err := New(ctx, cfg)
	if err != nil {
		_ = ln.Close()
		_ = operators.Close()
		return err
	}
	if !s.files.HasStage() {
		cfg.Log.Warn("this viz-server was built without the moving picture, so its pages show only still ones; " +
			"build it with make run, or use a released binary")
	}
	conns := newConnections(filesLimit(), cfg.Log)
	srv := newHTTPServer(s, conns)
	failed := make(chan error, 2)
	var serving sync.WaitGroup
	defer serving.Wait() // for servers that end with this function
	serving.Go(func() { failed <- srv.Serve(listener{ln, conns}) })
	operator := newHTTPServer(s.Operator(), newConnections(0, cfg.Log))
	serving.Go(func() { failed <- operator.Serve(operators) })
	if cfg.Listening != nil {
		cfg.Listening("http://" + openableAddress(ln.Addr()) + cfg.Base)
	}
	select {
	case err = <-failed:
		err = fmt.Errorf("serve at %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	return errors.Join(err, s.shutDown(cfg.StopWithin, srv), operator.Close())
}

// shutDown stops the server, and returns when everything has cleaned up or the limit is reached.
func (s *Server) shutDown(limit time.Duration, srv *http.Server) error {
	s.log.Info("stopping", "viewers", s.runs.Stats().Viewers, "within", limit.String())
	inTime, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	srv.RegisterOnShutdown(s.close) // tells the viewers of runs once nobody can connect any more
	ended := make(chan struct{})
	go func() { <-s.stop.Done(); s.Close(); close(ended) }()
	err := srv.Shutdown(inTime)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close() // cuts off those that still read an answer
	}
	select {
	case <-ended:
	case <-inTime.Done():
		return errors.Join(err, fmt.Errorf("stopped after %v with runs that haven't cleaned up on the cluster; "+
			"the next server with the same --zk-path does it", limit))
	}
	if err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	return nil
}

// silent is a listener that never accepts a connection.
type silent struct{ closed chan struct{} }

func (l silent) Accept() (net.Conn, error) { <-l.closed; return nil, net.ErrClosed }
func (l silent) Close() error              { close(l.closed); return nil }
func (l silent) Addr() net.Addr            { return nil }

// listenForOperator listens on addr. If addr is empty, it returns a listener without connections.
func listenForOperator(addr string) (net.Listener, error) {
	if addr == "" {
		return silent{make(chan struct{})}, nil
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, listenError(addr, "--metrics-addr", err)
	}
	return ln, nil
}

// newHTTPServer returns a server whose connections conns counts.
func newHTTPServer(h http.Handler, conns *connections) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnState:         conns.changed,
		ErrorLog:          log.New(io.Discard, "", 0), // errors of single connections don't matter
	}
}

func listenError(addr, flag string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("cannot listen at %s: another program does already; give another address with %s", addr, flag)
	}
	return fmt.Errorf("cannot listen at %s: %w", addr, err)
}

// openableAddress returns an address that a browser on this machine can open.
func openableAddress(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}
