package tap_test

import (
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestGap stalls decoding while more passes than is kept. Every request is still answered, the gap is reported, and
// later traffic is decoded again.
func TestGap(t *testing.T) {
	told, listening := newRecords(), make(chan struct{})
	var stall sync.Once
	s := serve(t, tap.Config{Servers: []string{inside(t).Addr().String()}, Tell: func(r tap.Record) {
		if r.Path == "/big" {
			stall.Do(func() { <-listening })
		}
		told.take(r)
	}})
	p := dial(t, s.Place())
	do(t, p, wire.Request{Xid: 1, Op: wire.OpCreate, Path: "/big", ACL: zoo.OpenACL()})
	for xid := int32(2); xid < 30; xid++ {
		set := wire.Request{Xid: xid, Op: wire.OpSetData, Path: "/big", Version: -1, Data: make([]byte, tap.MaxFrame-1000)}
		if a := do(t, p, set); a.Code != zoo.OK {
			t.Fatalf("request %d: %v", xid, a.Code)
		}
	}
	late := dial(t, s.Place()) // connects while decoding stalls
	do(t, late, wire.Request{Xid: 1, Op: wire.OpGetData, Path: "/big"})
	close(listening)
	big := func(r tap.Record) bool { return r.Kind == tap.Gap && r.Missed > 1<<20 && r.Session != 0 }
	for xid := int32(50); !told.has(big); xid++ { // the next decoded frame reports it
		do(t, p, wire.Request{Xid: xid, Op: wire.OpExists, Path: "/big"})
	}
	do(t, p, wire.Request{Xid: 40, Op: wire.OpCreate, Path: "/after", ACL: zoo.OpenACL()})
	told.until(t, 1, func(r tap.Record) bool { return r.Path == "/after" && r.Code == zoo.OK && r.Latency > 0 })
	if f := s.Figures(); f.Gaps == 0 || f.MissedBytes < 10<<20 || f.Unseen != 1 {
		t.Errorf("figures: %+v", f)
	}
}

// TestGapInLog checks that a gap closes and reopens the connection in the log, and drops its watches, which may
// have fired meanwhile.
func TestGapInLog(t *testing.T) {
	listening := make(chan struct{})
	var stall sync.Once
	stalled := make(chan struct{})
	s := serve(t, tap.Config{Servers: []string{inside(t).Addr().String()}, Tell: func(r tap.Record) {
		if r.Op == event.Exists.String() {
			stall.Do(func() { close(stalled); <-listening })
		}
	}})
	p := dial(t, s.Place())
	do(t, p, wire.Request{Xid: 1, Op: wire.OpExists, Path: "/nothing", Watch: true})
	<-stalled
	for xid := int32(2); xid < 30; xid++ {
		set := wire.Request{Xid: xid, Op: wire.OpSetData, Path: "/big", Version: -1, Data: make([]byte, tap.MaxFrame-1000)}
		if _, _, err := p.Do(set); err != nil {
			t.Fatal(err)
		}
	}
	close(listening)
	done := make(chan struct{})
	go func() { // until the gap is over
		defer close(done)
		for xid := int32(30); ; xid++ {
			if _, _, err := p.Do(wire.Request{Xid: xid, Op: wire.OpGetData, Path: "/big"}); err != nil {
				return
			}
		}
	}()
	var closed event.Event
	all := observe(t, s, "/", func(all []event.Event) bool {
		e := all[len(all)-1]
		if e.Kind == event.ConnClosed && e.Reason == event.ConnUnseen {
			closed = e
		}
		return closed.Seq > 0 && e.Kind == event.OpDone
	})
	p.Abort()
	<-done
	removed, reopened := false, false
	for _, e := range all {
		removed = removed || e.Kind == event.WatchRemoved && e.Path == "/nothing"
		reopened = reopened || e.Kind == event.ConnOpened && e.Seq > closed.Seq && e.Actor == closed.Actor
	}
	if !removed || !reopened {
		t.Errorf("removed %t, reopened %t:\n%s", removed, reopened, text(all))
	}
}

// TestSecrets checks that a session's password and a client's credentials never reach a record or an event.
func TestSecrets(t *testing.T) {
	told := newRecords()
	s := serve(t, tap.Config{Servers: []string{inside(t).Addr().String()}, Tell: told.take})
	seen := following(t, s, "/last")
	first := dial(t, s.Place())
	do(t, first, wire.Request{Xid: wire.XidAuth, Op: wire.OpAuth, Scheme: "digest", Auth: []byte("ann:hush-hush")})
	welcome := first.Welcome
	back := wire.ConnectRequest{Session: welcome.Session, Password: welcome.Password, TimeoutMS: 9000}
	again, err := peer.Dial(s.Place(), back)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Abort)
	acl := []zoo.ACL{{Perms: 31, Scheme: "digest", ID: "ann:hush-hush"}}
	do(t, again, wire.Request{Xid: 2, Op: wire.OpCreate, Path: "/first", ACL: zoo.OpenACL()})
	do(t, again, wire.Request{Xid: 3, Op: wire.OpSetACL, Path: "/first", ACL: acl, Version: -1})
	do(t, again, wire.Request{Xid: 4, Op: wire.OpCreate, Path: "/last", ACL: zoo.OpenACL()})
	told.until(t, 1, func(r tap.Record) bool { return r.Path == "/last" })
	refuse := func(what, text string) {
		for _, secret := range []string{"hush", string(welcome.Password)} {
			if contains(text, secret) {
				t.Errorf("%s has %q: %s", what, secret, text)
			}
		}
	}
	refuse("the log", text(<-seen))
	told.mu.Lock()
	defer told.mu.Unlock()
	for _, r := range told.all {
		refuse("a record", printed(r))
	}
}
