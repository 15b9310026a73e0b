package conform

import (
	"fmt"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// request adds a random request that a client might send, valid or not.
func (d *drawing) request(name string) {
	var r wire.Request
	switch n := d.dice.rng.IntN(100); {
	case d.quotas && d.dice.one(12):
		r = d.quotaRequest()
	case n < 24:
		r = d.createRequest(name)
	case n < 34:
		r = d.deleteRequest()
	case n < 44:
		r = d.setRequest()
	case n < 72:
		r = d.read()
	case n < 76:
		r = d.setACLRequest()
	case n < 84:
		r = d.multi(name)
	case n < 87:
		r = d.multiRead()
	case n < 91:
		r = usual(wire.OpAddWatch)
		r.Path, r.Mode = d.paths.known(), pick[int32](d.dice, 0, 0, 1, 1, 1, 2, -1)
	case n < 94:
		r = usual(pick(d.dice, wire.OpRemoveWatches, wire.OpCheckWatches))
		r.Path, r.Type = d.paths.known(), pick[int32](d.dice, 1, 2, 3, 3, 0, 4, 5, -1)
	case n < 95:
		d.setWatches(name)
		return
	default:
		r = usual(pick(d.dice, wire.OpSync, wire.OpPing, wire.OpWhoAmI, wire.OpGetEphemerals, wire.OpSync, wire.OpReconfig))
		r.Path = d.paths.known()
		if r.Op == wire.OpGetEphemerals {
			r.Path = pick(d.dice, "/", "", d.paths.top, d.paths.top+"/a", r.Path)
		}
	}
	if d.dice.one(40) {
		r.Xid = pick[int32](d.dice, -1, -1, -2, -4, -8, -9, 1, 77, 0x7fffffff, -0x80000000)
	}
	d.ask(name, r)
}

func (d *drawing) read() wire.Request {
	r := usual(pick(d.dice, wire.OpExists, wire.OpExists, wire.OpGetData, wire.OpGetData, wire.OpGetChildren,
		wire.OpGetChildren2, wire.OpGetChildren2, wire.OpGetACL, wire.OpAllChildrenNumber))
	r.Path = d.paths.known()
	switch r.Op {
	case wire.OpExists, wire.OpGetData, wire.OpGetChildren, wire.OpGetChildren2:
		r.Watch = d.dice.one(2)
	}
	return r
}

func (d *drawing) createRequest(name string) wire.Request {
	r := usual(pick(d.dice, wire.OpCreate, wire.OpCreate, wire.OpCreate, wire.OpCreate2, wire.OpCreate2,
		wire.OpCreateContainer, wire.OpCreateTTL))
	r.Data, r.ACL = d.dice.data(), d.dice.acl()
	r.Path = d.paths.fresh()
	modes := []int32{0, 0, 0, 0, 1, 1, 2, 3}
	switch r.Op {
	case wire.OpCreateTTL:
		modes = []int32{5, 5, 5, 6, 6, 0, 1, 4}
		r.TTL = pick[int64](d.dice, 1_000_000_000, 3_600_000, 1<<40-1, 1<<40-2, 1<<40, 0, -1, 1<<62)
	case wire.OpCreateContainer:
		modes = []int32{4, 4, 4, 4, 0, 1, 2, 5}
	}
	r.Flags = pick(d.dice, modes...)
	if d.dice.one(30) {
		r.Flags = pick[int32](d.dice, 4, 5, 6, 7, 8, -1, 100, 0x7fffffff)
	}
	if zoo.CreateMode(r.Flags).IsSequential() && r.Flags < 7 && d.dice.one(5) {
		r.Path += "/"
	}
	if len(r.ACL) > 0 {
		d.guess.create(r.Path, name, zoo.CreateMode(r.Flags&7))
	}
	return r
}

func (d *drawing) deleteRequest() wire.Request {
	r := usual(wire.OpDelete)
	r.Path = d.paths.known()
	if !d.dice.one(4) {
		r.Path = d.guess.leaf(d.dice.rng)
	}
	r.Version = d.version(r.Path, false)
	d.guess.delete(r.Path)
	return r
}

func (d *drawing) setRequest() wire.Request {
	r := usual(wire.OpSetData)
	r.Path, r.Data = d.paths.known(), d.dice.data()
	r.Version = d.version(r.Path, false)
	if n, ok := d.guess.nodes[r.Path]; ok && (r.Version == -1 || r.Version == n.version) {
		n.version++
	}
	return r
}

func (d *drawing) setACLRequest() wire.Request {
	r := usual(wire.OpSetACL)
	r.Path, r.ACL = d.paths.known(), d.dice.acl()
	r.Version = d.version(r.Path, true)
	if len(r.Path) < len(d.paths.top) { // a znode that others depend on stays open to all
		r.ACL = pick(d.dice, zoo.OpenACL(), nil, []zoo.ACL{{Perms: 31, Scheme: "digest", ID: "bad"}})
	}
	if n, ok := d.guess.nodes[r.Path]; ok && len(r.ACL) > 0 {
		n.aversion++
	}
	return r
}

// version returns the right version, any, or a wrong one.
func (d *drawing) version(path string, acl bool) int32 {
	if d.dice.one(2) {
		return zoo.AnyVersion
	}
	var is int32
	if n, ok := d.guess.nodes[path]; ok {
		if is = n.version; acl {
			is = n.aversion
		}
	}
	return pick(d.dice, is, is, is, is+1, is-1, 0, -2, 0x7fffffff)
}

func (d *drawing) multi(name string) wire.Request {
	r := usual(wire.OpMulti)
	most := 6
	if d.dice.one(10) {
		most = 60
	}
	for range d.dice.rng.IntN(most) {
		r.Ops = append(r.Ops, d.part(name))
	}
	return r
}

func (d *drawing) part(name string) wire.Request {
	switch d.dice.rng.IntN(12) {
	case 0, 1, 2, 3:
		return d.createRequest(name)
	case 4, 5:
		return d.deleteRequest()
	case 6, 7:
		return d.setRequest()
	case 8, 9, 10:
		r := usual(wire.OpCheck)
		r.Path = d.paths.known()
		r.Version = d.version(r.Path, false)
		return r
	}
	if d.dice.one(3) {
		return d.read()
	}
	return d.setRequest()
}

func (d *drawing) multiRead() wire.Request {
	r := usual(wire.OpMultiRead)
	for range d.dice.rng.IntN(6) {
		op := usual(pick(d.dice, wire.OpGetData, wire.OpGetChildren))
		op.Path, op.Watch = d.paths.known(), d.dice.one(4)
		if d.dice.one(60) {
			op = d.setRequest()
		}
		r.Ops = append(r.Ops, op)
	}
	return r
}

func (d *drawing) setWatches(name string) {
	r := usual(pick(d.dice, wire.OpSetWatches, wire.OpSetWatches2))
	r.RelativeZxid = -int64(d.dice.rng.IntN(40))
	r.DataWatches, r.ExistWatches, r.ChildWatches = d.paths.some(), d.paths.some(), d.paths.some()
	if r.Op == wire.OpSetWatches2 {
		r.PersistentWatches, r.RecursiveWatches = d.paths.some(), d.paths.some()
	}
	if d.dice.one(2) {
		r.Xid = wire.XidSetWatches
	}
	d.step(Step{Kind: Ask, Conn: name, Req: r, Since: true})
}

// identify adds an auth request, valid or not. After a failure the server closes the connection.
func (d *drawing) identify(name string) {
	r := usual(wire.OpAuth)
	r.Scheme, r.Auth = "digest", []byte(d.dice.secret())
	if d.dice.one(4) {
		r.Scheme = pick(d.dice, "digest", "world", "ip", "auth", "x509", "sasl", "super", "nope", "", "DIGEST")
		r.Auth = pick(d.dice, nil, []byte("u1:p1"), []byte("127.0.0.1"), []byte("anyone"))
		d.state[name].connected = r.Scheme == "ip" || r.Scheme == "digest"
	}
	if d.dice.one(5) {
		r.AuthType = pick[int32](d.dice, 1, -1, 100)
	}
	if d.dice.one(2) {
		r.Xid = wire.XidAuth
	}
	if d.dice.one(20) {
		r = usual(wire.OpSASL)
		r.Auth = pick(d.dice, nil, []byte{}, []byte("token"))
	}
	d.ask(name, r)
}

// identifyOften gives a connection so many identities that ZooKeeper's table of them grows, and makes it show their
// order.
func (d *drawing) identifyOften(name string) {
	for range 10 + d.dice.rng.IntN(30) {
		r := usual(wire.OpAuth)
		r.Scheme, r.Auth = "digest", []byte(fmt.Sprintf("user%d:p", d.dice.rng.IntN(1000)))
		d.ask(name, r)
	}
	d.ask(name, usual(wire.OpWhoAmI))
	r := d.createRequest(name)
	r.ACL = []zoo.ACL{{Perms: zoo.PermAll, Scheme: "auth"}}
	d.ask(name, r)
	r = usual(wire.OpGetACL)
	r.Path = d.guess.any(d.dice.rng)
	d.ask(name, r)
	d.step(Step{Kind: Break})
}
