package server

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// auth adds an identity to the connection, or closes it if the scheme is unknown. The reply has no zxid.
func (c *Conn) auth(q *wire.Request, r *wire.Response, cause event.Seq) {
	if !c.s.cfg.Limits.letsShow(c, q) {
		r.Code = zoo.ErrAuthFailed
		c.say(q, r, cause)
		c.close(event.ConnTooManyIDs, cause)
		return
	}
	auth := q.Auth
	if auth != nil {
		auth = []byte(wire.UTF8(auth))
	}
	id, ok := znode.Authenticate(q.Scheme, auth, c.addr)
	if !ok {
		r.Code = zoo.ErrAuthFailed
		c.say(q, r, cause)
		c.close(event.ConnAuthFailed, cause)
		return
	}
	id.ID = wire.Text([]byte(id.ID))
	c.ids = znode.AddID(c.ids, id)
	if len(c.ids) > fewIDs {
		c.known = make(map[zoo.ID]struct{}, len(c.ids))
		for _, id := range c.ids {
			c.known[id] = struct{}{}
		}
	}
	c.say(q, r, cause)
}

// fewIDs is the maximum number of identities that are searched one by one.
const fewIDs = 8

// clients returns the answer to whoAmI: the identities without their secrets.
func (c *Conn) clients() []wire.ClientInfo {
	list := make([]wire.ClientInfo, len(c.ids))
	for i, id := range c.ids {
		list[i] = wire.ClientInfo{Scheme: id.Scheme, User: id.ID}
		if id.Scheme == "digest" {
			list[i].User, _, _ = strings.Cut(id.ID, ":")
		}
	}
	return list
}
