package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// asker is whom a request counts for: the address that it comes from, of which a party usually has one. An IPv6 address
// counts by its first 64 bits, since whoever has one has all that begin so.
type asker string

// askerOf reads the other end of the connection. Headers that a proxy may add are not read: anybody can send them.
func askerOf(r *http.Request) asker { return askerAt(r.RemoteAddr) }

// askerAt is askerOf for the address and port of the other end.
func askerAt(addr string) asker {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return asker(addr)
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return asker(host)
	}
	ip = ip.Unmap()
	if ip.Is6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			return asker(p.String())
		}
	}
	return asker(ip.String())
}

// busy is the error of a request that finds no room for it now, and may later.
type busy struct {
	why   string
	again time.Duration // after which it is worth another try
}

// Error says what there is too much of, and when to come back.
func (b busy) Error() string {
	return fmt.Sprintf("%s; try again in %s", b.why, b.again.Round(time.Second))
}

// share divides a limited number of things among the askers, so that none can take them all. Its methods may be
// called at any time from anywhere.
type share struct {
	what string // the things, as a sentence names them: "pages are connected"
	all  int    // the most that are taken at once
	each int    // the most that one asker takes at once

	mu    sync.Mutex
	taken int
	by    map[asker]int // without zeros
}

func newShare(what string, all, each int) *share {
	return &share{what: what, all: all, each: each, by: map[asker]int{}}
}

// take counts n more things for who, or returns a busy error that says whose limit is reached.
func (s *share) take(who asker, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.by[who]+n > s.each:
		return busy{fmt.Sprintf("%d %s for your address, and it may have %d", s.by[who], s.what, s.each), againSoon}
	case s.taken+n > s.all:
		return busy{fmt.Sprintf("%d %s, and there may be %d", s.taken, s.what, s.all), againSoon}
	}
	s.taken += n
	s.by[who] += n
	return nil
}

// againSoon is when something is likely to be free that nobody holds for long.
const againSoon = 5 * time.Second

// againLater is when what takes long may find nobody else waiting.
const againLater = 30 * time.Second

// give takes back n things that were counted for who.
func (s *share) give(who asker, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken -= n
	if s.by[who] -= n; s.by[who] == 0 {
		delete(s.by, who)
	}
}
