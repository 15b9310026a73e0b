package lineartest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

func top(family int) string { return fmt.Sprintf("/f%d", family) }

// request returns the request for an op.
func (c *client) request(o op) wire.Request {
	at := top(o.family) + "/"
	flags := zoo.Persistent
	if o.ephemeral {
		flags = zoo.Ephemeral
	}
	r := wire.Request{Xid: int32(c.serial), Path: at + o.name, Data: []byte(o.data), Version: o.version}
	switch o.kind {
	case create:
		r.Op, r.ACL, r.Flags = wire.OpCreate, zoo.OpenACL(), int32(flags)
	case sequential:
		if flags = zoo.PersistentSequential; o.ephemeral {
			flags = zoo.EphemeralSequential
		}
		r.Op, r.ACL, r.Flags = wire.OpCreate2, zoo.OpenACL(), int32(flags)
	case set:
		r.Op = wire.OpSetData
	case remove:
		r.Op = wire.OpDelete
	case get:
		r.Op = wire.OpGetData
	case list:
		r.Op, r.Path = wire.OpGetChildren2, top(o.family)
	case swap:
		return wire.Request{Xid: r.Xid, Op: wire.OpMulti, Ops: []wire.Request{
			{Op: wire.OpCheck, Path: r.Path, Version: o.version},
			{Op: wire.OpSetData, Path: at + o.other, Data: r.Data, Version: zoo.AnyVersion},
			{Op: wire.OpCreate, Path: at + prefix, Data: r.Data, ACL: zoo.OpenACL(), Flags: int32(zoo.PersistentSequential)},
		}}
	}
	return r
}

// ask sends an op and interprets the answer.
func (c *client) ask(o op) (outcome, error) {
	if err := c.p.Send(c.request(o)); err != nil {
		return outcome{}, err
	}
	select {
	case <-c.kill:
		c.p.Abort()
	default:
	}
	m, err := c.p.Recv()
	if err != nil {
		return outcome{}, err
	}
	r := m.Response
	if r.Xid != int32(c.serial) {
		return outcome{}, fmt.Errorf("the answer to %d came for %d", r.Xid, c.serial)
	}
	if r.Zxid < c.hello.LastZxidSeen {
		c.h.wentBack()
	}
	c.hello.LastZxidSeen = max(c.hello.LastZxidSeen, r.Zxid)
	answer := c.understand(o, r)
	answer.zxid = r.Zxid
	c.remember(o, answer)
	return answer, nil
}

// sync waits until the server has everything that its leader had.
func (c *client) sync() error {
	if err := c.p.Send(wire.Request{Xid: int32(c.serial), Op: wire.OpSync, Path: "/"}); err != nil {
		return err
	}
	_, err := c.p.Recv()
	return err
}

func (c *client) understand(o op, r wire.Response) outcome {
	at := top(o.family) + "/"
	if o.kind == swap {
		return multi(at, r)
	}
	answer := outcome{code: r.Code}
	if r.Code != zoo.OK {
		return answer
	}
	switch o.kind {
	case create, sequential:
		answer.name = strings.TrimPrefix(r.Path, at)
	case set:
		answer.version = r.Stat.Version
	case get:
		answer.data, answer.version, answer.owner = string(r.Data), r.Stat.Version, r.Stat.EphemeralOwner
	case list:
		answer.names, answer.cversion = slices.Sorted(slices.Values(r.Children)), r.Stat.Cversion
	}
	return answer
}

// multi reads a swap's answer: its results in order, or the first code that made it fail.
func multi(at string, r wire.Response) outcome {
	for _, part := range r.Results {
		if part.Op == wire.OpError && part.Code != zoo.OK {
			return outcome{code: part.Code}
		}
	}
	if len(r.Results) != 3 {
		return outcome{code: zoo.ErrMarshalling}
	}
	return outcome{version: r.Results[1].Stat.Version, name: strings.TrimPrefix(r.Results[2].Path, at)}
}

// remember keeps what was read, for later ops.
func (c *client) remember(o op, answer outcome) {
	known := c.seen[o.family]
	switch {
	case o.kind == list:
		known = known[:0:0]
		for _, name := range answer.names {
			known = append(known, node{name: name, version: zoo.AnyVersion})
		}
	case o.kind == get && answer.code == zoo.OK:
		for i := range known {
			if known[i].name == o.name {
				known[i].version = answer.version
			}
		}
	}
	c.seen[o.family] = known
}
