package fault_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// drawMessage returns the name of any message that has one.
func drawMessage(chance *rand.Rand) fault.Message {
	m := fault.Message{Nth: 1 + chance.IntN(1000), From: 1 + chance.IntN(fault.MaxServer)}
	for m.To = m.From; m.To == m.From; m.To = 1 + chance.IntN(fault.MaxServer) {
	}
	for !fault.Named(m.Op) {
		m.Op = event.Op(chance.IntN(256))
	}
	return m
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
			if err := f.Validate(fault.Scope{Clients: 1, Servers: fault.MaxServer}); err != nil {
				t.Fatal(err)
			}
			servers := max(f.Message.From, f.Message.To) - 1
			if err := f.Validate(fault.Scope{Clients: 1, Servers: servers}); err == nil {
				t.Fatalf("%q is possible with %d servers", f, servers)
			}
		}
	}
}

// TestMessagesAreRefused checks what is no name of a message.
func TestMessagesAreRefused(t *testing.T) {
	for s, want := range map[string]string{
		"drop PING 2 from server-3 to server-1 at 2s":          `"PING" is not a message between servers`,
		"drop vote 2 from server-3 to server-1 at 2s":          `"vote" is not a message between`,
		"drop create 2 from server-3 to server-1 at 2s":        `"create" is not a message between`,
		"drop ACK 0 from server-3 to server-1 at 2s":           `"0" is not a number from 1`,
		"drop ACK x from server-3 to server-1 at 2s":           `"x" is not a number from 1`,
		"drop ACK 1 from client-3 to server-1 at 2s":           `"client-3" is not a server`,
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
		"a message goes from one server to another": {Op: event.Ack, Nth: 1, From: 1, To: 1},
		"there is no server-4 among 3 servers":      {Op: event.Ack, Nth: 1, From: 4, To: 1},
		"there is no server-0 among 3 servers":      {Op: event.Ack, Nth: 1, From: 1},
		`"PING" is not a message`:                   {Op: event.ServerPing, Nth: 1, From: 1, To: 2},
		`"0" is not a number from 1`:                {Op: event.Ack, From: 1, To: 2},
	} {
		err := fault.Fault{Kind: fault.DropMessage, Message: m}.Validate(fault.Scope{Clients: 1, Servers: 3})
		if err == nil || !strings.Contains(said(err), want) {
			t.Errorf("%+v: %v, want %q", m, err, want)
		}
	}
}
