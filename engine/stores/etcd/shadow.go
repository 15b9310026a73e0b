package etcd

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Shadow keeps the shadow state of a real node: the keys and leases that follow from calls and their replies. It sees
// only those of the run's own clients, and where replies crossed it goes by etcd's revisions.
type Shadow struct {
	id     event.Actor
	emit   func(event.Event) event.Seq
	keys   map[string]*shadowKey
	leases map[LeaseID]*term
	paths  map[string]bool // all that were ever put
}

// shadowKey holds what is known of a key.
type shadowKey struct {
	at    int64 // the revision of this state
	lease LeaseID
	gone  bool
}

// term is a lease.
type term struct {
	owner event.Actor
	ends  time.Duration // not earlier: etcd counts from when the call arrived
}

// NewShadow returns a Shadow for a node of unknown contents.
func NewShadow(id event.Actor, emit func(event.Event) event.Seq) *Shadow {
	return &Shadow{id: id, emit: emit, keys: make(map[string]*shadowKey), leases: make(map[LeaseID]*term),
		paths: make(map[string]bool)}
}

var _ remote.Shadow = (*Shadow)(nil)

// Asked implements remote.Shadow.
func (w *Shadow) Asked(remote.RoundTrip) {}

// Closed implements remote.Shadow: keys and leases stay when a connection closes. Later replies show what became of a
// call without a reply.
func (w *Shadow) Closed(int, time.Duration, event.Seq) {}

// Answered implements remote.Shadow.
func (w *Shadow) Answered(x remote.RoundTrip) {
	c, _ := x.Request.Body.(*Call)
	a, _ := x.Reply.Body.(*Answer)
	if c == nil || a == nil {
		return
	}
	say := func(e event.Event) {
		e.Actor, e.Cause = w.id, x.Cause
		w.emit(e)
	}
	switch ends := x.Sent + seconds(a.TTL); {
	case c.Kind == Grant:
		w.leases[a.Lease] = &term{x.From, ends}
		say(event.Event{Kind: event.LeaseGranted, Peer: x.From, Session: int64(a.Lease), N: int64(ends)})
	case c.Kind == KeepAlive && a.TTL > 0 && w.leases[c.Lease] != nil:
		w.leases[c.Lease].ends = ends
		say(event.Event{Kind: event.LeaseRenewed, Peer: x.From, Session: int64(c.Lease), N: int64(ends)})
	case c.Kind == KeepAlive:
		w.end(c.Lease, event.ByTimer, 0)
	case c.Kind == Revoke:
		w.end(c.Lease, event.ByOp, x.Cause)
	case c.Kind == Txn:
		for i, o := range c.Ops(a.Yes) {
			if i < len(a.Results) {
				w.learn(x.From, &o, &a.Results[i], a.Revision, say)
			}
		}
	}
}

// learn applies the result of an operation at a revision. It doesn't change what is known of a later one.
func (w *Shadow) learn(from event.Actor, o *Op, r *Result, at int64, say func(event.Event)) {
	kv := r.KV
	switch {
	case o.Kind == Put:
		w.set(from, KV{Key: o.Key, Value: o.Value, Modified: at, Lease: o.Lease}, say)
	case o.Kind == Delete:
		w.gone(from, o.Key, at, event.ByOp, say)
	case r.N == 0 && o.Pick == ItAlone:
		w.gone(0, o.Key, at, event.ByUnknown, say)
	case r.N > 0 && w.leases[kv.Lease] != nil: // perhaps put by a call whose reply was lost
		w.set(w.leases[kv.Lease].owner, kv, say)
	}
}

func (w *Shadow) set(owner event.Actor, kv KV, say func(event.Event)) {
	if k := w.keys[kv.Key]; k != nil && k.at >= kv.Modified {
		return
	}
	w.keys[kv.Key] = &shadowKey{at: kv.Modified, lease: kv.Lease}
	w.paths[kv.Key] = true
	say(event.Event{Kind: event.EntrySet, Peer: owner, Path: kv.Key, Text: event.Preview([]byte(kv.Value)),
		Zxid: kv.Modified, Session: int64(kv.Lease)})
}

func (w *Shadow) gone(by event.Actor, key string, at int64, why event.Reason, say func(event.Event)) {
	k := w.keys[key]
	if k == nil || k.gone || k.at > at {
		return
	}
	k.gone, k.at = true, at
	say(event.Event{Kind: event.EntryGone, Peer: by, Path: key, Reason: why, Zxid: at, Session: int64(k.lease)})
}

// end records that a lease ended, and that its keys are gone.
func (w *Shadow) end(id LeaseID, why event.Reason, cause event.Seq) {
	l := w.leases[id]
	if l == nil {
		return
	}
	delete(w.leases, id)
	cause = w.emit(event.Event{Kind: event.LeaseEnded, Actor: w.id, Peer: l.owner, Session: int64(id), Reason: why,
		Cause: cause})
	for _, key := range slices.Sorted(maps.Keys(w.keys)) {
		if k := w.keys[key]; k.lease == id && !k.gone {
			k.gone = true
			w.emit(event.Event{Kind: event.EntryGone, Actor: w.id, Path: key, Reason: event.ByLease, Session: int64(id),
				Cause: cause})
		}
	}
}

// Tick implements remote.Shadow: it reports the leases that have ended by now.
func (w *Shadow) Tick(now time.Duration) {
	var over []LeaseID
	for id, l := range w.leases {
		if now > l.ends {
			over = append(over, id)
		}
	}
	slices.SortFunc(over, cmp.Compare[LeaseID])
	for _, id := range over {
		w.end(id, event.ByTimer, 0)
	}
}

// Ends implements remote.Shadow.
func (w *Shadow) Ends(lives func(event.Actor) bool) bool {
	for _, l := range w.leases {
		if !lives(l.owner) {
			return true
		}
	}
	return false
}

// Left implements remote.Shadow: all keys that were put, as it isn't always known whether one is gone.
func (w *Shadow) Left() []string { return slices.Sorted(maps.Keys(w.paths)) }
