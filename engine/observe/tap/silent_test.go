package tap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// play is traffic through a tap with its own clock, and the handovers at /q according to its log.
type play struct {
	*Tap
	o     *observation
	log   *handover.Log
	at    time.Time
	pipes map[string]*pipe
	xid   int32
	lines []string
}

func newPlay(t *testing.T) *play {
	t.Helper()
	began := time.UnixMilli(0)
	p := &play{Tap: &Tap{listener: newListener([]string{"a:1", "b:1"}, began, nil)}, log: handover.NewLog("/q"),
		at: began, pipes: map[string]*pipe{}}
	var err error
	if p.o, err = p.beginObservation("/", 0); err != nil {
		t.Fatal(err)
	}
	return p
}

// until lets time pass, with the tap's regular checks.
func (p *play) until(seconds float64) {
	for end := time.UnixMilli(int64(seconds * 1000)); p.at.Before(end); {
		p.at = p.at.Add(lookEvery)
		p.look(p.at)
		p.follow()
	}
}

// follow records who has got it and lost it since.
func (p *play) follow() {
	for _, e := range p.o.Events() {
		p.log.Append(e)
	}
	for _, c := range p.log.Changes() {
		what := "lost it"
		if c.Got {
			what = "got it"
		}
		p.lines = append(p.lines, fmt.Sprintf("%v %x %s", p.at.Sub(time.UnixMilli(0)), c.Hand.Session, what))
	}
}

func (p *play) passes(name string, w direction, r wire.Record) {
	p.take(&piece{pipe: p.pipes[name], kind: passed, direction: w, at: p.at, bytes: framesOf(r)})
}

func (p *play) happens(name string, what pieceKind) {
	p.take(&piece{pipe: p.pipes[name], kind: what, at: p.at, by: true})
}

// connects connects a client to a server and gives it a session; 0 refuses one.
func (p *play) connects(name string, server int, session, got int64) {
	p.pipes[name] = &pipe{from: name, server: server}
	p.happens(name, opened)
	p.passes(name, up, &wire.ConnectRequest{Session: session})
	p.passes(name, down, &wire.ConnectResponse{Session: got, TimeoutMS: 4000})
}

// comes connects a client with a session and puts it into the queue, with a transaction.
func (p *play) comes(name string, server int, session, zxid int64) {
	p.connects(name, server, 0, session)
	p.xid++
	p.passes(name, up, &wire.Request{Xid: p.xid, Op: wire.OpCreate, Path: "/q/n-", Flags: int32(zoo.EphemeralSequential)})
	p.passes(name, down, &wire.Response{Xid: p.xid, Op: wire.OpCreate, Zxid: zxid,
		Path: fmt.Sprintf("/q/n-%010d", zxid)})
}

// alive does what until does, with two clients that ping all the time.
func (p *play) alive(seconds float64) {
	for at := p.at.Sub(time.UnixMilli(0)).Seconds(); at < seconds; at = min(at+1, seconds) {
		p.pings("one")
		p.pings("three")
		p.until(min(at+1, seconds))
	}
}

func (p *play) pings(name string) {
	p.passes(name, up, &wire.Request{Xid: wire.XidPing, Op: wire.OpPing})
	p.passes(name, down, &wire.Response{Xid: wire.XidPing, Op: wire.OpPing})
}

// TestSilentTogether lets two clients of a program fall silent, of which one waits for the other. Servers expire
// both sessions. The waiter never got the lock, whichever expiry the tap learns first.
func TestSilentTogether(t *testing.T) {
	for name, test := range map[string]struct {
		happens func(*play)
		want    string
	}{
		"nobody tells of them": {func(p *play) {
			p.happens("one", ended)
			p.happens("two", ended)
		}, "0s 1 got it|8.05s 1 lost it"},
		"one is refused": {func(p *play) {
			p.until(6.1)
			p.happens("one", hungUp)
			p.until(6.3)
			p.happens("two", hungUp)
			p.happens("one", ended)
			p.connects("one", 1, 1, 0)
		}, "0s 1 got it|6.35s 1 lost it"},
		"servers hang up": {func(p *play) {
			p.until(5.1)
			p.happens("one", hungUp)
			p.until(6.3)
			p.happens("two", hungUp)
		}, "0s 1 got it|6.05s 1 lost it"},
		"the other comes back": {func(p *play) {
			p.until(5.1)
			p.happens("one", hungUp)
			p.until(5.4)
			p.pings("two")
			p.until(6)
			p.happens("one", ended)
			p.until(9)
			p.pings("two")
			p.until(11)
		}, "0s 1 got it|6.05s 1 lost it|6.05s 2 got it"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			p.comes("one", 0, 1, 11)
			p.comes("two", 1, 2, 12)
			p.follow()
			p.until(1.5)
			p.pings("two")
			test.happens(p)
			p.until(12)
			if got := strings.Join(p.lines, "|"); got != test.want {
				t.Errorf("it says %q, not %q", got, test.want)
			}
		})
	}
}

// TestOverdue lets the successor be silent for its whole timeout when its predecessor releases the lock. It counts
// as the holder only once a server answers it. A silent holder stays one until it must be over.
func TestOverdue(t *testing.T) {
	leaves := func(p *play) {
		p.passes("one", up, &wire.Request{Xid: 99, Op: wire.OpDelete, Path: "/q/n-0000000011"})
		p.passes("one", down, &wire.Response{Xid: 99, Op: wire.OpDelete, Zxid: 14})
	}
	for name, test := range map[string]struct {
		happens func(*play)
		want    string
	}{
		"it must be over": {func(p *play) {
			p.happens("two", ended)
			p.alive(5)
			leaves(p)
			p.alive(9)
		}, "0s 1 got it|5.05s 1 lost it|8.05s 3 got it"},
		"it is served once more": {func(p *play) {
			p.happens("two", ended)
			p.alive(5)
			leaves(p)
			p.alive(6)
			p.connects("two", 0, 2, 2)
			p.follow()
		}, "0s 1 got it|5.05s 1 lost it|6s 2 got it"},
		"it only asks": {func(p *play) {
			p.alive(5)
			leaves(p)
			p.passes("two", up, &wire.Request{Xid: wire.XidPing, Op: wire.OpPing})
			p.alive(6)
			p.follow()
		}, "0s 1 got it|5.05s 1 lost it"},
		"it was answered before": {func(p *play) {
			p.alive(4.9)
			p.pings("two")
			leaves(p)
			p.alive(6)
		}, "0s 1 got it|4.95s 1 lost it|4.95s 2 got it"},
		"it is in": {func(p *play) {
			p.happens("two", ended)
			leaves(p)
			p.alive(7)
		}, "0s 1 got it|50ms 1 lost it|50ms 2 got it"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			p.comes("one", 0, 1, 11)
			p.comes("two", 0, 2, 12)
			p.comes("three", 1, 3, 13)
			p.follow()
			test.happens(p)
			if got := strings.Join(p.lines, "|"); got != test.want {
				t.Errorf("it says %q, not %q", got, test.want)
			}
		})
	}
}

// TestOverdueBefore begins an observation after all that. Its log must not claim a holder.
func TestOverdueBefore(t *testing.T) {
	p := newPlay(t)
	p.comes("two", 0, 2, 12)
	p.happens("two", ended)
	p.until(5)
	p.quit(p.o)
	var err error
	if p.o, err = p.beginObservation("/", 0); err != nil {
		t.Fatal(err)
	}
	p.lines, p.log = nil, handover.NewLog("/q")
	p.follow()
	if len(p.lines) != 0 {
		t.Errorf("it says %q", p.lines)
	}
}

// TestSilentOneByOne lets clients fall silent one after another.
func TestSilentOneByOne(t *testing.T) {
	p := newPlay(t)
	for i := range 20 {
		p.comes(fmt.Sprint(i), 0, int64(i+1), int64(i+1))
		p.happens(fmt.Sprint(i), ended)
		p.until(float64(2 * (i + 1)))
	}
	if want := "8.05s 1 lost it"; !slices.Contains(p.lines, want) {
		t.Errorf("it says %q, without %q", p.lines, want)
	}
}

// TestStopsServing lets a server close the connection of a client that was recently active. Its session continues.
func TestStopsServing(t *testing.T) {
	p := newPlay(t)
	p.comes("one", 0, 1, 11)
	p.until(3)
	p.happens("one", hungUp)
	p.happens("one", ended)
	p.until(7)
	if len(p.lines) != 1 {
		t.Errorf("it says %q", p.lines)
	}
}

// TestLeftOut ends a connection with a gap. Whether its client was silent is unknown.
func TestLeftOut(t *testing.T) {
	p := newPlay(t)
	p.comes("one", 0, 1, 11)
	p.pipes["one"].gaps.Store(true)
	p.until(5)
	p.happens("one", hungUp)
	p.until(7)
	if len(p.lines) != 1 {
		t.Errorf("it says %q", p.lines)
	}
}

// TestLagging lets a lagging server show a znode that was deleted on another. It must not come back.
func TestLagging(t *testing.T) {
	p := newPlay(t)
	p.comes("one", 0, 1, 11)
	p.comes("two", 1, 2, 12)
	p.follow()
	p.passes("two", up, &wire.Request{Xid: 9, Op: wire.OpGetData, Path: "/q/n-0000000011", Watch: true})
	p.passes("one", up, &wire.Request{Xid: 8, Op: wire.OpDelete, Path: "/q/n-0000000011"})
	p.passes("one", down, &wire.Response{Xid: 8, Op: wire.OpDelete, Zxid: 13})
	p.until(0.2)
	p.passes("two", down, &wire.Response{Xid: 9, Op: wire.OpGetData, Zxid: 12})
	p.until(1)
	if len(p.lines) != 3 || !strings.HasSuffix(p.lines[2], "2 got it") || p.known.Has("/q/n-0000000011") {
		t.Errorf("it says %q", p.lines)
	}
}

// TestAnsweredLate ends a session while a server's answer to it is not decoded yet. The znode that it created is
// gone too.
func TestAnsweredLate(t *testing.T) {
	p := newPlay(t)
	p.connects("one", 0, 0, 1)
	p.passes("one", up, &wire.Request{Xid: 1, Op: wire.OpCreate, Path: "/q/n-", Flags: int32(zoo.EphemeralSequential)})
	p.connects("again", 1, 1, 0)
	p.passes("one", down, &wire.Response{Xid: 1, Op: wire.OpCreate, Zxid: 5, Path: "/q/n-0000000005"})
	p.until(1)
	if len(p.lines) > 0 || p.known.Has("/q/n-0000000005") {
		t.Errorf("it says %q, and has the znode: %t", p.lines, p.known.Has("/q/n-0000000005"))
	}
}
