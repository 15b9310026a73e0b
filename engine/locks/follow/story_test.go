package follow

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/access"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/locks"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/wire"
)

// TestLogOf has the log of a lock whose holder's session expires, below a chroot.
func TestLogOf(t *testing.T) {
	const now = 1_700_000_000_000
	j := joinedLocks{locks: locks.New("/")}
	s := replay.New("/")
	s.Put("/in/l/lock-0000000001", replay.Node{Owner: 7, Czxid: 3, CtimeMS: now - 9000, Text: "host-7"})
	j.Begin(s, now)
	take := func(x wire.Txn, at int64) { j.Take(&x, s.Apply(&x), at) }
	const second = "/in/l/lock-0000000002"
	take(wire.Txn{Session: 8, Cxid: 1, Zxid: 11, Op: wire.OpCreate, Path: second, Ephemeral: true}, now+1000)
	take(wire.Txn{Session: 7, Zxid: 12, Op: wire.OpCloseSession}, now+2500)
	story, ok := j.story("/in/l")
	if !ok || reaches(&story, now+999) || !reaches(&story, now+1000) {
		t.Fatalf("it has %v, %+v", ok, story)
	}
	if err := inside(&story, access.Dialer{Chroot: "/in"}.Inner); err != nil {
		t.Fatal(err)
	}
	log := logOf(event.Header{Host: event.Joined, Root: "/l"}, &story, now+60_000)
	var b strings.Builder
	for _, e := range log.Events {
		b.Write(append(event.AppendText(nil, e), '\n'))
	}
	const want = `     1    0.000000s zookeeper  run.started     /l, n 1700000001000, zxid 0xa
     2    0.000000s client-1   client.started
     3    0.000000s zookeeper  session.seen    client-1, session 0x7
     4    0.000000s zookeeper  znode.found     /l/lock-0000000001, ephemeral-sequential, host-7, client-1, ` +
		`made 2023-11-14T22:13:11Z, zxid 0x3, session 0x7
     5    0.000000s client-2   client.started
     6    0.000000s zookeeper  session.seen    client-2, session 0x8
     7    0.000000s zookeeper  txn.applied     create /l/lock-0000000002, client-2, zxid 0xb, session 0x8
     8    0.000000s zookeeper  znode.created   /l/lock-0000000002, ephemeral-sequential, client-2, zxid 0xb, ` +
		`session 0x8, because of 7
     9    1.500000s zookeeper  session.expired client-1, zxid 0xc, session 0x7
    10    1.500000s zookeeper  znode.deleted   /l/lock-0000000001, session-expired, client-1, zxid 0xc, because of 9
    11   59.000000s zookeeper  run.ended       cancelled
`
	if b.String() != want {
		t.Errorf("it has\n%s\nnot\n%s", b.String(), want)
	}
}

// TestNoStory: of what is not kept there is no log, nor of a path that is none.
func TestNoStory(t *testing.T) {
	l := New(Config{})
	defer l.Close()
	for _, path := range []string{"/l", "l", "", "/a//b"} {
		if _, ok := l.Story(path, 1); ok {
			t.Errorf("%q has one", path)
		}
	}
}
