package server_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestMaxSessions refuses a new session at the limit, but lets a client with a session return.
func TestMaxSessions(t *testing.T) {
	p := &pure{t: t, s: server.New(server.Config{MaxSessions: 1})}
	first, err := p.dial(wire.ConnectRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.dial(wire.ConnectRequest{}); err == nil {
		t.Error("a second session is let in")
	}
	heard, _ := first.heard()
	first.abort()
	w := heard[0].welcome
	back, err := p.dial(wire.ConnectRequest{Session: w.Session, Password: w.Password})
	if err != nil {
		t.Fatal("the session does not go on:", err)
	}
	back.send(wire.Request{Op: wire.OpCloseSession})
	if _, err := p.dial(wire.ConnectRequest{}); err != nil {
		t.Error("there is room again:", err)
	}
}

// TestNoExtendedTypes checks that without extended types a TTL is refused as unimplemented, and that the connection
// stays open.
func TestNoExtendedTypes(t *testing.T) {
	p := &pure{t: t, s: server.New(server.Config{NoExtendedTypes: true})}
	c, err := p.dial(wire.ConnectRequest{})
	if err != nil {
		t.Fatal(err)
	}
	c.heard()
	for _, want := range []struct {
		q    wire.Request
		code zoo.Code
	}{
		{wire.Request{Op: wire.OpCreateTTL, Path: "/t", Flags: 5, TTL: 1000, ACL: zoo.OpenACL()}, zoo.ErrUnimplemented},
		{wire.Request{Op: wire.OpCreateTTL, Path: "/t", Flags: 5, TTL: 0, ACL: zoo.OpenACL()}, zoo.ErrUnimplemented},
		{wire.Request{Op: wire.OpCreateTTL, Path: "/t", Flags: 0, TTL: 1000, ACL: zoo.OpenACL()}, zoo.ErrBadArguments},
		{wire.Request{Op: wire.OpCreate, Path: "/t", Flags: 5, ACL: zoo.OpenACL()}, zoo.ErrUnimplemented},
		{wire.Request{Op: wire.OpCreateContainer, Path: "/t", Flags: 4, ACL: zoo.OpenACL()}, zoo.OK},
	} {
		c.send(want.q)
		if heard, open := c.heard(); len(heard) != 1 || heard[0].reply.Code != want.code || !open {
			t.Errorf("%+v: %+v, open %v", want.q, heard[0].reply, open)
		}
	}
}
