package web

import (
	"net"
	"net/http"
	"net/netip"

	"github.com/zkviz/zkviz/engine/run/room"
)

// askerOf is whom a request counts for, by the other end of its connection. Headers that a proxy may add are not read:
// anybody can send them.
func askerOf(r *http.Request) room.Asker { return askerAt(r.RemoteAddr) }

// askerAt is askerOf for the address and port of the other end. An IPv6 address counts by its first 64 bits, since
// anyone who has one has all that begin so.
func askerAt(addr string) room.Asker {
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
