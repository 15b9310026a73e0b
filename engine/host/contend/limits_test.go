package contend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
)

func TestDefaults(t *testing.T) {
	c := Config{}.withDefaults()
	if c.SessionTimeout != 6*time.Second || c.Hold != 3*time.Second || c.Rest != 2*time.Second || c.Pace != 0 {
		t.Errorf("by default it is %+v", c)
	}
	c.Ended(1)
	if seq := c.Emit(1, event.Event{}); seq != 0 {
		t.Errorf("nobody is told, with number %d", seq)
	}
	c = Config{SessionTimeout: 1, Hold: 2, Rest: 3, Pace: 4}.withDefaults()
	if c.SessionTimeout != 1 || c.Hold != 2 || c.Rest != 3 || c.Pace != 4 {
		t.Errorf("what is asked for becomes %+v", c)
	}
}

// TestResizeLimits checks that as many members as allowed come in, and none while too many are leaving.
func TestResizeLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := 0
		c := New(Config{Path: "/q", Dial: refused, Ended: func(int) { left++ }})
		if err := c.Resize(MaxMembers + 1); err == nil || c.Members() != 0 {
			t.Errorf("%d members were let in: %v", c.Members(), err)
		}
		if err := c.Resize(MaxMembers); err != nil || c.Members() != MaxMembers {
			t.Errorf("%d members were let in: %v", c.Members(), err)
		}
		if err := c.Resize(MaxMembers - MaxLeaving); err != nil {
			t.Error(err)
		}
		if err := c.Resize(MaxMembers - MaxLeaving + 1); err != nil { // as many as allowed are leaving
			t.Error(err)
		}
		if err := c.Resize(1); err != nil {
			t.Error(err)
		}
		if err := c.Resize(2); err == nil || c.Members() != 1 {
			t.Errorf("somebody came while too many were on their way out: %d, %v", c.Members(), err)
		}
		if err := c.Resize(0); err != nil {
			t.Error("nobody more was sent away:", err)
		}
		time.Sleep(time.Minute)
		if err := c.Resize(2); err != nil || c.Members() != 2 {
			t.Errorf("when all have gone: %d members, %v", c.Members(), err)
		}
		if c.Close(); left != 0 {
			t.Errorf("%d ended without being asked to", left)
		}
	})
}

func refused() (net.Conn, error) { return nil, errors.New("refused") }

// TestMakeFor checks that Make gives up if no server answers.
func TestMakeFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		err := Make(t.Context(), refused, "/q")
		took := time.Since(begun)
		if err == nil || !strings.HasPrefix(err.Error(), "make /q: ") || took < makeFor || took > makeFor+2*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun = time.Now()
		if err = Make(ctx, refused, "/q"); err == nil || time.Since(begun) > 3*time.Second {
			t.Errorf("asked to stop, after %v: %v", time.Since(begun), err)
		}
	})
}

// story records what members report, one line each.
type story []string

func (s *story) tell(session int64, e event.Event) event.Seq {
	*s = append(*s, strings.TrimSpace(fmt.Sprint(session, " ", e.Kind, " ", e.Text, " ", e.N, " ", e.Cause)))
	return event.Seq(len(*s))
}

// TestFaults checks that each fault is reported with its cause and delays the process for the time it names.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault   fault.Fault
		refused bool
		told    string
		passes  time.Duration // -1: never
	}{
		{fault.Fault{Kind: fault.Crash}, false, "7 fault.injected %s 0 0|7 client.crashed  0 1", -1},
		{fault.Fault{Kind: fault.Pause, For: time.Second}, false,
			"7 fault.injected %s 0 0|7 client.paused  1000000000 1|7 client.resumed  0 2", time.Second},
		{fault.Fault{Kind: fault.Cut, For: time.Second}, false, "7 fault.injected %s 0 0", 0},
		{fault.Fault{Kind: fault.Expire}, true, "", 0},
		{fault.Fault{Kind: fault.Drop}, true, "", 0},
		{fault.Fault{Kind: fault.Delay, For: time.Second}, true, "", 0},
		{fault.Fault{Kind: fault.Restart, For: time.Second}, true, "", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var s story
			m := newMember(Config{Emit: s.tell}.withDefaults())
			m.begin(7)
			s = nil
			err := m.suffer(c.fault)
			if (err != nil) != c.refused || c.refused && !strings.Contains(err.Error(), c.fault.String()) {
				t.Errorf("%v: %v", c.fault, err)
			}
			begun := time.Now()
			err = m.awake()
			if gone := errors.Is(err, errCrashed); gone != (c.passes < 0) || !gone && time.Since(begun) != c.passes {
				t.Errorf("%v: after %v it goes on: %v", c.fault, time.Since(begun), err)
			}
			if gone := m.ctx.Err() != nil; gone != (c.passes < 0) {
				t.Errorf("%v: it is over: %v", c.fault, gone)
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			want := strings.ReplaceAll(c.told, "%s", c.fault.String())
			if got := strings.Join(s, "|"); got != want {
				t.Errorf("%v: it tells %q, not %q", c.fault, got, want)
			}
		})
	}
}

// TestOverlappingPauses checks that a member goes on after the last of them, or when it is sent away.
func TestOverlappingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMember(Config{}.withDefaults())
		passes := func(want time.Duration) {
			t.Helper()
			begun := time.Now()
			if err := m.awake(); err != nil || time.Since(begun) != want {
				t.Errorf("it goes on after %v, not %v: %v", time.Since(begun), want, err)
			}
		}
		for _, d := range []time.Duration{3, 1, 2} {
			if err := m.suffer(fault.Fault{Kind: fault.Pause, For: d * time.Second}); err != nil {
				t.Fatal(err)
			}
		}
		passes(3 * time.Second)
		if err := m.suffer(fault.Fault{Kind: fault.Pause, For: time.Hour}); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, m.leave)
		passes(time.Minute)
		if m.ctx.Err() == nil {
			t.Error("it was not sent away")
		}
		time.Sleep(time.Hour) // the timer of the last pause
	})
}

// TestSessionsRemembered checks that sessions find their member, and that only the present one has a belief.
func TestSessionsRemembered(t *testing.T) {
	var s story
	c := New(Config{Emit: s.tell})
	m := newMember(c.cfg)
	c.members = []*member{m}
	if c.memberOf(0) != nil || c.Now(0) != nil {
		t.Error("a member has the session 0")
	}
	for session := int64(1); session <= maxSessions+1; session++ {
		m.current = session
		m.begin(session)
		m.begin(session) // again, after its connection was lost
		if now := c.Now(session); len(now) != 1 || now[0].Kind != event.ClientStarted || now[0].Text != Role {
			t.Errorf("at the beginning it would say %v", now)
		}
		m.tell(program.Waiting, program.Subject{Path: "/q/1", Fence: 5})
		m.current = session - 1 // a round that still uses the previous session must not change the belief
		m.tell(program.Lost, program.Subject{})
		now := c.Now(session)
		if len(now) != 2 || now[1].Text != string(program.Waiting) || now[1].Path != "/q/1" || now[1].N != 5 {
			t.Errorf("then it would say %v", now)
		}
	}
	for session := int64(0); session <= maxSessions+2; session++ {
		if found := c.memberOf(session) != nil; found != (session >= 2 && session <= maxSessions+1) {
			t.Errorf("session %d: %v", session, found)
		}
	}
	if n := strings.Count(strings.Join(s, "\n"), "client.started"); n != maxSessions+1 {
		t.Errorf("it started %d times", n)
	}
	select {
	case <-m.lost:
		t.Error("its session is over")
	default:
	}
}

// TestPace pauses after each answer, but not when the session is over.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		m := newMember(Config{Pace: time.Second}.withDefaults())
		m.over = over
		called := 0
		call := func() error { called++; return nil }
		begun := time.Now()
		if err := m.try(call); err != nil || time.Since(begun) != time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		time.AfterFunc(time.Second/2, func() { close(over) })
		begun = time.Now()
		if err := m.try(call); err != nil || time.Since(begun) != time.Second/2 {
			t.Errorf("while its session ends, after %v: %v", time.Since(begun), err)
		}
		if err := m.try(call); !errors.Is(err, errLost) || called != 2 {
			t.Errorf("when it has ended: %v, %d calls", err, called)
		}
	})
}

// TestLostForGood checks that once something was lost on a connection, nothing more passes on it.
func TestLostForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, server := net.Pipe()
		m := newMember(Config{}.withDefaults())
		l, err := m.gate.Dial(func() (net.Conn, error) { return here, nil })
		if err != nil {
			t.Fatal(err)
		}
		heard := make(chan string)
		go func() {
			all, _ := io.ReadAll(server)
			heard <- string(all)
		}()
		write := func(text string) {
			if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
				t.Error(n, err)
			}
		}
		write("before")
		for range 2 { // they overlap
			if err := m.suffer(fault.Fault{Kind: fault.Cut, For: time.Second}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.gate.Dial(refused); err == nil || err.Error() == "refused" {
			t.Errorf("a cut network was dialled: %v", err)
		}
		write("lost")
		go func() { _, _ = server.Write([]byte("answer")) }()
		begun := time.Now()
		if _, err := l.Read(make([]byte, 10)); err != io.EOF || time.Since(begun) != time.Second {
			t.Errorf("after %v it is told %v", time.Since(begun), err)
		}
		write("after")
		if err := errors.Join(l.Close()); err != nil {
			t.Error(err)
		}
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			t.Error("closed again:", err)
		}
		if got := <-heard; got != "before" {
			t.Errorf("the server heard %q", got)
		}
	})
}
