package etcdconform

import (
	"math/rand/v2"
	"strconv"

	"github.com/zkviz/zkviz/engine/stores/etcd"
)

// generator generates a script.
type generator struct {
	*rand.Rand
	leases, writes int // so far, at most
}

// Generate returns the script for a seed: clients of a few keys that queue, read, wait, delete and disconnect, with
// transactions of any form in between.
func Generate(seed uint64, steps int) []Step {
	g := generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	script := make([]Step, 0, steps)
	for range steps {
		s := Step{Conn: g.IntN(Conns)}
		if g.IntN(30) == 0 {
			s.HangUp = true
		} else {
			s.Call = g.call()
		}
		script = append(script, s)
	}
	return script
}

const prefix = "/l/"

func (g *generator) key() string {
	switch g.IntN(40) {
	case 0:
		return ""
	case 1:
		return prefix
	case 2:
		return "\xff"
	case 3, 4, 5, 6:
		return "/d"
	}
	return prefix + strconv.Itoa(1+g.IntN(5))
}

// lease returns a lease that most likely was granted, and perhaps revoked.
func (g *generator) lease() etcd.LeaseID { return etcd.LeaseID(1 + g.IntN(g.leases+1)) }

// revision returns one that may have been reached, or may be the next.
func (g *generator) revision() int64 { return int64(1 + g.IntN(g.writes+3)) }

// ttls are longer than a script takes.
var ttls = [...]int64{600, 601, 3600, 9_000_000_000, 9_000_000_001}

func (g *generator) call() etcd.Call {
	switch n := g.IntN(20); n {
	case 0, 1:
		g.leases++
		return etcd.Call{Kind: etcd.Grant, TTL: ttls[g.IntN(len(ttls))]}
	case 2:
		return etcd.Call{Kind: etcd.KeepAlive, Lease: g.lease()}
	case 3:
		g.writes++
		return etcd.Call{Kind: etcd.Revoke, Lease: g.lease()}
	case 4, 5, 6:
		return g.watch()
	case 7, 8, 9, 10:
		return g.queue()
	case 11:
		g.writes++
		key := g.key()
		return etcd.Call{If: []etcd.Condition{{Key: key, Created: g.revision()}}, Then: []etcd.Op{{Kind: etcd.Put, Key: "/d",
			Value: "x"}}}
	case 12, 13:
		return g.transaction()
	}
	g.writes++
	return etcd.Call{Then: []etcd.Op{g.op()}}
}

func (g *generator) queue() etcd.Call {
	g.writes++
	key, look := g.key(), etcd.Op{Kind: etcd.Get, Key: prefix, Pick: etcd.FirstCreated}
	return etcd.Call{If: []etcd.Condition{{Key: key}},
		Then: []etcd.Op{{Kind: etcd.Put, Key: key, Value: "v" + strconv.Itoa(g.IntN(9)), Lease: g.lease()}, look},
		Else: []etcd.Op{{Kind: etcd.Get, Key: key}, look}}
}

// watch returns a watch from now on, or from a revision that is most likely in the future: for past ones etcd sends
// notifications only at its next look.
func (g *generator) watch() etcd.Call {
	c := etcd.Call{Kind: etcd.Watch, Key: prefix + strconv.Itoa(1+g.IntN(5))}
	switch g.IntN(20) {
	case 0:
		c.From = g.revision()
	case 1, 2, 3:
		c.From = int64(g.writes + 2)
	}
	return c
}

func (g *generator) transaction() (c etcd.Call) {
	for range g.IntN(3) {
		x := etcd.Condition{Key: g.key()}
		if g.IntN(2) == 0 {
			x.Created = g.revision()
		}
		c.If = append(c.If, x)
	}
	for range 2 + g.IntN(2) {
		c.Then = append(c.Then, g.op())
	}
	for range g.IntN(3) {
		c.Else = append(c.Else, g.op())
	}
	g.writes++
	return c
}

func (g *generator) op() etcd.Op {
	o := etcd.Op{Key: g.key()}
	switch g.IntN(6) {
	case 0, 1:
		o.Kind, o.Value = etcd.Put, strconv.Itoa(g.IntN(9))
		if g.IntN(2) == 0 {
			o.Lease = g.lease()
		}
	case 2:
		o.Kind = etcd.Delete
	case 3:
		o.Key, o.Pick = prefix, etcd.Pick(1+g.IntN(2))
		if g.IntN(2) == 0 {
			o.Before = g.revision()
		}
	}
	return o
}
