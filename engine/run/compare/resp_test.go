package compare_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run/compare"
)

// TestBytesOfCommands adds up by hand what is written on the connections to a Redis.
func TestBytesOfCommands(t *testing.T) {
	sent := func(text string) event.Event {
		return event.Event{Kind: event.OpSent, Actor: 1, Peer: event.Node(1), Op: event.Command, Text: text}
	}
	done := func(text string, code int32) event.Event {
		return event.Event{Kind: event.OpDone, Actor: 1, Peer: event.Node(1), Op: event.Command, Text: text, Code: code}
	}
	push := event.Event{Kind: event.PushDelivered, Actor: 1, Peer: event.Node(1), Path: "k", Text: "left"}
	for name, c := range map[string]struct {
		log  []event.Event
		want int
	}{
		"a command":     {[]event.Event{sent("GET k")}, len("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n")},
		"its answer":    {[]event.Event{sent("GET k"), done("17", 0)}, 20 + len("$2\r\n17\r\n")},
		"nothing there": {[]event.Event{sent("GET k"), done("(nil)", 0)}, 20 + len("$-1\r\n")},
		"an error":      {[]event.Event{sent("GET k"), done("ERR no", 1)}, 20 + len("-ERR no\r\n")},
		"no answer":     {[]event.Event{sent("GET k"), done("", int32(program.ErrLost))}, 20},
		"a message":     {[]event.Event{push}, len("*3\r\n$7\r\nmessage\r\n$1\r\nk\r\n$4\r\nleft\r\n")},
		"a connection":  {[]event.Event{{Kind: event.MsgSent, Actor: 1, Op: event.Connect}}, 0},
	} {
		h := event.Header{Systems: []event.System{{Kind: event.RedisSystem, Servers: 1}}}
		m := compare.NewMeter(h)
		other := compare.NewMeter(event.Header{Systems: []event.System{{Kind: event.EtcdSystem, Servers: 1}}})
		for _, e := range c.log {
			m.Append(e)
			other.Append(e)
		}
		if got := m.Row().Bytes; got != int64(c.want) {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
		if got := other.Row().Bytes; got != 0 {
			t.Errorf("%s: %d bytes at a system whose encoding is not known", name, got)
		}
	}
}
