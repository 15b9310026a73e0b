package tap

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestGreeting checks that the server's answer decides what a client got, whatever it requested.
func TestGreeting(t *testing.T) {
	type answer struct {
		asked, got int64
		timeoutMS  int32
	}
	const timeout = 10 * time.Second
	first := answer{0, 0x11, 10_000}
	for _, c := range []struct {
		name       string
		first      bool // the client had session 0x11 before
		then       answer
		what       Kind
		session    int64
		fresh      bool
		wanted     int64
		sessions   int
		reconnects int
	}{
		{"none, got one", false, first, Connected, 0x11, true, 0, 1, 0},
		{"its own, got it", true, answer{0x11, 0x11, 10_000}, Connected, 0x11, false, 0, 1, 1},
		{"its own from before the tap, got it", false, answer{0x11, 0x11, 10_000}, Connected, 0x11, false, 0, 1, 0},
		{"its own, got another", true, answer{0x11, 0x12, 10_000}, Connected, 0x12, true, 0x11, 2, 0},
		{"its own, got none", true, answer{0x11, 0, 0}, Refused, 0x11, false, 0, 1, 0},
		{"its own, got it without any time", true, answer{0x11, 0x11, 0}, Refused, 0x11, false, 0, 1, 0},
		{"its own, got another without any time", true, answer{0x11, 0x12, -1}, Refused, 0x11, false, 0, 1, 0},
		{"none, got none", false, answer{0, 0, 0}, Refused, 0, false, 0, 0, 0},
	} {
		var told []Record
		l := newListener([]string{"a:1"}, time.Unix(0, 0), func(r Record) { told = append(told, r) })
		greet := func(a answer) {
			p := &pipe{from: "client:1"}
			l.take(&piece{pipe: p, kind: opened})
			l.take(&piece{pipe: p, kind: passed, bytes: framesOf(&wire.ConnectRequest{Session: a.asked})})
			l.take(&piece{pipe: p, kind: passed, direction: down, bytes: framesOf(&wire.ConnectResponse{Session: a.got,
				TimeoutMS: a.timeoutMS})})
			l.take(&piece{pipe: p, kind: ended})
		}
		if c.first {
			greet(first)
			told = nil
		}
		greet(c.then)
		r := told[0]
		if r.Kind != c.what || r.Session != c.session || r.New != c.fresh || r.Wanted != c.wanted ||
			c.what == Connected && r.Timeout != timeout {
			t.Errorf("a client that asked for %s: told %+v", c.name, r)
		}
		if n := l.counts; n.Sessions != c.sessions || n.Reconnected != c.reconnects {
			t.Errorf("a client that asked for %s: %d sessions, %d back", c.name, n.Sessions, n.Reconnected)
		}
		if at := l.known.AsOf(); at != 0 {
			t.Errorf("a client that asked for %s: a greeting has no zxid, and is taken for one of %#x", c.name, at)
		}
		ended := c.what == Refused && c.first
		if got := l.counts.Expired == 1; got != ended {
			t.Errorf("a client that asked for %s: %d have expired", c.name, l.counts.Expired)
		}
	}
}
