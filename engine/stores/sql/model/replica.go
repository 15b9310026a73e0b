package model

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// A replica replays what its primary has committed. It has no locks: a promoted replica starts without any.

// follower is a replica and its progress.
type follower struct {
	id         event.Actor
	base, done int // number of effects when it started, and confirmed since
}

// change is a transaction's change to one row.
type change struct {
	key
	values
	gone bool
	by   event.Actor
}

// propagate replicates what a transaction commits.
func (s *Server) propagate(t *tx) {
	s.offset++
	t.offset = s.offset
	if s.send == nil {
		return
	}
	list := make([]change, 0, len(t.wrote))
	for _, r := range t.wrote {
		v := r.newest()
		list = append(list, change{r.key, v.values, v.gone, v.by})
	}
	text := list[0].text(list[0].table)
	if list[0].gone {
		text = "gone"
	}
	s.send(remote.Effect{By: t.k.from, Path: t.wrote[0].path, Text: text, Body: list}, s.cause)
}

// Replicate implements remote.Replicated.
func (s *Server) Replicate(send func(remote.Effect, event.Seq)) { s.send = send }

// Follow implements remote.Replicated. Everything that its connections had under way is lost.
func (s *Server) Follow(primary remote.Replicated, now time.Duration, cause event.Seq) {
	p := primary.(*Server)
	s.begin(now, cause)
	s.endAll(event.ByFailover)
	if !s.replica || s.primary != p.cfg.ID {
		s.replica, s.primary, s.send = true, p.cfg.ID, nil
		s.emit(event.Event{Kind: event.RolePlayed, Text: event.RoleReplica, Peer: p.cfg.ID})
	}
	for t := range s.tables {
		for _, r := range slices.Clone(s.tables[t]) {
			if theirs := p.rows[r.key]; theirs == nil || theirs.seen(nil) == nil {
				s.removed(r)
				if r.there() {
					s.emit(event.Event{Kind: event.EntryGone, Path: r.path, Reason: event.ByFailover})
				}
			}
		}
		for _, theirs := range p.tables[t] {
			v := theirs.seen(nil)
			if v == nil {
				continue
			}
			if r := s.made(theirs.table, theirs.id); !r.there() || r.newest().values != v.values || r.newest().by != v.by {
				s.adopt(r, v.values, v.by)
			}
		}
	}
	s.jobs = p.jobs
	p.followers = slices.DeleteFunc(p.followers, func(f follower) bool { return f.id == s.cfg.ID })
	p.followers = append(p.followers, follower{id: s.cfg.ID, base: p.offset})
}

// adopt copies a row from the primary.
func (s *Server) adopt(r *row, v values, by event.Actor) {
	s.serial++
	s.commits++
	life := s.serial
	if r.there() {
		life = r.newest().life
	}
	r.versions = append(r.versions[:0], version{values: v, serial: s.serial, life: life, by: by, at: s.commits})
	s.sayVersion(r, r.newest(), 0)
}

// Replay implements remote.Replicated.
func (s *Server) Replay(e remote.Effect, now time.Duration, cause event.Seq) {
	s.begin(now, cause)
	list, _ := e.Body.([]change)
	for _, c := range list {
		if c.table == sql.Jobs {
			s.jobs = max(s.jobs, s.made(c.table, c.id).number)
		}
		if !c.gone {
			s.adopt(s.made(c.table, c.id), c.values, c.by)
			continue
		}
		if r := s.find(c.table, c.id); r != nil {
			s.removed(r)
			if r.there() {
				s.emit(event.Event{Kind: event.EntryGone, Peer: c.by, Path: r.path, Reason: event.ByOp})
			}
		}
	}
}

// Confirm implements remote.Replicated. It replies to commits that wait for it.
func (s *Server) Confirm(replica event.Actor, n int, now time.Duration, cause event.Seq) {
	for i := range s.followers {
		if f := &s.followers[i]; f.id == replica {
			f.done = max(f.done, n)
		}
	}
	s.begin(now, cause)
	for len(s.unsure) > 0 && s.confirmed(s.unsure[0].tx.offset) {
		k := s.unsure[0]
		s.unsure = slices.Delete(s.unsure, 0, 1)
		result := k.wait.result
		k.unblock()
		k.committed(result)
		s.woken = append(s.woken, k)
	}
	s.goOn()
}

// confirmed reports whether a replica has everything up to an offset.
func (s *Server) confirmed(offset int) bool {
	return slices.ContainsFunc(s.followers, func(f follower) bool { return f.base+f.done >= offset })
}

// Promote implements remote.Replicated.
func (s *Server) Promote(now time.Duration, cause event.Seq) {
	s.begin(now, cause)
	s.replica, s.primary, s.followers = false, 0, nil
	s.emit(event.Event{Kind: event.RolePlayed, Text: event.RolePrimary})
}
