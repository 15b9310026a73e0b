package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// TestCodes checks the code of every error that the library can return.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want zoo.Code
	}{
		{nil, zoo.OK},
		{zk.ErrConnectionClosed, zoo.ErrConnectionLoss},
		{zk.ErrNoServer, zoo.ErrConnectionLoss},
		{zk.ErrClosing, zoo.ErrConnectionLoss},
		{zk.ErrSessionMoved, zoo.ErrConnectionLoss},
		{io.EOF, zoo.ErrConnectionLoss},
		{&net.OpError{Err: os.ErrDeadlineExceeded}, zoo.ErrConnectionLoss},
		{zk.ErrSessionExpired, zoo.ErrSessionExpired},
		{zk.ErrNoNode, zoo.ErrNoNode},
		{zk.ErrNodeExists, zoo.ErrNodeExists},
		{zk.ErrNoAuth, zoo.ErrNoAuth},
		{zk.ErrBadVersion, zoo.ErrBadVersion},
		{zk.ErrNoChildrenForEphemerals, zoo.ErrNoChildrenForEphemeral},
		{zk.ErrNotEmpty, zoo.ErrNotEmpty},
		{zk.ErrInvalidACL, zoo.ErrInvalidACL},
		{zk.ErrAuthFailed, zoo.ErrAuthFailed},
		{zk.ErrInvalidPath, zoo.ErrBadArguments},
		{zk.ErrInvalidFlags, zoo.ErrBadArguments},
		{zk.ErrBadArguments, zoo.ErrBadArguments},
		{fmt.Errorf("create /a: %w", zk.ErrNoAuth), zoo.ErrNoAuth},
		{&zoo.Error{Op: "get", Path: "/a", Code: zoo.ErrNotEmpty}, zoo.ErrNotEmpty},
		{errors.New("unknown error: -125"), zoo.ErrQuotaExceeded},
		{errors.New("nobody knows -125"), zoo.ErrSystem},
		{errors.New("unknown error: x"), zoo.ErrSystem},
	} {
		got := CodeOf(c.err)
		if got != c.want {
			t.Errorf("%v is taken for %v, not %v", c.err, got, c.want)
		}
		lost := got == zoo.ErrConnectionLoss || got == zoo.ErrSessionExpired
		if Passing(c.err) != lost {
			t.Errorf("%v passes: %v", c.err, Passing(c.err))
		}
	}
}

// TestHandshakeLimit checks that a server which accepts a connection and stays silent is given up, but not after
// its greeting.
func TestHandshakeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, server := net.Pipe()
		p := &prompt{Conn: here}
		begun := time.Now()
		waits := func(limit time.Duration) (int, time.Duration) {
			begun = time.Now()
			_ = p.SetReadDeadline(begun.Add(limit))
			n, _ := p.Read(make([]byte, 10))
			return n, time.Since(begun)
		}
		if _, took := waits(time.Minute); took != handshakeLimit {
			t.Errorf("it waits %v for a greeting", took)
		}
		if _, took := waits(time.Second); took != time.Second {
			t.Errorf("asked for a second, it waits %v", took)
		}
		go func() { _, _ = server.Write([]byte("hello")) }()
		if n, _ := waits(time.Minute); n != 5 {
			t.Errorf("%d bytes came", n)
		}
		if _, took := waits(time.Minute); took != time.Minute {
			t.Errorf("once greeted, it waits %v", took)
		}
	})
}

// TestAllServersFail checks that the servers count as away once none is in reach, with a reason for each.
func TestAllServersFail(t *testing.T) {
	var told []string
	c := newConn(Config{Servers: []string{"a:1", "b:1"}, Tell: func(up bool, text string) {
		told = append(told, fmt.Sprint(up, " ", text))
	}})
	c.fail("b:1", "refused")
	c.fail("b:1", "refused again")
	if len(told) > 0 {
		t.Errorf("one of two fails, and it says %q", told)
	}
	c.fail("a:1", "no route")
	c.fail("a:1", "no route")
	c.set(true, "b:1")
	c.fail("a:1", "no route")
	c.set(false, "b:1: lost")
	want := []string{"false a:1: no route; b:1: refused again", "true b:1", "false b:1: lost"}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("it says %q", told)
	}
}

// TestWaitSaysWhy checks that Wait returns the context's cause. An observation that loses its connection at once
// must then start again instead of ending.
func TestWaitSaysWhy(t *testing.T) {
	errElsewhere := errors.New("elsewhere")
	for _, told := range []string{"", "b:1: lost"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errElsewhere)
		c := newConn(Config{})
		c.told = told
		if err := c.Wait(ctx); !errors.Is(err, errElsewhere) || !strings.HasPrefix(err.Error(), told) {
			t.Errorf("after %q it says %v", told, err)
		}
	}
}
