package model

import (
	"slices"
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/etcd"
	"github.com/zkviz/zkviz/engine/event"
)

// execute carries a call out. One that fails does nothing.
func (s *Server) execute(c *etcd.Call) (etcd.Answer, etcd.Error) {
	switch c.Kind {
	case etcd.Grant:
		return s.grant(c)
	case etcd.KeepAlive:
		return s.keepAlive(c.Lease), ""
	case etcd.Revoke:
		l := s.leases[c.Lease]
		if l == nil {
			return etcd.Answer{}, etcd.ErrLeaseNotFound
		}
		s.revoke(l, s.by, event.ByOp)
		return etcd.Answer{}, ""
	case etcd.Watch:
		return etcd.Answer{}, ""
	}
	return s.transact(c)
}

func (s *Server) transact(c *etcd.Call) (a etcd.Answer, err etcd.Error) {
	if err := check(c); err != "" {
		return a, err
	}
	a.Yes = !slices.ContainsFunc(c.If, func(x etcd.Condition) bool { return s.createdAt(x.Key) != x.Created })
	ops := c.Ops(a.Yes)
	for i := range ops {
		switch o := &ops[i]; {
		case o.Kind == etcd.Put && o.Lease != 0 && s.leases[o.Lease] == nil:
			return a, etcd.ErrLeaseNotFound
		case o.Kind != etcd.Get && s.revision >= MaxRevisions:
			return a, etcd.ErrNoSpace
		}
	}
	if slices.ContainsFunc(ops, s.writes) {
		s.revision++
	}
	for i := range ops {
		a.Results = append(a.Results, s.do(&ops[i]))
	}
	return a, ""
}

// check refuses what no state of etcd makes right.
func check(c *etcd.Call) etcd.Error {
	for _, x := range c.If {
		if x.Key == "" {
			return etcd.ErrNoKey
		}
	}
	for _, ops := range [][]etcd.Op{c.Then, c.Else} {
		for i, o := range ops {
			switch {
			case o.Key == "":
				return etcd.ErrNoKey
			case o.Kind == etcd.Put && slices.ContainsFunc(ops[:i], func(b etcd.Op) bool {
				return b.Kind != etcd.Get && b.Key == o.Key
			}), o.Kind == etcd.Delete && slices.ContainsFunc(ops[:i], func(b etcd.Op) bool {
				return b.Kind == etcd.Put && b.Key == o.Key
			}):
				return etcd.ErrDuplicateKey
			}
		}
	}
	return ""
}

// writes reports whether an operation changes something. One that deletes what is not there does not.
func (s *Server) writes(o etcd.Op) bool {
	return o.Kind == etcd.Put || o.Kind == etcd.Delete && s.keys[o.Key] != nil
}

// createdAt is at which revision a key was created, 0 if it is not there.
func (s *Server) createdAt(key string) int64 {
	if i := s.keys[key]; i != nil {
		return i.Created
	}
	return 0
}

func (s *Server) do(o *etcd.Op) (r etcd.Result) {
	switch i := s.keys[o.Key]; {
	case o.Kind == etcd.Put:
		s.put(o)
	case o.Kind == etcd.Delete && i != nil:
		s.drop(i, s.by, event.ByOp)
		r.N = 1
	case o.Kind == etcd.Delete:
	default:
		if i := s.find(o); i != nil {
			r.KV, r.N = i.KV, 1
		}
	}
	return r
}

// find is the key that a Get reads, nil if there is none.
func (s *Server) find(o *etcd.Op) *item {
	has := func(i *item) bool { return strings.HasPrefix(i.Key, o.Key) && (o.Before == 0 || i.Created < o.Before) }
	switch o.Pick {
	case etcd.FirstCreated:
		if n := slices.IndexFunc(s.created, has); n >= 0 {
			return s.created[n]
		}
	case etcd.LastCreated:
		n := len(s.created)
		if o.Before != 0 {
			n = s.place(o.Before)
		}
		for n--; n >= 0; n-- {
			if has(s.created[n]) {
				return s.created[n]
			}
		}
	default:
		return s.keys[o.Key]
	}
	return nil
}

// place is where, among the keys in the order of their creation, those begin that were created at a revision or later.
func (s *Server) place(revision int64) int {
	return sort.Search(len(s.created), func(n int) bool { return s.created[n].Created >= revision })
}

func (s *Server) put(o *etcd.Op) {
	i := s.keys[o.Key]
	if i == nil {
		i = &item{etcd.KV{Key: o.Key, Created: s.revision}}
		s.keys[o.Key] = i
		s.created = append(s.created, i)
	}
	i.Value, i.Modified = o.Value, s.revision
	s.attach(i, o.Lease)
	s.emit(event.Event{Kind: event.EntrySet, Peer: s.by, Path: i.Key, Text: event.Preview([]byte(i.Value)),
		Zxid: i.Modified, Session: int64(i.Lease)})
}

// drop deletes a key, and tells those who watch it.
func (s *Server) drop(i *item, by event.Actor, why event.Reason) {
	if why != event.ByLease {
		s.detach(i)
	}
	delete(s.keys, i.Key)
	n := s.place(i.Created)
	for s.created[n] != i {
		n++
	}
	s.created = slices.Delete(s.created, n, n+1)
	s.deleted[i.Key] = append(s.deleted[i.Key], s.revision)
	gone := s.emit(event.Event{Kind: event.EntryGone, Peer: by, Path: i.Key, Reason: why, Zxid: s.revision,
		Session: int64(i.Lease)})
	s.tell(i.Key, gone)
}

// tell tells those who watch a key that it is deleted at this revision.
func (s *Server) tell(key string, cause event.Seq) {
	s.setWatches(key, slices.DeleteFunc(s.watches[key], func(w *watch) bool {
		if w.from > s.revision {
			return false
		}
		w.k.link.Push(etcd.Deleted(key), cause)
		return true
	}))
}

// watch begins a watch: one that was set too late for a deletion is told of it now.
func (s *Server) watch(k *session, c *etcd.Call) {
	if k.lost {
		return
	}
	n := sort.Search(len(s.deleted[c.Key]), func(n int) bool { return s.deleted[c.Key][n] >= c.From })
	if n < len(s.deleted[c.Key]) && c.From > 0 {
		k.link.Push(etcd.Deleted(c.Key), s.cause)
		return
	}
	s.watches[c.Key] = append(s.watches[c.Key], &watch{k, c.From})
}

// setWatches are who watches a key.
func (s *Server) setWatches(key string, list []*watch) {
	if s.watches[key] = list; len(list) == 0 {
		delete(s.watches, key)
	}
}
