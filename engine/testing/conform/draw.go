package conform

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// request adds a random request that a client might send, valid or not.
func (d *drawing) request(name string) {
	var r wire.Request
	switch n := d.rng.IntN(100); {
	case d.quotas && d.one(12):
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
		r.Path, r.Mode = d.path(), pick[int32](d, 0, 0, 1, 1, 1, 2, -1)
	case n < 94:
		r = usual(pick(d, wire.OpRemoveWatches, wire.OpCheckWatches))
		r.Path, r.Type = d.path(), pick[int32](d, 1, 2, 3, 3, 0, 4, 5, -1)
	case n < 95:
		d.setWatches(name)
		return
	default:
		r = usual(pick(d, wire.OpSync, wire.OpPing, wire.OpWhoAmI, wire.OpGetEphemerals, wire.OpSync, wire.OpReconfig))
		r.Path = d.path()
		if r.Op == wire.OpGetEphemerals {
			r.Path = pick(d, "/", "", d.top, d.top+"/a", r.Path)
		}
	}
	if d.one(40) {
		r.Xid = pick[int32](d, -1, -1, -2, -4, -8, -9, 1, 77, 0x7fffffff, -0x80000000)
	}
	d.ask(name, r)
}

func (d *drawing) read() wire.Request {
	r := usual(pick(d, wire.OpExists, wire.OpExists, wire.OpGetData, wire.OpGetData, wire.OpGetChildren,
		wire.OpGetChildren2, wire.OpGetChildren2, wire.OpGetACL, wire.OpAllChildrenNumber))
	r.Path = d.path()
	switch r.Op {
	case wire.OpExists, wire.OpGetData, wire.OpGetChildren, wire.OpGetChildren2:
		r.Watch = d.one(2)
	}
	return r
}

func (d *drawing) createRequest(name string) wire.Request {
	r := usual(pick(d, wire.OpCreate, wire.OpCreate, wire.OpCreate, wire.OpCreate2, wire.OpCreate2,
		wire.OpCreateContainer, wire.OpCreateTTL))
	r.Data, r.ACL = d.data(), d.acl()
	r.Path = d.newPath()
	modes := []int32{0, 0, 0, 0, 1, 1, 2, 3}
	switch r.Op {
	case wire.OpCreateTTL:
		modes = []int32{5, 5, 5, 6, 6, 0, 1, 4}
		r.TTL = pick[int64](d, 1_000_000_000, 3_600_000, 1<<40-1, 1<<40-2, 1<<40, 0, -1, 1<<62)
	case wire.OpCreateContainer:
		modes = []int32{4, 4, 4, 4, 0, 1, 2, 5}
	}
	r.Flags = pick(d, modes...)
	if d.one(30) {
		r.Flags = pick[int32](d, 4, 5, 6, 7, 8, -1, 100, 0x7fffffff)
	}
	if zoo.CreateMode(r.Flags).IsSequential() && r.Flags < 7 && d.one(5) {
		r.Path += "/"
	}
	if len(r.ACL) > 0 {
		d.guess.create(r.Path, name, zoo.CreateMode(r.Flags&7))
	}
	return r
}

func (d *drawing) deleteRequest() wire.Request {
	r := usual(wire.OpDelete)
	r.Path = d.path()
	if !d.one(4) {
		r.Path = d.guess.leaf(d.rng)
	}
	r.Version = d.version(r.Path, false)
	d.guess.delete(r.Path)
	return r
}

func (d *drawing) setRequest() wire.Request {
	r := usual(wire.OpSetData)
	r.Path, r.Data = d.path(), d.data()
	r.Version = d.version(r.Path, false)
	if n, ok := d.nodes[r.Path]; ok && (r.Version == -1 || r.Version == n.version) {
		n.version++
	}
	return r
}

func (d *drawing) setACLRequest() wire.Request {
	r := usual(wire.OpSetACL)
	r.Path, r.ACL = d.path(), d.acl()
	r.Version = d.version(r.Path, true)
	if len(r.Path) < len(d.top) { // a znode that others depend on stays open to all
		r.ACL = pick(d, zoo.OpenACL(), nil, []zoo.ACL{{Perms: 31, Scheme: "digest", ID: "bad"}})
	}
	if n, ok := d.nodes[r.Path]; ok && len(r.ACL) > 0 {
		n.aversion++
	}
	return r
}

// version returns the right version, any, or a wrong one.
func (d *drawing) version(path string, acl bool) int32 {
	if d.one(2) {
		return zoo.AnyVersion
	}
	var is int32
	if n, ok := d.nodes[path]; ok {
		if is = n.version; acl {
			is = n.aversion
		}
	}
	return pick(d, is, is, is, is+1, is-1, 0, -2, 0x7fffffff)
}

func (d *drawing) data() []byte {
	switch d.rng.IntN(10) {
	case 0:
		return nil
	case 1:
		return []byte{}
	case 2:
		most := 2000
		if d.one(10) {
			most = 200_000
		}
		return bytes.Repeat([]byte("z"), d.rng.IntN(most))
	}
	return []byte(pick(d, "x", "y", "hello", "\x00\xff", "2147483648"))
}

func (d *drawing) multi(name string) wire.Request {
	r := usual(wire.OpMulti)
	most := 6
	if d.one(10) {
		most = 60
	}
	for range d.rng.IntN(most) {
		r.Ops = append(r.Ops, d.part(name))
	}
	return r
}

func (d *drawing) part(name string) wire.Request {
	switch d.rng.IntN(12) {
	case 0, 1, 2, 3:
		return d.createRequest(name)
	case 4, 5:
		return d.deleteRequest()
	case 6, 7:
		return d.setRequest()
	case 8, 9, 10:
		r := usual(wire.OpCheck)
		r.Path = d.path()
		r.Version = d.version(r.Path, false)
		return r
	}
	if d.one(3) {
		return d.read()
	}
	return d.setRequest()
}

func (d *drawing) multiRead() wire.Request {
	r := usual(wire.OpMultiRead)
	for range d.rng.IntN(6) {
		op := usual(pick(d, wire.OpGetData, wire.OpGetChildren))
		op.Path, op.Watch = d.path(), d.one(4)
		if d.one(60) {
			op = d.setRequest()
		}
		r.Ops = append(r.Ops, op)
	}
	return r
}

func (d *drawing) setWatches(name string) {
	r := usual(pick(d, wire.OpSetWatches, wire.OpSetWatches2))
	r.RelativeZxid = -int64(d.rng.IntN(40))
	r.DataWatches, r.ExistWatches, r.ChildWatches = d.paths(), d.paths(), d.paths()
	if r.Op == wire.OpSetWatches2 {
		r.PersistentWatches, r.RecursiveWatches = d.paths(), d.paths()
	}
	if d.one(2) {
		r.Xid = wire.XidSetWatches
	}
	d.step(Step{Kind: Ask, Conn: name, Req: r, Since: true})
}

func (d *drawing) paths() []string {
	var all []string
	for range d.rng.IntN(4) {
		all = append(all, d.path())
	}
	return all
}

// identify adds an auth request, valid or not. After a failure the server closes the connection.
func (d *drawing) identify(name string) {
	r := usual(wire.OpAuth)
	r.Scheme, r.Auth = "digest", []byte(d.secret())
	if d.one(4) {
		r.Scheme = pick(d, "digest", "world", "ip", "auth", "x509", "sasl", "super", "nope", "", "DIGEST")
		r.Auth = pick(d, nil, []byte("u1:p1"), []byte("127.0.0.1"), []byte("anyone"))
		d.state[name].connected = r.Scheme == "ip" || r.Scheme == "digest"
	}
	if d.one(5) {
		r.AuthType = pick[int32](d, 1, -1, 100)
	}
	if d.one(2) {
		r.Xid = wire.XidAuth
	}
	if d.one(20) {
		r = usual(wire.OpSASL)
		r.Auth = pick(d, nil, []byte{}, []byte("token"))
	}
	d.ask(name, r)
}

// secret returns credentials for the scheme digest, which accepts any.
func (d *drawing) secret() string {
	if d.one(3) {
		return pick(d, "ünï:ß", "日本:本", "\U0001f600:\U0001f601", "a\U0010ffff", "\xff:x", "u\xc3:p", "\xed\xa0\x80:p",
			"\xed\xa0\xbd\xed\xb8\x80:p",
			"\xf4\x90\x80\x80:p", "\xc0\x80:p", "u\x00:p", "u\n:p", "u\u2028v:p", "\ufffd:p", strings.Repeat("l", 300)+":p")
	}
	return pick(d, "u1:p1", "u1:p1", "u2:p2", "u1:wrong", "nocolon", "", ":", "a:b:c")
}

// identifyOften gives a connection so many identities that ZooKeeper's table of them grows, and makes it show their
// order.
func (d *drawing) identifyOften(name string) {
	for range 10 + d.rng.IntN(30) {
		r := usual(wire.OpAuth)
		r.Scheme, r.Auth = "digest", []byte(fmt.Sprintf("user%d:p", d.rng.IntN(1000)))
		d.ask(name, r)
	}
	d.ask(name, usual(wire.OpWhoAmI))
	r := d.createRequest(name)
	r.ACL = []zoo.ACL{{Perms: zoo.PermAll, Scheme: "auth"}}
	d.ask(name, r)
	r = usual(wire.OpGetACL)
	r.Path = d.guess.any(d.rng)
	d.ask(name, r)
	d.step(Step{Kind: Break})
}

// acl returns an ACL, most often one that is open to all.
func (d *drawing) acl() []zoo.ACL {
	if !d.one(5) {
		return zoo.OpenACL()
	}
	n := pick(d, 0, 1, 1, 1, 2, 2, 3)
	var all []zoo.ACL
	for range n {
		all = append(all, d.entry())
	}
	if n > 0 && d.one(4) {
		all = append(all, all[0])
	}
	return all
}

func (d *drawing) entry() zoo.ACL {
	a := zoo.ACL{Perms: pick[int32](d, 31, 31, 31, 1, 2, 4, 8, 16, 3, 17, 30, 0), Scheme: "world", ID: "anyone"}
	switch d.rng.IntN(8) {
	case 0, 1:
		a.Scheme, a.ID = "digest", digestID(pick(d, "u1:p1", "u2:p2", "u1:p1", "u2:p2", "ünï:ß", "\U0001f600:\U0001f601"))
	case 2:
		a.Scheme, a.ID = "auth", pick(d, "", "", "u1", "anything")
	case 3:
		a.Scheme, a.ID = "ip", pick(d, "127.0.0.1", "127.0.0.0/8", "10.0.0.1", "0.0.0.0/0", "127.0.0.1/32")
		if d.one(3) {
			a.ID = d.oddNet()
		}
	case 4:
		if d.one(3) {
			a = d.oddEntry()
		}
	}
	return a
}

// oddNet returns something like an address, with or without bits, or an unusual form of one.
func (d *drawing) oddNet() string {
	return pick(d, "127.0.0.1/", "127.0.0.1/x", "127.0.0.1/8/9", "127.0.0.1/+8", "127.0.0.1/-0", "127.0.0.1/08",
		"127.0.0.1/ 8",
		"127.0.0.1/2147483648", "127.0.0.1/٨", "١٢٧.0.0.1", "１２７.0.0.1/８", "\U0001d7cf27.0.0.1", "+127.0.0.1", "-0.0.0.0",
		"-1.0.0.0",
		"127.0.0.01", "0000127.0.0.1", "0x7f.0.0.1", "1e2.0.0.1", "127.0.0.1.", ".127.0.0.1", "127..0.1", "127.1",
		"127.0.0.1.5",
		" 127.0.0.1", "127.0.0.1 ", "127.0.0.1\x00", "/8", "/", "256.0.0.1", "4294967423.0.0.1", "0:0:0:0:0:0:0:1")
}

func (d *drawing) oddEntry() zoo.ACL {
	a := pick(d,
		zoo.ACL{Perms: 31, Scheme: "world", ID: "everyone"},
		zoo.ACL{Perms: 31, Scheme: "world"},
		zoo.ACL{Perms: 31, Scheme: "nope", ID: "x"},
		zoo.ACL{Perms: 31, ID: "anyone"},
		zoo.ACL{Perms: 31, Scheme: "digest", ID: "u1"},
		zoo.ACL{Perms: 31, Scheme: "digest", ID: "u1:"},
		zoo.ACL{Perms: 31, Scheme: "digest", ID: ":x"},
		zoo.ACL{Perms: 31, Scheme: "digest", ID: "a:b:c"},
		zoo.ACL{Perms: 31, Scheme: "digest"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "localhost"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "127.0.0.1/33"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "127.0.0.1/-1"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "127.0.0"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "127.0.0.256"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "::1"},
		zoo.ACL{Perms: 31, Scheme: "ip"},
		zoo.ACL{Perms: 31, Scheme: "super", ID: "x"},
		zoo.ACL{Perms: 31, Scheme: "sasl", ID: "x"},
		zoo.ACL{Perms: 31, Scheme: "x509", ID: "CN=x"},
	)
	if d.one(4) {
		a.Perms = pick[int32](d, 32, 255, -1, 1<<30)
	}
	return a
}

// digestID returns the ID of the digest scheme for "user:password".
func digestID(secret string) string {
	sum := sha1.Sum([]byte(secret))
	user, _, _ := strings.Cut(secret, ":")
	return user + ":" + base64.StdEncoding.EncodeToString(sum[:])
}
