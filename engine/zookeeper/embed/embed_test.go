package embed_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// eventually is how long a test waits. Only a broken server takes that long.
const eventually = 10 * time.Minute

// long is the timeout of sessions that must not expire. Nothing sends pings, and a busy machine may stall.
const long = time.Hour

func listen(t *testing.T, c embed.Config) *embed.Server {
	t.Helper()
	c.MaxTimeout = long
	s, err := embed.Listen(c)
	for end := time.Now().Add(eventually); errors.Is(err, syscall.EADDRINUSE) && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond) // another program got the port since the server closed
		s, err = embed.Listen(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // a test that checks the error closes it itself
	return s
}

func dial(t *testing.T, s *embed.Server) *peer.Peer {
	t.Helper()
	p, err := peer.Dial(s.Addr().String(), wire.ConnectRequest{TimeoutMS: int32(long / time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Abort)
	return p
}

func do(t *testing.T, p *peer.Peer, r wire.Request) wire.Response {
	t.Helper()
	answer, _, err := p.Do(r)
	if err != nil {
		t.Fatalf("%v %s: %v", r.Op, r.Path, err)
	}
	return answer
}

func create(path string, flags zoo.CreateMode) wire.Request {
	return wire.Request{Op: wire.OpCreate, Path: path, Data: []byte("x"), ACL: zoo.OpenACL(), Flags: int32(flags)}
}

// until waits until a condition is true.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(eventually); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, eventually)
		}
	}
}

// lines is a log that a test can read.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.b.String(), text)
}

// ask sends raw bytes and returns everything that the server sends until it closes.
func ask(t *testing.T, s *embed.Server, raw string) string {
	t.Helper()
	answer, err := exchange(t, s, raw)
	if err != nil {
		t.Fatalf("after %q: %v", raw, err)
	}
	return answer
}

// hangUp is like ask, for a server that may close before it has read everything. The connection is then reset.
func hangUp(t *testing.T, s *embed.Server, raw string) string {
	t.Helper()
	answer, err := exchange(t, s, raw)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("after %q: %v", raw, err)
	}
	return answer
}

// dialSilent opens a connection and sends nothing.
func dialSilent(t *testing.T, s *embed.Server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// exchange sends raw bytes and reads until the server closes, even if it closes before it has read them.
func exchange(t *testing.T, s *embed.Server, raw string) (string, error) {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(eventually))
	_, sent := io.WriteString(c, raw)
	answer, err := io.ReadAll(c)
	return string(answer), errors.Join(sent, err)
}

func TestWorkWithOneClient(t *testing.T) {
	s := listen(t, embed.Config{})
	p := dial(t, s)
	if got := do(t, p, create("/a", zoo.Persistent)); got.Code != zoo.OK || got.Path != "/a" {
		t.Fatalf("create: %+v", got)
	}
	if got := do(t, p, wire.Request{Op: wire.OpGetData, Path: "/a"}); string(got.Data) != "x" || got.Stat.Czxid != 2 {
		t.Fatalf("get: %+v", got)
	}
	if got := do(t, p, wire.Request{Op: wire.OpDelete, Path: "/b", Version: -1}); got.Code != zoo.ErrNoNode {
		t.Fatalf("delete: %+v", got)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// connect opens a session with a client library.
func connect(t *testing.T, addr string, dial zk.Dialer) *zk.Conn {
	t.Helper()
	c, events, err := zk.Connect([]string{addr}, long, zk.WithLogger(quiet{}), zk.WithDialer(dial))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for range events { // until c is closed
		}
	}()
	t.Cleanup(c.Close)
	until(t, "a session", func() bool { return c.State() == zk.StateHasSession })
	return c
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// TestGoZookeeper works with the client library that most Go programs use, over TCP and over a pipe within the
// process.
func TestGoZookeeper(t *testing.T) {
	s := listen(t, embed.Config{})
	a := connect(t, s.Addr().String(), net.DialTimeout)
	if _, err := a.Create("/q", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	_, _, watch, err := a.ChildrenW("/q")
	if err != nil {
		t.Fatal(err)
	}
	b := connect(t, s.Addr().String(), func(string, string, time.Duration) (net.Conn, error) { return s.Dial() })
	path, err := b.Create("/q/n-", []byte("1"), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil || path != "/q/n-0000000000" {
		t.Fatal(path, err)
	}
	select {
	case e := <-watch:
		if e.Type != zk.EventNodeChildrenChanged || e.Path != "/q" {
			t.Fatal(e)
		}
	case <-time.After(eventually):
		t.Fatal("no watch event came")
	}
}
