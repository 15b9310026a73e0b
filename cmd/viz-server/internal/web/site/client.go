package site

import (
	"net"
	"net/http"
	"net/netip"

	"github.com/zkviz/zkviz/engine/run/room"
)

// ClientOf returns the key by which a request's client is limited: the other end of its connection. It ignores headers
// that a proxy may add, because anybody can send them.
func ClientOf(r *http.Request) room.ClientKey { return ClientAt(r.RemoteAddr) }

// ClientAt is ClientOf for an address and port. An IPv6 address counts by its first 64 bits, because a client
// usually has all addresses with the same prefix.
func ClientAt(addr string) room.ClientKey {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return room.ClientKey(addr)
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return room.ClientKey(host)
	}
	ip = ip.Unmap()
	if ip.Is6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			return room.ClientKey(p.String())
		}
	}
	return room.ClientKey(ip.String())
}
