package server

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// session is what the server knows of one.
type session struct {
	id       int64
	actor    event.Actor
	conn     *Conn // nil while it is away
	timeout  time.Duration
	deadline time.Duration // it expires then, unless something is heard from it before
}

// agenda is which session to look at when, earliest first.
type agenda struct{}

// Tick carries out what is due by now: sessions that have been silent for too long expire, containers and
// znodes with a TTL go. The host calls it at NextTick or soon after; later only means later.
func (s *Server) Tick(now time.Duration) {}

// NextTick is when there may be something to do for Tick, and whether there is anything to wait for. It only
// becomes earlier by a call that opens a session or creates a znode, so a host need not ask after each ping.
func (s *Server) NextTick() (time.Duration, bool) { return 0, false }

// Expire ends a session at once, as if nothing had been heard from it for too long. It reports false if there
// is no such session.
func (s *Server) Expire(session int64, now time.Duration, cause event.Seq) bool { return false }

// Renew gives every session its full timeout again, as a server does that was down.
func (s *Server) Renew(now time.Duration) {}
