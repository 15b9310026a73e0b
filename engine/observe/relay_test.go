package observe_test

import (
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// relay passes on messages between clients and a server until it is cut: then it drops all connections, new ones
// too. An old one answers like a server before 3.6: it knows no addWatch, and hangs up.
type relay struct {
	net.Listener
	server string
	old    bool

	mu    sync.Mutex
	isCut bool
	conns []net.Conn
	times []time.Time // of connections
}

func newRelay(t *testing.T, server string, old bool) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: l, server: server, old: old}
	t.Cleanup(func() { _ = l.Close(); r.cut() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server)
			if err != nil || !r.keep(in, out) {
				_ = in.Close()
				continue
			}
			go pass(in, out)
			if old {
				go passOld(out, in)
			} else {
				go pass(out, in)
			}
		}
	}()
	return r
}

func (r *relay) addr() string { return r.Addr().String() }

func (r *relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times = append(r.times, time.Now())
	if !r.isCut {
		r.conns = append(r.conns, conns...)
		return true
	}
	for _, c := range conns {
		_ = c.Close()
	}
	return false
}

// dialled returns when clients connected.
func (r *relay) dialled() []time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.times)
}

func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = true
	for _, c := range r.conns {
		_ = c.Close()
	}
	r.conns = nil
}

func (r *relay) heal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = false
}

// pass copies until one of the connections ends, and ends the other.
func pass(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	_, _ = io.Copy(to, from)
}

// passOld passes on a client's messages, and refuses addWatch.
func passOld(server, client net.Conn) {
	defer server.Close()
	defer client.Close()
	frames := wire.NewFrameReader(client, wire.MaxFrame)
	for first := true; ; first = false {
		frame, err := frames.Next()
		if err != nil {
			return
		}
		var r wire.Request
		if !first && wire.DecodeSent(frame, &r) == nil && r.Op == wire.OpAddWatch {
			no := wire.Response{Xid: r.Xid, Zxid: -1, Code: zoo.ErrUnimplemented}
			_, _ = client.Write(wire.AppendFrame(nil, &no))
			return
		}
		if _, err := server.Write(wire.AppendFrame(nil, payload(frame))); err != nil {
			return
		}
	}
}

// payload is a frame's payload, unchanged.
type payload []byte

func (p payload) Append(dst []byte) []byte { return append(dst, p...) }
