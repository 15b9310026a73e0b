package model

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Replicate implements remote.Replicated. After nil it has no replicas.
func (s *Server) Replicate(send func(remote.Effect, event.Seq)) {
	if s.replication.send = send; send == nil {
		s.replication.followers = nil
	}
}

// Follow implements remote.Replicated.
func (s *Server) Follow(primary remote.Replicated, now time.Duration, cause event.Seq) {
	p := primary.(*Server)
	s.moment.begin(now, 0, cause)
	if !s.replication.replica {
		s.unblockAll()
	}
	if !s.replication.replica || s.replication.primary != p.cfg.ID {
		s.replication.replica, s.replication.primary, s.replication.send, s.cycle = true, p.cfg.ID, nil, 0
		s.emit(event.Event{Kind: event.RolePlayed, Text: event.RoleReplica, Peer: p.cfg.ID})
	}
	for _, key := range s.keys.sorted() {
		if p.keys.items[key] == nil {
			s.keys.drop(key, s.keys.items[key])
			s.emit(event.Event{Kind: event.EntryGone, Path: key, Reason: event.ByFailover})
		}
	}
	for _, key := range p.keys.sorted() {
		theirs, mine := p.keys.items[key], s.keys.items[key]
		if mine != nil && mine.str == theirs.str && slices.Equal(mine.list, theirs.list) && mine.ends == theirs.ends &&
			mine.owner == theirs.owner && mine.hash.equal(theirs.hash) {
			continue
		}
		copied := *theirs
		copied.list, copied.hash = slices.Clone(theirs.list), theirs.hash.clone()
		s.put(key, &copied)
		s.emitValue(key, &copied)
	}
	p.replication.follow(s.cfg.ID)
}

// Replay implements remote.Replicated.
func (s *Server) Replay(e remote.Effect, now time.Duration, cause event.Seq) {
	s.moment.begin(now, e.By, cause)
	changes, _ := e.Body.([]change)
	s.replication.replaying = true
	for _, c := range changes {
		s.moment.by = c.by
		s.command(nil, c.args)
	}
	s.replication.replaying, s.waits.pushed = false, nil
}

// unblockAll ends all waits and closes their connections: the node refuses writes from now on.
func (s *Server) unblockAll() {
	for _, w := range s.waits.all() {
		s.unblock(w, event.ByFailover)
		w.k.link.Reply(redis.Reply(resp.Err("UNBLOCKED force unblock from blocking operation, instance state changed "+
			"(master -> replica?)")), true, s.moment.cause)
		s.hangUp(w.k)
	}
}

// Confirm implements remote.Replicated. It replies to requests that wait for as many replicas.
func (s *Server) Confirm(replica event.Actor, n int, now time.Duration, cause event.Seq) {
	s.replication.confirm(replica, n)
	s.moment.begin(now, 0, cause)
	for _, w := range slices.Clone(s.waits.forReplicas) {
		if done := s.replication.confirmed(w.offset); done >= w.replies {
			s.unblock(w, event.NoReason)
			w.k.link.Reply(redis.Reply(resp.Int(int64(done))), false, cause)
			s.waits.unblocked = append(s.waits.unblocked, w.k)
		}
	}
	s.resume(now)
}

// Promote implements remote.Replicated.
func (s *Server) Promote(now time.Duration, cause event.Seq) {
	s.moment.begin(now, 0, cause)
	s.replication.replica, s.replication.primary, s.replication.followers = false, 0, nil
	s.emit(event.Event{Kind: event.RolePlayed, Text: event.RolePrimary})
	s.planCycle(now)
}
