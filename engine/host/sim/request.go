package sim

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// Request returns room for the next call: the last call's, unless its answer may still come.
func (c *client) Request() *zkclient.Request {
	if c.last == nil || c.last.Away {
		c.last = new(zkclient.Request)
	}
	*c.last = zkclient.Request{}
	return c.last
}

// setWatches lists a client's watches for a server that has forgotten them.
func setWatches(standing []zkclient.Key, since int64) *zkclient.Request {
	r := &zkclient.Request{Op: event.SetWatches, Ask: wire.Request{Op: wire.OpSetWatches, Xid: wire.XidSetWatches,
		RelativeZxid: since}}
	for _, g := range standing {
		switch g.Kind {
		case event.DataWatch:
			r.Ask.DataWatches = append(r.Ask.DataWatches, g.Path)
		case event.ExistWatch:
			r.Ask.ExistWatches = append(r.Ask.ExistWatches, g.Path)
		case event.ChildWatch:
			r.Ask.ChildWatches = append(r.Ask.ChildWatches, g.Path)
		}
	}
	return r
}
