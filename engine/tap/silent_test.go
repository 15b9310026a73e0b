package tap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// play is what passes through a tap with a clock of its own, and who has what's at /q by its log.
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

// until has time pass, and the tap look at what it knows as it goes.
func (p *play) until(seconds float64) {
	for end := time.UnixMilli(int64(seconds * 1000)); p.at.Before(end); {
		p.at = p.at.Add(lookEvery)
		p.look(p.at)
		p.follow()
	}
}

// follow writes down who has got it and lost it since.
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

func (p *play) passes(name string, w way, r wire.Record) {
	p.take(&piece{pipe: p.pipes[name], what: passed, way: w, at: p.at, bytes: framesOf(r)})
}

func (p *play) happens(name string, what what) {
	p.take(&piece{pipe: p.pipes[name], what: what, at: p.at, by: true})
}

// connects has a client connect to a server and get a session; 0 refuses it.
func (p *play) connects(name string, server int, session, got int64) {
	p.pipes[name] = &pipe{from: name, server: server}
	p.happens(name, opened)
	p.passes(name, up, &wire.ConnectRequest{Session: session})
	p.passes(name, down, &wire.ConnectResponse{Session: got, TimeoutMS: 4000})
}

// comes has a client connect with a session and stand in line, with a transaction.
func (p *play) comes(name string, server int, session, zxid int64) {
	p.connects(name, server, 0, session)
	p.xid++
	p.passes(name, up, &wire.Request{Xid: p.xid, Op: wire.OpCreate, Path: "/q/n-", Flags: int32(zoo.EphemeralSequential)})
	p.passes(name, down, &wire.Response{Xid: p.xid, Op: wire.OpCreate, Zxid: zxid,
		Path: fmt.Sprintf("/q/n-%010d", zxid)})
}

// alive is until, with two clients that ping all the time.
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

// TestSilentTogether has two clients of a program fall silent, of which one waits for the other. Servers end both
// sessions: the one that waits has never got it, whenever the tap hears of which.
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

// TestOverdue has the next in line be silent for all of its timeout when the one ahead lets go: it hasn't got in for
// certain, until a server answers it. One that is in stays there until it must be over.
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

// TestOverdueBefore has one observe only once all that has happened: it isn't told that anybody is in.
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

// TestSilentOneByOne has clients fall silent one after the other.
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

// TestStopsServing has a server end the connection of a client that it has heard of lately: its session goes on.
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

// TestLeftOut has a connection end of which something was left out: whether its client was silent isn't known.
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

// TestLagging has a server show a znode to be there that another has deleted: it doesn't come back.
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

// TestAnsweredLate has a session end while what a server has answered it is still to be looked at: what it has made has
// gone with it.
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
