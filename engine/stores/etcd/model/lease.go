package model

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/etcd"
)

// lease is a lease that was not revoked yet.
type lease struct {
	id    etcd.LeaseID
	owner event.Actor
	ttl   int64 // in seconds
	ends  time.Duration
	keys  []string   // attached to it
	asked []*session // to keep it alive, after it had expired
}

// lookEvery is how often a node looks for expired leases: a key may outlive its lease by that much.
const lookEvery = 500 * time.Millisecond

// maxTTL is the longest lease, in seconds.
const maxTTL = 9_000_000_000

func (l *lease) lasts() time.Duration { return time.Duration(l.ttl) * time.Second }

// shortest returns the length of the shortest lease, in seconds.
func (s *Server) shortest() int64 {
	return int64((s.cfg.Election*3/2 + time.Second - 1) / time.Second)
}

func (s *Server) grant(c *etcd.Call) (a etcd.Answer, err etcd.Error) {
	switch {
	case c.TTL > maxTTL:
		return a, etcd.ErrTTLTooLarge
	case len(s.leases) >= MaxLeases:
		return a, etcd.ErrNoSpace
	}
	s.last++
	l := &lease{id: s.last, owner: s.by, ttl: max(c.TTL, s.shortest())}
	l.ends = s.now + l.lasts()
	s.leases[l.id] = l
	s.emit(event.Event{Kind: event.LeaseGranted, Peer: l.owner, Session: int64(l.id), N: int64(l.ends)})
	return etcd.Answer{Lease: l.id, TTL: l.ttl}, ""
}

// keepAlive renews a lease. Its answer has no TTL if the lease has ended.
func (s *Server) keepAlive(id etcd.LeaseID) etcd.Answer {
	l := s.leases[id]
	if l == nil {
		return etcd.Answer{Lease: id}
	}
	l.ends = s.now + l.lasts()
	s.emit(event.Event{Kind: event.LeaseRenewed, Peer: s.by, Session: int64(l.id), N: int64(l.ends)})
	return etcd.Answer{Lease: id, TTL: l.ttl}
}

// revoke ends a lease and deletes its keys, at one revision.
func (s *Server) revoke(l *lease, who event.Actor, why event.Reason) {
	delete(s.leases, l.id)
	cause := s.cause
	s.cause = s.emit(event.Event{Kind: event.LeaseEnded, Peer: who, Session: int64(l.id), Reason: why})
	if len(l.keys) > 0 {
		s.revision++
	}
	slices.Sort(l.keys)
	for _, key := range l.keys {
		s.drop(s.keys[key], 0, event.ByLease)
	}
	for _, k := range l.asked {
		k.goOn()
	}
	s.cause = cause
}

// attach attaches a key to a lease, 0 for none, and detaches it from the one before.
func (s *Server) attach(i *item, id etcd.LeaseID) {
	s.detach(i)
	if i.Lease = id; id != 0 {
		l := s.leases[id]
		l.keys = append(l.keys, i.Key)
	}
}

func (s *Server) detach(i *item) {
	if l := s.leases[i.Lease]; l != nil {
		l.keys = slices.DeleteFunc(l.keys, func(key string) bool { return key == i.Key })
	}
}

// sortedLeases returns all leases, in the order in which they were granted.
func (s *Server) sortedLeases() []*lease {
	list := make([]*lease, 0, len(s.leases))
	for _, l := range s.leases {
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b *lease) int { return cmp.Compare(a.id, b.id) })
	return list
}

// NextTick implements remote.Node: the node next looks when the first lease has expired.
func (s *Server) NextTick() (at time.Duration, any bool) {
	for _, l := range s.leases {
		if !any || l.ends < at {
			at, any = l.ends, true
		}
	}
	return (at + lookEvery - 1) / lookEvery * lookEvery, any
}

// Tick implements remote.Node.
func (s *Server) Tick(now time.Duration) {
	s.begin(now, 0, 0)
	for _, l := range s.sortedLeases() {
		if l.ends <= now {
			s.revoke(l, l.owner, event.ByTimer)
		}
	}
}
