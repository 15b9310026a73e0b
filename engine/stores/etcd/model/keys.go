package model

import (
	"slices"
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/etcd"
)

// execute carries out a call. One that fails changes nothing.
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

// check rejects calls that are invalid in any state: first those without a key, then those that change a key twice.
func check(c *etcd.Call) etcd.Error {
	noKey := func(o etcd.Op) bool { return o.Key == "" }
	if slices.ContainsFunc(c.If, func(x etcd.Condition) bool { return x.Key == "" }) ||
		slices.ContainsFunc(c.Then, noKey) || slices.ContainsFunc(c.Else, noKey) {
		return etcd.ErrNoKey
	}
	if twice(c.Then) || twice(c.Else) {
		return etcd.ErrDuplicateKey
	}
	return ""
}

// twice reports whether operations put a key twice, or put and delete it.
func twice(ops []etcd.Op) bool {
	for i, o := range ops {
		if o.Kind == etcd.Put && slices.ContainsFunc(ops, func(b etcd.Op) bool {
			return b.Kind == etcd.Delete && b.Key == o.Key
		}) || o.Kind == etcd.Put && slices.ContainsFunc(ops[:i], func(b etcd.Op) bool {
			return b.Kind == etcd.Put && b.Key == o.Key
		}) {
			return true
		}
	}
	return false
}

// writes reports whether an operation changes something. Deleting a key that doesn't exist changes nothing.
func (s *Server) writes(o etcd.Op) bool {
	return o.Kind == etcd.Put || o.Kind == etcd.Delete && s.keys[o.Key] != nil
}

// createdAt returns the revision at which a key was created, 0 if it doesn't exist.
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

// find returns the key that a Get reads, or nil.
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
		var last *item // the first by name of those created in one step
		for n--; n >= 0 && (last == nil || s.created[n].Created == last.Created); n-- {
			if has(s.created[n]) {
				last = s.created[n]
			}
		}
		return last
	default:
		return s.keys[o.Key]
	}
	return nil
}

// place returns the index in created of the first key that was created at a revision or later.
func (s *Server) place(revision int64) int {
	return sort.Search(len(s.created), func(n int) bool { return s.created[n].Created >= revision })
}

func (s *Server) put(o *etcd.Op) {
	i := s.keys[o.Key]
	if i == nil {
		i = &item{etcd.KV{Key: o.Key, Created: s.revision}}
		s.keys[o.Key] = i
		n := s.place(s.revision)
		for n < len(s.created) && s.created[n].Key < i.Key {
			n++
		}
		s.created = slices.Insert(s.created, n, i)
	}
	i.Value, i.Modified = o.Value, s.revision
	s.attach(i, o.Lease)
	s.emit(event.Event{Kind: event.EntrySet, Peer: s.by, Path: i.Key, Text: event.Preview([]byte(i.Value)),
		Zxid: i.Modified, Session: int64(i.Lease)})
}

// drop deletes a key and notifies its watchers.
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

// tell notifies the watchers of a key that it was deleted at the current revision.
func (s *Server) tell(key string, cause event.Seq) {
	s.setWatches(key, slices.DeleteFunc(s.watches[key], func(w *watch) bool {
		if w.from > s.revision {
			return false
		}
		w.k.watch = nil
		w.k.link.Push(etcd.Deleted(key), cause)
		return true
	}))
}

// watchFor begins a watch and ends the one before. If the key was deleted since its revision, it notifies at once.
func (k *session) watchFor(c *etcd.Call) {
	s := k.s
	k.unwatch()
	if k.lost {
		return
	}
	n := sort.Search(len(s.deleted[c.Key]), func(n int) bool { return s.deleted[c.Key][n] >= c.From })
	if n < len(s.deleted[c.Key]) && c.From > 0 {
		k.link.Push(etcd.Deleted(c.Key), s.cause)
		return
	}
	k.watch = &watch{k, c.Key, c.From}
	s.watches[c.Key] = append(s.watches[c.Key], k.watch)
}

// unwatch ends the watch of a connection, if there is one.
func (k *session) unwatch() {
	w := k.watch
	if w == nil {
		return
	}
	k.watch = nil
	k.s.setWatches(w.key, slices.DeleteFunc(k.s.watches[w.key], func(o *watch) bool { return o == w }))
}

// setWatches sets the watches on a key.
func (s *Server) setWatches(key string, list []*watch) {
	if s.watches[key] = list; len(list) == 0 {
		delete(s.watches, key)
	}
}
