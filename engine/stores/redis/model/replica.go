package model

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Replication is asynchronous: a primary replies before its replicas have the change. They receive the effects of
// commands, with absolute times, and delete expired keys when their primary does.

// change is a command that repeats a change at a replica.
type change struct {
	by   event.Actor // client whose request it was, 0 for an expiry
	path string
	args []string
}

// propagate replicates a change: at once, or at the end of a script.
func (s *Server) propagate(path string, args ...string) {
	switch {
	case s.replica:
	case s.send == nil:
		s.offset++
	default:
		s.changes = append(s.changes, change{s.by, path, slices.Clone(args)})
		if !s.script {
			s.flush()
		}
	}
}

// flush replicates all changes as one effect: replicas apply all or none.
func (s *Server) flush() {
	list := s.changes
	if s.changes = nil; len(list) == 0 {
		return
	}
	s.offset++
	var text []byte
	for i, c := range list {
		if i > 0 {
			text = append(text, "; "...)
		}
		text = append(text, redis.Text(c.args)...)
	}
	s.send(remote.Effect{By: list[0].by, Path: list[0].path, Text: event.Preview(text), Body: list}, s.cause)
}

// Replicate implements remote.Replicated. After nil it has no replicas.
func (s *Server) Replicate(send func(remote.Effect, event.Seq)) {
	if s.send = send; send == nil {
		s.followers = nil
	}
}

// Follow implements remote.Replicated.
func (s *Server) Follow(primary remote.Replicated, now time.Duration, cause event.Seq) {
	p := primary.(*Server)
	s.begin(now, 0, cause)
	if !s.replica {
		s.unblockAll()
	}
	if !s.replica || s.primary != p.cfg.ID {
		s.replica, s.primary, s.send, s.cycle = true, p.cfg.ID, nil, 0
		s.emit(event.Event{Kind: event.RolePlayed, Text: event.RoleReplica, Peer: p.cfg.ID})
	}
	for _, key := range s.sorted() {
		if p.keys[key] == nil {
			s.drop(key, s.keys[key])
			s.emit(event.Event{Kind: event.EntryGone, Path: key, Reason: event.ByFailover})
		}
	}
	for _, key := range p.sorted() {
		theirs, mine := p.keys[key], s.keys[key]
		if mine != nil && mine.str == theirs.str && slices.Equal(mine.list, theirs.list) && mine.ends == theirs.ends &&
			mine.owner == theirs.owner && mine.hash.equal(theirs.hash) {
			continue
		}
		copied := *theirs
		copied.list, copied.hash = slices.Clone(theirs.list), theirs.hash.clone()
		s.put(key, &copied)
		s.say(key, &copied)
	}
	p.followers = slices.DeleteFunc(p.followers, func(f follower) bool { return f.id == s.cfg.ID })
	p.followers = append(p.followers, follower{id: s.cfg.ID, base: p.offset})
}

// Replay implements remote.Replicated.
func (s *Server) Replay(e remote.Effect, now time.Duration, cause event.Seq) {
	s.begin(now, e.By, cause)
	changes, _ := e.Body.([]change)
	s.replaying = true
	for _, c := range changes {
		s.by = c.by
		s.command(nil, c.args)
	}
	s.replaying, s.ready = false, nil
}

// unblockAll ends all waits and closes their connections: the node refuses writes from now on.
func (s *Server) unblockAll() {
	for _, w := range s.waits() {
		s.unblock(w, event.ByFailover)
		w.k.link.Reply(redis.Reply(resp.Err("UNBLOCKED force unblock from blocking operation, instance state changed "+
			"(master -> replica?)")), true, s.cause)
		s.hangUp(w.k)
	}
}

// Confirm implements remote.Replicated. It replies to requests that wait for as many replicas.
func (s *Server) Confirm(replica event.Actor, n int, now time.Duration, cause event.Seq) {
	for i := range s.followers {
		if f := &s.followers[i]; f.id == replica {
			f.done = max(f.done, n)
		}
	}
	s.begin(now, 0, cause)
	for _, w := range slices.Clone(s.waiting) {
		if done := s.confirmed(w.offset); done >= w.replies {
			s.unblock(w, event.NoReason)
			w.k.link.Reply(redis.Reply(resp.Int(int64(done))), false, cause)
			s.unblocked = append(s.unblocked, w.k)
		}
	}
	s.goOn(now)
}

// confirmed counts the replicas that have everything up to an offset.
func (s *Server) confirmed(offset int) (n int) {
	for _, f := range s.followers {
		if f.base+f.done >= offset {
			n++
		}
	}
	return n
}

// Promote implements remote.Replicated.
func (s *Server) Promote(now time.Duration, cause event.Seq) {
	s.begin(now, 0, cause)
	s.replica, s.primary, s.followers = false, 0, nil
	s.emit(event.Event{Kind: event.RolePlayed, Text: event.RolePrimary})
	s.planCycle(now)
}
