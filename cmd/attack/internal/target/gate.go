package target

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// Gate stands in front of a real ZooKeeper and counts who connects to it.
type Gate struct {
	Addr string

	ln     net.Listener
	to     string
	dialed atomic.Int64
	ctx    context.Context
	stop   context.CancelFunc
	all    sync.WaitGroup
}

// NewGate listens on a free port and passes every connection on to a loopback address.
func NewGate(to string) (*Gate, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &Gate{Addr: ln.Addr().String(), ln: ln, to: to}
	g.ctx, g.stop = context.WithCancel(context.Background())
	g.all.Go(g.serve)
	return g, nil
}

// Dialed is how many connections there have been.
func (g *Gate) Dialed() int64 { return g.dialed.Load() }

// Close ends every connection.
func (g *Gate) Close() {
	g.stop()
	_ = g.ln.Close() // ends serve
	g.all.Wait()
}

func (g *Gate) serve() {
	for {
		in, err := g.ln.Accept()
		if err != nil {
			return
		}
		g.dialed.Add(1)
		g.all.Go(func() { g.pass(in) })
	}
}

// pass copies both ways until either end closes.
func (g *Gate) pass(in net.Conn) {
	defer in.Close()
	out, err := client.Address(0, 1).DialContext(g.ctx, "tcp", g.to)
	if err != nil {
		return
	}
	defer out.Close()
	defer context.AfterFunc(g.ctx, func() { _ = in.Close(); _ = out.Close() })()
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(in, out) // whatever ends it ends the other way too
		_ = in.Close()
	})
	_, _ = io.Copy(out, in)
	_ = out.Close()
	back.Wait()
}
