package embed_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestExpiry kills connections. The ephemeral znodes stay for the session's timeout, and then go.
func TestExpiry(t *testing.T) {
	const tick, timeout = time.Second, 2 * time.Second
	s := listen(t, embed.Config{Tick: tick})
	watcher := dial(t, s)
	var mortal *peer.Peer
	var last time.Time                                   // before the client's last request
	until(t, "a znode of a short session", func() bool { // the session may expire before, if the machine stalls
		var err error
		if mortal,
			err = peer.Dial(s.Addr().String(), wire.ConnectRequest{TimeoutMS: int32(timeout / time.Millisecond)}); err != nil {
			return false
		}
		defer mortal.Abort()
		last = time.Now()
		made, _, err := mortal.Do(create("/e", zoo.Ephemeral))
		return err == nil && made.Code == zoo.OK
	})
	until(t, "the znode goes", func() bool {
		return do(t, watcher, wire.Request{Op: wire.OpExists, Path: "/e"}).Code == zoo.ErrNoNode
	})
	if lasted := time.Since(last); lasted < timeout {
		t.Errorf("it lasted %v, and the session's timeout is %v", lasted, timeout)
	}
	again, err := peer.Dial(s.Addr().String(), wire.ConnectRequest{
		TimeoutMS: 2000, Session: mortal.Welcome.Session, Password: mortal.Welcome.Password})
	if err != nil || again.Welcome.Session != 0 {
		t.Errorf("the session was given back: %+v, %v", again, err)
	}
}

// TestSilentConnectionIsClosed leaves a connection silent. It closes when its session expires.
func TestSilentConnectionIsClosed(t *testing.T) {
	s := listen(t, embed.Config{Tick: 20 * time.Millisecond})
	var p *peer.Peer
	until(t, "a session that is welcomed before it ends", func() (ok bool) {
		var err error
		p, err = peer.Dial(s.Addr().String(), wire.ConnectRequest{TimeoutMS: 40})
		return err == nil
	})
	defer p.Abort()
	if m, err := p.Recv(); err == nil {
		t.Errorf("something came: %+v", m)
	}
}

// TestTimer checks that containers and znodes with a TTL go when they are due.
func TestTimer(t *testing.T) {
	s := listen(t, embed.Config{ContainerCheck: 20 * time.Millisecond})
	p := dial(t, s)
	container := create("/c", zoo.Container)
	container.Op = wire.OpCreateContainer
	ttl := create("/t", zoo.PersistentTTL)
	ttl.Op, ttl.TTL = wire.OpCreateTTL, 1
	for _, r := range []wire.Request{container, ttl, create("/c/kid", zoo.Persistent),
		{Op: wire.OpDelete, Path: "/c/kid", Version: -1}} {
		if got := do(t, p, r); got.Code != zoo.OK {
			t.Fatal(r.Op, r.Path, got.Code)
		}
	}
	for _, path := range []string{"/c", "/t"} {
		until(t, path+" goes", func() bool {
			return do(t, p, wire.Request{Op: wire.OpExists, Path: path}).Code == zoo.ErrNoNode
		})
	}
	plain := listen(t, embed.Config{NoExtendedTypes: true})
	if got := do(t, dial(t, plain), ttl); got.Code != zoo.ErrUnimplemented {
		t.Errorf("without extended types a TTL is answered with %v", got.Code)
	}
}

// TestSessionMoves resumes a session on a second connection, which closes the first.
func TestSessionMoves(t *testing.T) {
	s := listen(t, embed.Config{})
	old := dial(t, s)
	do(t, old, create("/e", zoo.Ephemeral))
	fresh, err := peer.Dial(s.Addr().String(), wire.ConnectRequest{
		TimeoutMS: 30_000, Session: old.Welcome.Session, Password: old.Welcome.Password})
	if err != nil || fresh.Welcome.Session != old.Welcome.Session {
		t.Fatal(fresh, err)
	}
	defer fresh.Abort()
	if m, err := old.Recv(); err == nil {
		t.Errorf("something came on the old connection: %+v", m)
	}
	if got := do(t, fresh, wire.Request{Op: wire.OpExists, Path: "/e"}); got.Stat.EphemeralOwner != old.Welcome.Session {
		t.Error(got.Code, got.Stat.EphemeralOwner)
	}
}
