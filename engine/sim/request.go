package sim

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/wire"
)

// Request is room for the next call: that of the last one, unless something may still come of it.
func (c *client) Request() *process.Request {
	if c.last == nil || c.last.Away {
		c.last = new(process.Request)
	}
	*c.last = process.Request{}
	return c.last
}

// setWatches names the watches that a client has to a server that has forgotten them.
func setWatches(standing []process.Key, since int64) *process.Request {
	r := &process.Request{Op: event.SetWatches, Ask: wire.Request{Op: wire.OpSetWatches, Xid: wire.XidSetWatches,
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
