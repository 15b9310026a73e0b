package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// embedded is a running viz-server zookeeper.
type embedded struct {
	t         *testing.T
	addr      string
	line      string // the printed one
	interrupt context.CancelFunc
	code      chan int
	errs      bytes.Buffer // valid after stop
}

// addressIn matches the address in the server's printed line.
var addressIn = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)

func startEmbedded(t *testing.T, args ...string) *embedded {
	ctx, interrupt := context.WithCancel(context.Background())
	t.Cleanup(interrupt)
	e := &embedded{t: t, interrupt: interrupt, code: make(chan int, 1)}
	printed, out := io.Pipe()
	go func() {
		e.code <- execute(append([]string{"zookeeper"}, args...), &terminal{ctx: ctx, out: out, err: &e.errs})
		out.Close()
	}()
	lines := bufio.NewScanner(printed)
	if !lines.Scan() {
		t.Fatalf("nothing was printed; exit code %d, stderr: %s", <-e.code, e.errs.String())
	}
	go io.Copy(io.Discard, printed)
	e.line = lines.Text()
	e.addr = addressIn.FindString(e.line)
	return e
}

// stop interrupts like Ctrl-C.
func (e *embedded) stop() {
	e.t.Helper()
	e.interrupt()
	select {
	case code := <-e.code:
		if code != exitOK || e.errs.Len() > 0 {
			e.t.Errorf("exit code %d, stderr: %s", code, e.errs.String())
		}
	case <-time.After(10 * time.Minute):
		e.t.Fatal("the server did not stop")
	}
}

func (e *embedded) dial(hello wire.ConnectRequest) *peer.Peer {
	e.t.Helper()
	p, err := peer.Dial(e.addr, hello)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(p.Abort)
	return p
}

func ask(t *testing.T, p *peer.Peer, r wire.Request) wire.Response {
	t.Helper()
	answer, _, err := p.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestZookeeperUntilInterrupted serves, prints one line, and stops on Ctrl-C.
func TestZookeeperUntilInterrupted(t *testing.T) {
	e := startEmbedded(t, "--addr", "127.0.0.1:0")
	if !strings.HasPrefix(e.line, "ZooKeeper-compatible server on 127.0.0.1:") {
		t.Errorf("it printed %q", e.line)
	}
	p := e.dial(wire.ConnectRequest{TimeoutMS: 30_000})
	if got := ask(t, p, wire.Request{Op: wire.OpExists, Path: "/zookeeper"}); got.Code != zoo.OK {
		t.Error(got.Code)
	}
	e.stop()
	if _, err := p.Recv(); err == nil {
		t.Error("the connection is still there")
	}
}

// TestZookeeperKeepsItsData restarts the server with the same file. Znodes and sessions must still exist.
func TestZookeeperKeepsItsData(t *testing.T) {
	args := []string{"--addr", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data")}
	e := startEmbedded(t, args...)
	p := e.dial(wire.ConnectRequest{TimeoutMS: 30_000})
	var last int64
	for path, mode := range map[string]zoo.CreateMode{"/p": zoo.Persistent, "/e": zoo.Ephemeral} {
		r := ask(t, p, wire.Request{Op: wire.OpCreate, Path: path, Data: []byte(path), ACL: zoo.OpenACL(),
			Flags: int32(mode)})
		if r.Code != zoo.OK {
			t.Fatal(r.Code)
		}
		last = r.Zxid
	}
	e.stop()
	e = startEmbedded(t, args...)
	q := e.dial(wire.ConnectRequest{TimeoutMS: 30_000, Session: p.Welcome.Session, Password: p.Welcome.Password,
		LastZxidSeen: last})
	if q.Welcome.Session != p.Welcome.Session {
		t.Fatal("the session is gone")
	}
	for path, owner := range map[string]int64{"/p": 0, "/e": p.Welcome.Session} {
		if r := ask(t, q, wire.Request{Op: wire.OpGetData, Path: path}); string(r.Data) != path ||
			r.Stat.EphemeralOwner != owner {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	q = e.dial(wire.ConnectRequest{TimeoutMS: 30_000})
	if r := ask(t, q, wire.Request{Op: wire.OpExists, Path: "/e"}); r.Code != zoo.ErrNoNode {
		t.Error("its session is closed, and an ephemeral znode still there")
	}
	e.stop()
}

// TestZookeeperWarns checks for a warning when others can reach the server.
func TestZookeeperWarns(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	interrupt()
	for addr, warns := range map[string]bool{"127.0.0.1:0": false, "[::1]:0": false, ":0": true, "0.0.0.0:0": true} {
		var out, errs bytes.Buffer
		code := execute([]string{"zookeeper", "--addr", addr}, &terminal{ctx: ctx, out: &out, err: &errs})
		if addr == "[::1]:0" && code != exitOK { // the machine may lack IPv6
			continue
		}
		if got := strings.Contains(errs.String(), "anyone who can reach"); code != exitOK || got != warns {
			t.Errorf("%s: exit code %d, stderr %q", addr, code, errs.String())
		}
	}
}
