package server_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestReplySize compares the predicted size with the reply's. A reply is never longer, and a long one is hardly
// shorter.
func TestReplySize(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	link := &last{}
	s := server.New(server.Config{})
	c := s.Connect(link, server.From{})
	c.Greet(&wire.ConnectRequest{TimeoutMS: 10_000}, 0, 0)
	paths := []string{"/", "/none"}
	kinds := []wire.Op{wire.OpCreate, wire.OpCreate2, wire.OpSetData, wire.OpGetData, wire.OpGetChildren,
		wire.OpGetChildren2,
		wire.OpGetACL, wire.OpSetACL, wire.OpExists, wire.OpGetEphemerals, wire.OpSync, wire.OpWhoAmI, wire.OpAuth,
		wire.OpAllChildrenNumber, wire.OpDelete, wire.OpPing, wire.OpAddWatch}
	draw := func(op wire.Op) wire.Request {
		q := wire.Request{Op: op, Path: paths[random.IntN(len(paths))], Version: -1, ACL: zoo.OpenACL(),
			Watch: random.IntN(2) == 0}
		q.Data = make([]byte, random.IntN(2000))
		switch op {
		case wire.OpCreate, wire.OpCreate2:
			q.Path = strings.TrimSuffix(q.Path, "/") + fmt.Sprintf("/n%x", random.Uint32())
			q.Flags = int32(random.IntN(4))
			paths = append(paths, q.Path)
		case wire.OpSetACL:
			for i := range random.IntN(9) {
				q.ACL = append(q.ACL, zoo.ACL{Perms: zoo.PermAll, Scheme: "ip", ID: fmt.Sprintf("10.0.0.%d", i)})
			}
		case wire.OpGetEphemerals:
			q.Path = "/"
		case wire.OpAuth:
			q.Scheme, q.Auth = "digest", fmt.Appendf(nil, "u%d:p", random.IntN(50))
		}
		return q
	}
	for range 5000 {
		q := draw(kinds[random.IntN(len(kinds))])
		switch random.IntN(8) {
		case 0:
			q = wire.Request{Op: wire.OpMultiRead}
			for range random.IntN(9) {
				q.Ops = append(q.Ops, draw([]wire.Op{wire.OpGetData, wire.OpGetChildren}[random.IntN(2)]))
			}
		case 1:
			q = wire.Request{Op: wire.OpMulti}
			for range random.IntN(9) {
				q.Ops = append(q.Ops, draw([]wire.Op{wire.OpCreate, wire.OpCreate2, wire.OpSetData}[random.IntN(3)]))
			}
		}
		said := c.ReplySize(&q)
		c.Handle(&q, 0, 0)
		size := len(wire.AppendFrame(nil, &link.reply))
		if size > said {
			t.Fatalf("the reply to %v %s has %d bytes, and %d were foretold", q.Op, q.Path, size, said)
		}
		if link.reply.Code == zoo.OK && size > 1000 && q.Op != wire.OpMulti && q.Op != wire.OpMultiRead && said > size {
			t.Fatalf("the reply to %v %s has %d bytes, and %d were foretold", q.Op, q.Path, size, said)
		}
	}
}

// last keeps the last reply.
type last struct{ reply wire.Response }

func (l *last) Welcome(*wire.ConnectResponse, event.Seq)             {}
func (l *last) Reply(_ *wire.Request, r *wire.Response, _ event.Seq) { l.reply = *r }
func (l *last) Notify(wire.Notification, event.Watch, event.Seq)     {}
func (l *last) Close(event.Reason, event.Seq)                        {}
