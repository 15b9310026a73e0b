package attack

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// from is the address 127.0.NET.HOST. On Linux all of 127.0.0.0/8 is local, so one machine can play many.
type from struct{ net, host byte }

// patience is the default time to wait for an answer.
const patience = 30 * time.Second

func (f from) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: patience, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, f.net, f.host)}}
	return d.DialContext(ctx, network, addr)
}

// browser returns a client that keeps connections alive and follows no redirects.
func (f from) browser() *http.Client {
	return &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{DialContext: f.dial, MaxIdleConnsPerHost: 8},
	}
}

// socket opens a page's websocket.
func (f from) socket(ctx context.Context, base string) (*websocket.Conn, error) {
	return f.socketAt(ctx, base, "/ws")
}

// socketAt opens the websocket at a path.
func (f from) socketAt(ctx context.Context, base, at string) (*websocket.Conn, error) {
	c, _, err := websocket.Dial(ctx, base+at, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: f.dial}}, HTTPHeader: http.Header{"Origin": {base}},
	})
	if err == nil {
		c.SetReadLimit(protocol.MaxFrame)
	}
	return c, err
}

// session opens a session on a ZooKeeper.
func (f from) session(ctx context.Context, addr string, timeout time.Duration) (*peer.Peer, error) {
	conn, err := f.dial(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	p, err := peer.New(conn, wire.ConnectRequest{TimeoutMS: int32(timeout.Milliseconds()),
		Password: make([]byte, wire.PasswordBytes)})
	if err != nil {
		return nil, err
	}
	if p.Welcome.Session == 0 {
		p.Abort()
		return nil, errors.New("the session was refused")
	}
	p.Timeout = patience
	return p, nil
}

// word sends a four-letter word to a ZooKeeper.
func (f from) word(addr, word string) (string, error) {
	c, err := f.dial(context.Background(), "tcp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience)) // a read reports it
	if _, err := io.WriteString(c, word); err != nil {
		return "", err
	}
	text, err := io.ReadAll(c)
	return string(text), err
}
