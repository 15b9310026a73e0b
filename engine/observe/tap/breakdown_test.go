package tap

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// asks sends a request and its answer after some milliseconds.
func (p *play) asks(name string, ms int, r wire.Request, a wire.Response) {
	p.xid++
	r.Xid, a.Xid, a.Op = p.xid, p.xid, r.Op
	p.passes(name, up, &r)
	p.at = p.at.Add(time.Duration(ms) * time.Millisecond)
	p.passes(name, down, &a)
}

// brief writes a tally in one line.
func brief(t Tally) string {
	var codes []string
	for _, c := range t.Codes {
		codes = append(codes, fmt.Sprintf("%d %v", c.N, c.Code))
	}
	return fmt.Sprintf("%d reads, %d writes, %d failed %q, %d set, %d told, %v", t.Reads(), t.Writes, t.Errors, codes,
		t.WatchesSet, t.Wakeups, t.Latency)
}

// TestBreakdown lets three clients queue, of which two watch the same znode, and the holder leave. Another minute
// makes what is recent old.
func TestBreakdown(t *testing.T) {
	p := newPlay(t)
	p.comes("one", 0, 1, 11)
	p.comes("two", 1, 2, 12)
	p.comes("three", 0, 3, 13)
	for _, who := range []string{"two", "three"} {
		p.asks(who, 4, wire.Request{Op: wire.OpExists, Path: "/q/n-0000000011", Watch: true}, wire.Response{Zxid: 13})
	}
	p.asks("two", 1, wire.Request{Op: wire.OpCreate, Path: "/q/gone/n-", Flags: int32(zoo.EphemeralSequential)},
		wire.Response{Zxid: 14, Code: zoo.ErrNoNode})
	p.asks("one", 8, wire.Request{Op: wire.OpDelete, Path: "/q/n-0000000011"}, wire.Response{Zxid: 15})
	for _, who := range []string{"two", "three"} {
		p.passes(who, down, &wire.Notification{Type: int32(zoo.NodeDeleted), Path: "/q/n-0000000011", Zxid: -1})
	}
	p.until(1)
	p.asks("three", 2, wire.Request{Op: wire.OpGetChildren, Path: "/q"}, wire.Response{Zxid: 15})
	b := p.breakdown()
	p.until(120)
	later := p.breakdown()
	var lines []string
	for _, r := range b.Paths {
		lines = append(lines, fmt.Sprintf("%s %v: %s; woken %d, at most %d", r.Path, r.Sequences, brief(r.All), r.Woken,
			r.MostWoken))
	}
	for _, r := range b.Clients {
		lines = append(lines, fmt.Sprintf("%#x %s at %s %v: %s; told %s %s, asked %v", r.Session, r.Client, r.Server, r.Open,
			brief(r.All), r.Told.Type, r.Told.Path, r.Told.Asked.After(r.Told.At)))
	}
	for _, h := range b.Herds {
		lines = append(lines, fmt.Sprintf("%v %s by %#x wakes %d", h.Change, h.Path, h.Session, h.Wakeups))
	}
	lines = append(lines, fmt.Sprint(b.Open, " are connected"))
	const want = `/q true: 3 reads, 4 writes, 0 failed [], 2 set, 2 told, {2.048ms 8ms 8ms}; woken 2, at most 2
/q/gone true: 0 reads, 1 writes, 1 failed ["1 no node"], 0 set, 0 told, {1ms 1ms 1ms}; woken 0, at most 0
0x2 two at b:1 true: 1 reads, 2 writes, 1 failed ["1 no node"], 1 set, 1 told, {1.024ms 4ms 4ms}; told NodeDeleted /q/n-0000000011, asked false
0x3 three at a:1 true: 2 reads, 1 writes, 0 failed [], 1 set, 1 told, {2.048ms 4ms 4ms}; told NodeDeleted /q/n-0000000011, asked true
0x1 one at a:1 true: 0 reads, 2 writes, 0 failed [], 0 set, 0 told, {1µs 8ms 8ms}; told  , asked false
znode.deleted /q/n-0000000011 by 0x1 wakes 2
[1 2 3] are connected`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("it says\n%s\nnot\n%s", got, want)
	}
	if got := brief(b.Total.Recent); got != brief(b.Total.All) || b.Span > 2*time.Second {
		t.Errorf("recent in %v: %s", b.Span, got)
	}
	if later.Total.Recent.Requests != 0 || later.Total.All.Requests != 8 || later.Span < turnEvery ||
		later.Span > 2*turnEvery {
		t.Errorf("later in %v: %+v", later.Span, later.Total)
	}
}

// TestGroup counts sequential znodes, and what is below them, for the znode above.
func TestGroup(t *testing.T) {
	for path, want := range map[string]string{
		"": "", "/": "/", "/a": "/a", "/a/b": "/a/b", "/a/x-0000000001": "/a", "/0000000001": "/",
		"/a/x-0000000001/b/y-0000000002": "/a", "/a/x-00000000012": "/a/x-00000000012", "/a//b/": "/a//b/",
		"/a/_c_0b-lock--2147483648": "/a", "no slash": "no slash",
	} {
		if got := Group(path); got != want {
			t.Errorf("%q counts for %q, not %q", path, got, want)
		}
	}
}

// TestRowsAreBounded lets many paths come, some of them busy and some hostile. No more than MaxRows have rows, of
// bounded length. All rows together have every request, and whatever is busy has a row, even if it comes late.
func TestRowsAreBounded(t *testing.T) {
	for seed := range uint64(3) {
		p := newPlay(t)
		p.connects("one", 0, 0, 1)
		random := rand.New(rand.NewPCG(seed, 7))
		sent := 0
		ask := func(path string) {
			sent++
			p.asks("one", random.IntN(2), wire.Request{Op: wire.OpGetData, Path: path},
				wire.Response{Zxid: 5, Code: zoo.Code(-random.IntN(150))})
		}
		for i := range 6000 {
			ask(fmt.Sprintf("/once/%d", random.IntN(100_000)))
			ask(fmt.Sprintf("/busy/%d", i%20))
			if i > 5000 {
				ask("/late")
			}
			if i%100 == 0 {
				ask("/" + strings.Repeat("\xff\x1b€", random.IntN(10_000)))
			}
			if i%2000 == 0 {
				p.until(p.at.Sub(time.UnixMilli(0)).Seconds() + 700)
				p.pings("one")
			}
		}
		b := p.breakdown()
		sum, failed, busy := b.OtherPaths.All.Requests, b.OtherPaths.All.Errors, 0
		for _, r := range b.Paths {
			sum += r.All.Requests
			failed += r.All.Errors
			if r.Path == "/late" || strings.HasPrefix(r.Path, "/busy/") {
				busy++
			}
			if strings.HasPrefix(r.Path, "/busy/") && r.All.Requests != 300 {
				t.Errorf("seed %d: %s has %d requests of 300", seed, r.Path, r.All.Requests)
			}
			if len(r.Path) > MaxKey+3 || len(r.All.Codes) > MaxCodes {
				t.Errorf("%d bytes, %d codes", len(r.Path), len(r.All.Codes))
			}
		}
		if len(b.Paths) > MaxRows || sum != sent || failed != b.Total.All.Errors || busy != 21 {
			t.Errorf("seed %d: %d rows of %d requests, %d failed of %d, %d busy; %d were sent", seed, len(b.Paths), sum,
				failed, b.Total.All.Errors, busy, sent)
		}
	}
}
