package server_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// slowLeader agrees to requests when the test says so.
type slowLeader struct {
	s     *server.Server
	asked []func(zxid int64)
}

func (l *slowLeader) Forward(p *server.Proposal, _ event.Seq) {
	l.asked = append(l.asked, func(zxid int64) { l.s.Member.Deliver(l.s.Member.Prepare(p, 0), zxid, 0, 0) })
}
func (l *slowLeader) Propose(p *server.Proposal, cause event.Seq) { l.Forward(p, cause) }
func (l *slowLeader) Sync(token int64, _ event.Seq) {
	l.asked = append(l.asked, func(int64) { l.s.Member.Synced(token, 0, 0) })
}
func (l *slowLeader) Revalidate(session, token int64, _ event.Seq) {
	l.s.Member.Revalidated(token, l.s.Member.Revalidate(session, 1, 0, 0), 0, 0)
}
func (*slowLeader) Touched(int64, time.Duration) {}

// agree executes the oldest request.
func (l *slowLeader) agree(zxid int64) {
	do := l.asked[0]
	l.asked = l.asked[1:]
	do(zxid)
}

// welcomed is a client that records its session and its answers.
type welcomed struct {
	nobody
	session  wire.ConnectResponse
	answered []zoo.Code
}

func (w *welcomed) Welcome(r *wire.ConnectResponse, _ event.Seq) { w.session = *r }
func (w *welcomed) Reply(_ *wire.Request, r *wire.Response, _ event.Seq) {
	w.answered = append(w.answered, r.Code)
}

// TestReadsWaitForTheSession checks that a reconnected client's reads wait for the writes of its previous connection,
// unless those are lost with their leader.
func TestReadsWaitForTheSession(t *testing.T) {
	for _, lost := range []bool{false, true} {
		l := &slowLeader{}
		l.s = server.New(server.Config{ID: 1, Ensemble: l})
		before, after := &welcomed{}, &welcomed{}
		a := l.s.Connect(before, server.From{})
		a.Greet(&wire.ConnectRequest{TimeoutMS: 30_000}, 0, 0)
		l.agree(1)
		a.Handle(&wire.Request{Op: wire.OpCreate, Path: "/a", ACL: zoo.OpenACL()}, 0, 0)
		a.Handle(&wire.Request{Op: wire.OpSync, Path: "/a"}, 0, 0)
		a.Lost(0, 0)
		b := l.s.Connect(after, server.From{})
		b.Greet(&wire.ConnectRequest{TimeoutMS: 30_000, Session: before.session.Session,
			Password: before.session.Password}, 0, 0)
		want := zoo.OK
		if lost {
			l.s.Member.Follow()
			want = zoo.ErrNoNode
		}
		read := &wire.Request{Op: wire.OpExists, Path: "/a"}
		if b.Keeps(read) == lost {
			t.Errorf("lost %t: the read waits: %t", lost, !lost)
		}
		b.Handle(read, 0, 0)
		if !lost {
			l.agree(2)
			if len(after.answered) > 0 {
				t.Error("a read is answered before what came before it")
			}
			l.agree(0)
		}
		if len(after.answered) != 1 || after.answered[0] != want {
			t.Errorf("lost %t: the read is answered %v", lost, after.answered)
		}
	}
}

// knowsLate is a slowLeader that also delays the answer whether a session exists.
type knowsLate struct{ slowLeader }

func (l *knowsLate) Revalidate(session, token int64, _ event.Seq) {
	l.asked = append(l.asked, func(int64) { l.s.Member.Revalidated(token, l.s.Member.Revalidate(session, 1, 0, 0), 0, 0) })
}

// TestNothingComesBehindTheReturn checks that requests of the previous connection are not executed once a client has
// returned. In between it may have been on another server, which answered it.
func TestNothingComesBehindTheReturn(t *testing.T) {
	l := &knowsLate{}
	l.s = server.New(server.Config{ID: 1, Ensemble: l})
	before, after := &welcomed{}, &welcomed{}
	a := l.s.Connect(before, server.From{})
	a.Greet(&wire.ConnectRequest{TimeoutMS: 30_000}, 0, 0)
	l.agree(1)
	b := l.s.Connect(after, server.From{})
	b.Greet(&wire.ConnectRequest{TimeoutMS: 30_000, Session: before.session.Session,
		Password: before.session.Password}, 0, 0)
	a.Handle(&wire.Request{Op: wire.OpCreate, Path: "/late", ACL: zoo.OpenACL()}, 0, 0)
	if l.agree(0); after.session.Session != before.session.Session {
		t.Errorf("the client has session %#x, want %#x", after.session.Session, before.session.Session)
	}
	if len(l.asked) > 0 {
		t.Errorf("the leader is asked for %d more", len(l.asked))
	}
}
