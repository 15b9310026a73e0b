package site

import (
	"net"
	"net/http"
	"net/netip"

	"github.com/zkviz/zkviz/engine/run/room"
)

// AskerOf returns the key by which a request's client is limited: the other end of its connection. It ignores headers
// that a proxy may add, because anybody can send them.
func AskerOf(r *http.Request) room.Asker { return AskerAt(r.RemoteAddr) }

// AskerAt is AskerOf for an address and port. An IPv6 address counts by its first 64 bits, because a client usually has
// all addresses with the same prefix.
func AskerAt(addr string) room.Asker {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return room.Asker(addr)
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return room.Asker(host)
	}
	ip = ip.Unmap()
	if ip.Is6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			return room.Asker(p.String())
		}
	}
	return room.Asker(ip.String())
}
