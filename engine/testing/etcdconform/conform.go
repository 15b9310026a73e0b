// Package etcdconform plays the same scripts of calls on the simulated etcd and on a real one, and compares the replies
// and the notifications.
//
// Scripts don't depend on time: their leases last much longer than they do. The tests call the package.
package etcdconform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/testing/versus"
)

// Step is one step of a script. Revisions count from the beginning of the script, where the store is at revision 1, and
// leases from 1 in the order in which they are granted.
type Step struct {
	Conn   int // the connection that calls, from 0
	HangUp bool
	Call   etcd.Call
}

// String returns the step as the messages of tests show it.
func (s Step) String() string {
	who := string(rune('A' + s.Conn))
	if s.HangUp {
		return who + " hangs up"
	}
	return who + ": " + s.Call.String()
}

// Conns is the number of connections in a script.
const Conns = versus.Conns

// Play plays a script on both, and returns the first difference, or nil.
func Play(script []Step, simulated *Simulated, real *Real) (*versus.Difference, error) {
	return versus.Play(script, simulated, real, real.Settle)
}

// names translates between the leases and revisions of a script and those of a target.
type names struct {
	base   int64 // added to the script's revisions
	last   int64 // the last revision that a reply had
	leases []etcd.LeaseID
	reply  [Conns]string // not taken yet
}

// take returns the reply on a connection if there is one.
func (n *names) take(conn int) (reply string, is bool) {
	reply, n.reply[conn] = n.reply[conn], ""
	return reply, reply != ""
}

// unheard is a lease that was never granted.
const unheard etcd.LeaseID = 1 << 40

func (n *names) lease(id etcd.LeaseID) etcd.LeaseID {
	switch {
	case id == 0:
		return 0
	case int(id) <= len(n.leases):
		return n.leases[id-1]
	}
	return unheard
}

// there returns a revision of the script as the target has it. Negative revisions and 0 have a meaning of their own.
func (n *names) there(revision int64) int64 {
	if revision <= 0 {
		return revision
	}
	return revision + n.base
}

// call returns a call with the target's leases and revisions.
func (n *names) call(c etcd.Call) *etcd.Call {
	ops := func(list []etcd.Op) (out []etcd.Op) {
		for _, o := range list {
			o.Lease, o.Before = n.lease(o.Lease), n.there(o.Before)
			out = append(out, o)
		}
		return out
	}
	c.Lease, c.From, c.Then, c.Else = n.lease(c.Lease), n.there(c.From), ops(c.Then), ops(c.Else)
	c.If = slices.Clone(c.If)
	for i := range c.If {
		c.If[i].Created = n.there(c.If[i].Created)
	}
	return &c
}

// answer describes a reply with the script's leases and revisions. It records the leases that are granted.
func (n *names) answer(c *etcd.Call, r remote.Reply) string {
	a, ok := r.Body.(*etcd.Answer)
	if !ok {
		return "error " + r.Text
	}
	if c.Kind == etcd.Grant {
		n.leases = append(n.leases, a.Lease)
	}
	n.last = a.Revision - n.base
	index := func(id etcd.LeaseID) int { return slices.Index(n.leases, id) + 1 }
	var b strings.Builder
	fmt.Fprintf(&b, "at %d", n.last)
	switch c.Kind {
	case etcd.Grant, etcd.KeepAlive:
		fmt.Fprintf(&b, ", lease %d for %d s", index(a.Lease), a.TTL)
	case etcd.Txn:
		fmt.Fprintf(&b, ", %t", a.Yes)
	}
	for _, r := range a.Results {
		fmt.Fprintf(&b, ", %d", r.N)
		if r.Key != "" {
			fmt.Fprintf(&b, " %q=%q created %d modified %d lease %d", r.Key, r.Value, r.Created-n.base, r.Modified-n.base,
				index(r.KV.Lease))
		}
	}
	return b.String()
}
