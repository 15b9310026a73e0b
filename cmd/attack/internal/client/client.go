// Package client is what meters and attacks connect with: plain TCP, HTTP, a page's websocket and a bare
// ZooKeeper session, each from a chosen loopback address. Nothing here can connect to anything but this machine.
package client

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
)

// dialTimeout is how long one connection may take to come up.
const dialTimeout = 10 * time.Second

// From is the loopback address that connections come from. All of 127.0.0.0/8 is this machine on Linux, so one
// machine can play many.
type From netip.Addr

// Address is 127.0.net.host; net and host are 0 to 255, and host 1 to 254 for an address of its own.
func Address(net, host int) From {
	return From(netip.AddrFrom4([4]byte{127, 0, byte(net), byte(host)}))
}

// Several are n addresses of one net, from host 1 on.
func Several(net, n int) []From {
	all := make([]From, n)
	for i := range all {
		all[i] = Address(net, i+1)
	}
	return all
}

// String is the address as a number.
func (f From) String() string { return netip.Addr(f).String() }

// DialContext connects to addr, host:port with the host as a loopback address in numbers, and fails for any other.
func (f From) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, Control: onlyLoopback}
	if from := netip.Addr(f); from.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
	}
	if _, err := netip.ParseAddrPort(addr); err != nil {
		return nil, fmt.Errorf("dial %s: only addresses in numbers are dialled: %w", addr, err)
	}
	return d.DialContext(ctx, network, addr)
}

// onlyLoopback refuses every address but this machine's own, just before the connection is made.
func onlyLoopback(_, addr string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(addr)
	if err != nil || !to.Addr().IsLoopback() {
		return fmt.Errorf("dial %s: it is not a loopback address, and nothing else is ever dialled", addr)
	}
	return nil
}

// HTTP returns a browser's connections: kept alive, several at once, and gzip asked for. Redirects are answers.
func (f From) HTTP(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{DialContext: f.DialContext, MaxIdleConnsPerHost: 8},
	}
}

// ZooKeeper opens a session. Its calls wait up to patience.
func (f From) ZooKeeper(ctx context.Context, addr string, session, patience time.Duration) (*peer.Peer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := f.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // a handshake may wait
	p, err := peer.New(conn, wire.ConnectRequest{TimeoutMS: int32(session.Milliseconds()),
		Password: make([]byte, wire.PasswordBytes)})
	if !stop() {
		if err == nil {
			p.Abort()
		}
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if p.Welcome.Session == 0 {
		p.Abort()
		return nil, fmt.Errorf("open a session at %s: it was refused", addr)
	}
	p.Timeout = patience
	return p, nil
}
