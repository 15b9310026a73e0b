package tap

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

func framesOf(records ...wire.Record) (b []byte) {
	for _, r := range records {
		b = wire.AppendFrame(b, r)
	}
	return b
}

// FuzzListener lets two clients and their servers send anything, in pieces, some of which are lost. Causes must
// precede their effects, and at the end nothing is kept, not even a wrong count.
func FuzzListener(f *testing.F) {
	hello, welcome := &wire.ConnectRequest{Password: make([]byte, 16)}, &wire.ConnectResponse{Session: 9, TimeoutMS: 4000}
	f.Add(framesOf(hello,
		&wire.Request{Xid: 1, Op: wire.OpCreate, Path: "/a/b", Flags: 1, ACL: zoo.OpenACL()},
		&wire.Request{Xid: 2, Op: wire.OpMulti, Ops: []wire.Request{
			{Op: wire.OpDelete, Path: "/a"}, {Op: wire.OpCreate, Path: "/b"}}},
		&wire.Request{Xid: 3, Op: wire.OpGetData, Path: "/a", Watch: true},
		&wire.Request{Xid: 4, Op: wire.OpAddWatch, Path: "/", Mode: wire.WatchPersistentRecursive},
		&wire.Request{Xid: wire.XidPing, Op: wire.OpPing},
		&wire.Request{Xid: 5, Op: wire.OpCloseSession},
	), framesOf(welcome,
		&wire.Response{Xid: 1, Op: wire.OpCreate, Zxid: 1, Path: "/a/b"},
		&wire.Notification{Type: int32(zoo.NodeDeleted), State: wire.StateSyncConnected, Path: "/a"},
		&wire.Response{Xid: 2, Op: wire.OpMulti, Zxid: 2, Results: []wire.Result{
			{Op: wire.OpDelete}, {Op: wire.OpCreate}, {Op: wire.OpCreate}}},
		&wire.Response{Xid: 3, Op: wire.OpGetData, Zxid: 2},
		&wire.Response{Xid: 4, Op: wire.OpAddWatch, Zxid: 2},
		&wire.Notification{Type: int32(zoo.NodeCreated), State: wire.StateSyncConnected, Path: "/a/c"},
		&wire.Response{Xid: wire.XidPing, Op: wire.OpPing},
		&wire.Response{Xid: 5, Op: wire.OpCloseSession, Zxid: 3}), uint16(7), uint8(200))
	f.Add(framesOf(hello, &wire.Request{Xid: 1, Op: wire.OpSetWatches2, DataWatches: []string{"/a"},
		RecursiveWatches: []string{"/"}}), framesOf(&wire.ConnectResponse{}), uint16(1), uint8(3))
	f.Add([]byte("ruok"), []byte("imok"), uint16(4), uint8(0))
	f.Add(bytes.Repeat([]byte{0, 0, 0, 0}, 9), bytes.Repeat([]byte{0xff}, 9), uint16(3), uint8(1))
	f.Fuzz(func(t *testing.T, ups, downs []byte, size uint16, missing uint8) {
		began := time.Unix(0, 0)
		l := newListener([]string{"a:1", "b:1"}, began, nil)
		at, n := began, 0
		var pipes []*pipe
		open := func(server int) *pipe {
			p := &pipe{from: "client:1", server: server}
			l.take(&piece{pipe: p, kind: opened, at: at})
			pipes = append(pipes, p)
			return p
		}
		feed := func(p *pipe, w direction, from *[]byte) {
			b := (*from)[:min(int(size)%100+1, len(*from))]
			*from = (*from)[len(b):]
			piece := &piece{pipe: p, kind: passed, direction: w, at: at, bytes: slices.Clone(b)}
			if n++; missing > 0 && n%int(missing) == 0 {
				piece.missed = 5
			}
			l.take(piece)
		}
		for server := range 2 {
			p := open(server)
			up1, down1 := ups, downs
			for len(up1)+len(down1) > 0 {
				at = at.Add(time.Millisecond * time.Duration(size%50))
				feed(p, up, &up1)
				feed(p, down, &down1)
				l.look(at)
			}
		}
		for i, p := range pipes {
			l.take(&piece{pipe: p, kind: ended, at: at, by: i == 0})
		}
		for range 4 {
			at = at.Add(time.Hour * 1000)
			l.look(at)
		}
		f := l.counts.figures()
		if l.kept != 0 || len(l.decoders) != 0 || len(l.sessions) != 0 || f.Open != 0 {
			t.Errorf("%d bytes, %d connections and %d sessions are kept; figures %+v", l.kept, len(l.decoders),
				len(l.sessions), f)
		}
	})
}

// TestKeptIsBounded lets many clients send frames that never end. Their connections are given up before they take
// more than allowed.
func TestKeptIsBounded(t *testing.T) {
	l := newListener([]string{"a:1"}, time.Unix(0, 0), nil)
	for i := range 100 {
		p := &pipe{from: "client:1"}
		l.take(&piece{pipe: p, kind: opened})
		l.take(&piece{pipe: p, kind: passed, bytes: framesOf(&wire.ConnectRequest{})})
		l.take(&piece{pipe: p, kind: passed, direction: down, bytes: framesOf(&wire.ConnectResponse{Session: int64(i + 1),
			TimeoutMS: 4000})})
		l.take(&piece{pipe: p, kind: passed, bytes: append([]byte{0, 0x0f, 0xff, 0xff}, make([]byte, MaxFrame-100)...)})
		if l.kept > MaxKept+MaxFrame {
			t.Fatalf("%d bytes are kept", l.kept)
		}
	}
	if l.counts.Unseen < 60 {
		t.Errorf("%d connections are out of sight", l.counts.Unseen)
	}
}

// TestFramesAreCounted checks that frame boundaries are found however the stream is cut.
func TestFramesAreCounted(t *testing.T) {
	var b []byte
	begins := map[int]bool{}
	for n := range 40 {
		begins[len(b)] = true
		b = append(b, 0, 0, 0, byte(n))
		b = append(b, make([]byte, n)...)
	}
	for size := 1; size < 100; size++ {
		var f frames
		for at := 0; at < len(b); at += size {
			part := b[at:min(at+size, len(b))]
			want := -1
			for i := range part {
				if begins[at+i] {
					want = i
					break
				}
			}
			if got := f.pass(part); got != want {
				t.Fatalf("in pieces of %d, a frame begins at %d of that at %d, not at %d", size, want, at, got)
			}
		}
	}
	var f frames
	if f.pass([]byte{0xff, 0, 0, 0, 1, 2}); !f.lost || f.pass(b) != -1 {
		t.Error("after a length below 0 it goes on")
	}
}

// TestTimes checks that percentiles are at most a sixteenth too high.
func TestTimes(t *testing.T) {
	var x times
	for us := range 10_000 {
		x.add(time.Duration(us+1) * time.Microsecond)
	}
	got := x.latency()
	for _, is := range []struct{ got, want time.Duration }{
		{got.P50, 5 * time.Millisecond}, {got.P99, 9900 * time.Microsecond}, {got.Max, 10 * time.Millisecond},
	} {
		if is.got < is.want || is.got > is.want*17/16+time.Microsecond {
			t.Errorf("%v, not %v", is.got, is.want)
		}
	}
	x.add(-time.Second)
	x.add(1 << 62)
}

// TestNumbersComeAgain lets more sessions come than there are numbers, while one stays. It keeps its number, and a
// log ends before a number is reused.
func TestNumbersComeAgain(t *testing.T) {
	s := &Tap{listener: newListener([]string{"a:1"}, time.Unix(0, 0), nil)}
	s.visitors.Most = 5
	at := time.Unix(0, 0)
	passes := func(p *pipe, w direction, r wire.Record) {
		s.take(&piece{pipe: p, kind: passed, direction: w, at: at, bytes: framesOf(r)})
	}
	come := func(id int64) *pipe {
		p := &pipe{from: "client:1"}
		s.take(&piece{pipe: p, kind: opened, at: at})
		passes(p, up, &wire.ConnectRequest{})
		passes(p, down, &wire.ConnectResponse{Session: id, TimeoutMS: 4000})
		return p
	}
	come(1)
	logs, o, who := 0, (*observation)(nil), map[event.Actor]int64{}
	for id := int64(2); id < 30; id++ {
		if o == nil || o.Full() {
			var err error
			if o, err = s.beginObservation("/", 0); err != nil {
				t.Fatal(err)
			}
			logs++
			clear(who)
		}
		p := come(id)
		passes(p, up, &wire.Request{Xid: 1, Op: wire.OpCloseSession})
		passes(p, down, &wire.Response{Xid: 1, Op: wire.OpCloseSession, Zxid: id})
		s.take(&piece{pipe: p, kind: ended, at: at, by: true})
		at = at.Add(time.Minute)
		s.look(at)
		for _, e := range o.Events() {
			if e.Kind != event.SessionCreated {
				continue
			}
			if had := who[e.Peer]; had != 0 {
				t.Errorf("%v has the session %d, and had %d", e.Peer, e.Session, had)
			}
			who[e.Peer] = e.Session
		}
		if len(s.sessions) != 1 {
			t.Fatalf("%d sessions are known", len(s.sessions))
		}
	}
	if logs < 5 {
		t.Errorf("%d logs", logs)
	}
}
