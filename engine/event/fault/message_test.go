package fault_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// everybody has all the servers, clients and nodes that drawMessage knows.
var everybody = fault.Scope{Clients: 20, Servers: fault.MaxServer, Nodes: fault.MaxNode}

// drawMessage returns the name of any message that has one.
func drawMessage(chance *rand.Rand) fault.Message {
	anybody := func() event.Actor {
		return [...]event.Actor{event.ZooKeeper, event.Actor(1 + chance.IntN(20)),
			event.Server(1 + chance.IntN(fault.MaxServer)), event.Node(1 + chance.IntN(fault.MaxNode))}[chance.IntN(4)]
	}
	for {
		m := fault.Message{Op: event.Op(chance.IntN(256)), Nth: 1 + chance.IntN(1000), From: anybody(), To: anybody()}
		if (fault.Fault{Kind: fault.DropMessage, Message: m}).Validate(everybody) == nil {
			return m
		}
	}
}

// TestMessagesRoundTrip checks that faults on any message of any ensemble parse again.
func TestMessagesRoundTrip(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for _, k := range fault.ToMessages() {
		for range 500 {
			f := fault.Fault{Kind: k, At: time.Duration(chance.Int64N(int64(fault.MaxAt))), Message: drawMessage(chance)}
			if k.Lasts() {
				f.For = time.Duration(1 + chance.Int64N(int64(fault.MaxAt)))
			}
			if got, err := fault.Parse(f.String()); err != nil || got != f {
				t.Fatalf("%+v, written as %q, is read as %+v, %v", f, f, got, err)
			}
			if err := f.Validate(everybody); err != nil {
				t.Fatal(err)
			}
			for _, a := range []event.Actor{f.Message.From, f.Message.To} {
				less := everybody
				switch a.Kind() {
				case event.ASystem:
					less.Servers = 0
				case event.AServer:
					less.Servers = a.Number() - 1
				case event.AClient:
					less.Clients = a.Number() - 1
				case event.ANode:
					less.Nodes = a.Number() - 1
				}
				if err := f.Validate(less); err == nil {
					t.Fatalf("%q is possible among %+v", f, less)
				}
			}
		}
	}
}

// TestMessagesAreRefused checks what is no name of a message.
func TestMessagesAreRefused(t *testing.T) {
	for s, want := range map[string]string{
		"drop PING 2 from server-3 to server-1 at 2s":          `"PING" is not a message between servers`,
		"drop vote 2 from server-3 to server-1 at 2s":          `"vote" is no sort of message`,
		"drop connect 1 from client-1 to server at 2s":         `"connect" is not a request of a client`,
		"drop PROPOSAL 1 from server to client-1 at 2s":        `"PROPOSAL" is not a request of a client`,
		"drop get 1 from client-1 to node-1 at 2s":             `"get" is not a message between a client and a node`,
		"drop command 1 from client-1 to server at 2s":         `"command" is not a request of a client`,
		"drop create 1 from client-1 to client-2 at 2s":        "a message goes between two servers",
		"drop create 1 from client-1 to server-2 at 2s":        "between a client and 'server', whichever",
		"drop ACK 1 from server to server-1 at 2s":             "a message goes between two servers",
		"drop create 1 from client-20001 to server at 2s":      `"client-20001" is not a client`,
		"drop create 1 from client-0 to server at 2s":          `"client-0" is not a client`,
		"drop command 1 from client-1 to node-21 at 2s":        `"node-21" is not a node`,
		"drop create 1 from you to server at 2s":               `"you" is not a server`,
		"drop create 2 from server-3 to server-1 at 2s":        `"create" is not a message between`,
		"drop ACK 0 from server-3 to server-1 at 2s":           `"0" is not a number from 1`,
		"drop ACK x from server-3 to server-1 at 2s":           `"x" is not a number from 1`,
		"drop ACK 1 from client-3 to server-1 at 2s":           "a message goes between two servers",
		"drop ACK 1 from server-3 to server-10 at 2s":          `"server-10" is not a server`,
		"delay ACK 1 from server-3 to server-1 at 2s":          "delay needs 'for' and how long",
		"deliver ACK 1 from server-3 to server-1 at 2s for 1s": "deliver takes no 'for'",
		"pause ACK 1 from server-3 to server-1 at 2s for 1s":   `pause is not done to "ACK 1 from server-3 to server-1"`,
		"deliver server-3 at 2s":                               `"server-3" is not a client`,
		"drop ACK from server-3 to server-1 at 2s":             "wrong number of words",
	} {
		if got, err := fault.Parse(s); err == nil || !strings.Contains(said(err), want) || got != (fault.Fault{}) {
			t.Errorf("%q: %+v, %v, want %q", s, got, err, want)
		}
	}
	for want, m := range map[string]fault.Message{
		"a message goes from one server to another": {Op: event.Ack, Nth: 1, From: event.Server(1), To: event.Server(1)},
		"there is no server-4 among 3 servers":      {Op: event.Ack, Nth: 1, From: event.Server(4), To: event.Server(1)},
		"there is no client-2 among 1 clients":      {Op: event.Get, Nth: 1, From: 2},
		"there is no node-1 among 0 nodes":          {Op: event.Command, Nth: 1, From: 1, To: event.Node(1)},
		"or between a client and a node":            {Op: event.Ack, Nth: 1, From: event.Server(1)},
		`"PING" is not a message`:                   {Op: event.ServerPing, Nth: 1, From: event.Server(1), To: event.Server(2)},
		`"0" is not a number from 1`:                {Op: event.Ack, From: event.Server(1), To: event.Server(2)},
	} {
		err := fault.Fault{Kind: fault.DropMessage, Message: m}.Validate(fault.Scope{Clients: 1, Servers: 3})
		if err == nil || !strings.Contains(said(err), want) {
			t.Errorf("%+v: %v, want %q", m, err, want)
		}
	}
}
