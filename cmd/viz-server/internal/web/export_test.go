package web

import "github.com/zkviz/zkviz/engine/run/room"

// Turns returns the turns in which clients get answers made.
func (s *Server) Turns() *room.Turns { return s.site.Turns() }
