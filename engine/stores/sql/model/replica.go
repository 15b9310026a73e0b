package model

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// A replica replays what its primary has committed. It has no locks: a promoted replica starts without any.

// Replicate implements remote.Replicated.
func (s *Server) Replicate(send func(remote.Effect, event.Seq)) { s.replication.send = send }

// Follow implements remote.Replicated. Everything that its connections had under way is lost.
func (s *Server) Follow(primary remote.Replicated, now time.Duration, cause event.Seq) {
	p := primary.(*Server)
	s.begin(now, cause)
	s.endAll(event.ByFailover)
	if !s.replication.replica || s.replication.primary != p.cfg.ID {
		s.replication.replica, s.replication.primary, s.replication.send = true, p.cfg.ID, nil
		s.emit(event.Event{Kind: event.RolePlayed, Text: event.RoleReplica, Peer: p.cfg.ID})
	}
	for t := range s.tables.ordered {
		for _, r := range slices.Clone(s.tables.ordered[t]) {
			if theirs := p.tables.rows[r.key]; theirs == nil || theirs.seen(nil) == nil {
				s.tables.remove(r)
				if r.exists() {
					s.emit(event.Event{Kind: event.EntryGone, Path: r.path, Reason: event.ByFailover})
				}
			}
		}
		for _, theirs := range p.tables.ordered[t] {
			v := theirs.seen(nil)
			if v == nil {
				continue
			}
			r := s.tables.ensure(theirs.table, theirs.id)
			if !r.exists() || r.newest().values != v.values || r.newest().by != v.by {
				s.adopt(r, v.values, v.by)
			}
		}
	}
	s.tables.jobs = p.tables.jobs
	p.replication.follow(s.cfg.ID)
}

// adopt copies a row from the primary.
func (s *Server) adopt(r *row, v values, by event.Actor) {
	s.serial++
	s.commits++
	life := s.serial
	if r.exists() {
		life = r.newest().life
	}
	r.versions = append(r.versions[:0], version{values: v, serial: s.serial, life: life, by: by, at: s.commits})
	s.emitVersion(r, r.newest(), 0)
}

// Replay implements remote.Replicated.
func (s *Server) Replay(e remote.Effect, now time.Duration, cause event.Seq) {
	s.begin(now, cause)
	list, _ := e.Body.([]change)
	for _, c := range list {
		if c.table == sql.Jobs {
			s.tables.jobs = max(s.tables.jobs, s.tables.ensure(c.table, c.id).number)
		}
		if !c.gone {
			s.adopt(s.tables.ensure(c.table, c.id), c.values, c.by)
			continue
		}
		if r := s.tables.find(c.table, c.id); r != nil {
			s.tables.remove(r)
			if r.exists() {
				s.emit(event.Event{Kind: event.EntryGone, Peer: c.by, Path: r.path, Reason: event.ByOp})
			}
		}
	}
}

// Confirm implements remote.Replicated. It replies to commits that wait for it.
func (s *Server) Confirm(replica event.Actor, n int, now time.Duration, cause event.Seq) {
	s.replication.confirm(replica, n)
	s.begin(now, cause)
	for len(s.unconfirmed) > 0 && s.replication.confirmed(s.unconfirmed[0].tx.offset) {
		k := s.unconfirmed[0]
		s.unconfirmed = slices.Delete(s.unconfirmed, 0, 1)
		result := k.wait.result
		k.unblock()
		k.committed(result)
		s.woken = append(s.woken, k)
	}
	s.resume()
}

// Promote implements remote.Replicated.
func (s *Server) Promote(now time.Duration, cause event.Seq) {
	s.begin(now, cause)
	s.replication.replica, s.replication.primary, s.replication.followers = false, 0, nil
	s.emit(event.Event{Kind: event.RolePlayed, Text: event.RolePrimary})
}
