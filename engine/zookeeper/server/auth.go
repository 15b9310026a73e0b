package server

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// identity is what a client has shown: its address, and what it authenticated as, in ZooKeeper's order.
type identity struct {
	ids   []zoo.ID
	known map[zoo.ID]struct{} // the same, if there are many; else nil
}

// add adds what the client authenticated as.
func (d *identity) add(id zoo.ID) {
	d.ids = znode.AddID(d.ids, id)
	if len(d.ids) > fewIDs {
		d.known = make(map[zoo.ID]struct{}, len(d.ids))
		for _, id := range d.ids {
			d.known[id] = struct{}{}
		}
	}
}

// bytes returns the length of the identities.
func (d *identity) bytes() (n int) {
	for _, id := range d.ids {
		n += len(id.Scheme) + len(id.ID)
	}
	return n
}

// auth adds an identity to the connection, or closes it if the scheme is unknown. The reply has no zxid.
func (c *Conn) auth(q *wire.Request, r *wire.Response, cause event.Seq) {
	if !c.s.cfg.Limits.admitsID(&c.identity, q) {
		r.Code = zoo.ErrAuthFailed
		c.reply(q, r, cause)
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
		c.reply(q, r, cause)
		c.close(event.ConnAuthFailed, cause)
		return
	}
	id.ID = wire.Text([]byte(id.ID))
	c.identity.add(id)
	c.reply(q, r, cause)
}

// fewIDs is the maximum number of identities that are searched one by one.
const fewIDs = 8

// clients returns the answer to whoAmI: the identities without their secrets.
func (d *identity) clients() []wire.ClientInfo {
	list := make([]wire.ClientInfo, len(d.ids))
	for i, id := range d.ids {
		list[i] = wire.ClientInfo{Scheme: id.Scheme, User: id.ID}
		if id.Scheme == "digest" {
			list[i].User, _, _ = strings.Cut(id.ID, ":")
		}
	}
	return list
}

func (d *identity) caller() znode.Caller { return znode.Caller{IDs: d.ids, Known: d.known} }
