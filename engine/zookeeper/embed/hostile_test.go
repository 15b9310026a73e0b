package embed_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestHostileFrames sends frames that no client sends. The server ends that connection, logs a line, and does
// nothing else.
func TestHostileFrames(t *testing.T) {
	var log lines
	s := listen(t, embed.Config{Log: &log})
	bystander := dial(t, s)
	hello := string(wire.AppendFrame(nil, &wire.ConnectRequest{TimeoutMS: 30_000}))
	for name, c := range map[string]struct{ raw, says string }{
		"huge at once":    {"\x7f\xff\xff\xff", "its length is 2147483647"},
		"negative":        {"\xff\xff\xff\xff", "its length is -1"},
		"unknown word":    {"abcd", "its length is 1633837924"},
		"short handshake": {"\x00\x00\x00\x03abc", "its handshake makes no sense"},
		"huge":            {hello + "\x00\x10\x00\x00", "its length is 1048576"},
		"two bytes":       {hello + "\x00\x00\x00\x02ab", "the frame cannot be read"},
		"empty":           {hello + "\x00\x00\x00\x00", "the frame cannot be read"},
	} {
		got := ask(t, s, c.raw)
		if greeted := strings.HasPrefix(c.raw, hello); greeted == (got == "") {
			t.Errorf("%s: answered with %d bytes", name, len(got))
		}
		until(t, name+": a line that says "+c.says, func() bool { return log.has(c.says) })
	}
	if got := do(t, bystander, create("/fine", zoo.Persistent)); got.Code != zoo.OK {
		t.Error(got.Code)
	}
}

// TestGoodBeforeBad checks that requests before a nonsensical frame in the same packet get their answers.
func TestGoodBeforeBad(t *testing.T) {
	s := listen(t, embed.Config{})
	p := dial(t, s)
	good := create("/good", zoo.Persistent)
	good.Xid = 1
	p.Queue(&good)
	p.QueueFrame([]byte{1, 2}, wire.OpPing)
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	if m, err := p.Recv(); err != nil || m.Response.Xid != 1 || m.Response.Code != zoo.OK {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := p.Recv(); err == nil {
		t.Errorf("something came after it: %+v", m)
	}
}

// TestPasswordsAreNotLogged looks for a session's password and a digest's secret in the log.
func TestPasswordsAreNotLogged(t *testing.T) {
	var log lines
	s := listen(t, embed.Config{Log: &log})
	secret := "sesame\x1b[2J"
	hello := string(wire.AppendFrame(nil, &wire.ConnectRequest{TimeoutMS: 30_000, Session: 7, Password: []byte(secret),
		LastZxidSeen: 99}))
	ask(t, s, hello)
	until(t, "a line in the log", func() bool { return log.has("later zxid") })
	p := dial(t, s)
	if _, _, err := p.Do(wire.Request{Op: wire.OpAuth, Scheme: secret, Auth: []byte("a:" + secret)}); err != nil {
		t.Log(err) // the server may close before the answer is read
	}
	until(t, "a line in the log", func() bool { return log.has("authentication failed") })
	if log.has("sesame") {
		t.Error("the log shows a secret")
	}
}

func TestConnectionsOfOneAddress(t *testing.T) {
	var log lines
	s := listen(t, embed.Config{MaxConnsPerAddr: 2, Log: &log})
	first := dial(t, s)
	dial(t, s)
	if got := ask(t, s, ""); got != "" { // the server closes it, and neither side sends a byte
		t.Errorf("the third connection was answered with %q", got)
	}
	until(t, "a line in the log", func() bool { return log.has("2 connections from its address") })
	if _, err := s.Dial(); err != nil {
		t.Error("within the process:", err)
	}
	first.Abort()
	until(t, "room for another", func() bool {
		p, err := peer.Dial(s.Addr().String(), wire.ConnectRequest{TimeoutMS: 30_000})
		if err != nil {
			return false
		}
		p.Abort()
		return true
	})
	until(t, "a figure", func() bool {
		_, figure, _ := strings.Cut(hangUp(t, s, "mntr"), "zk_connection_rejected\t")
		return figure != "" && figure[0] != '0'
	})
}

func TestMaxSessions(t *testing.T) {
	var log lines
	s := listen(t, embed.Config{MaxSessions: 1, Log: &log})
	first := dial(t, s)
	if _, err := peer.Dial(s.Addr().String(), wire.ConnectRequest{TimeoutMS: 30_000}); err == nil {
		t.Fatal("a second session was opened")
	}
	until(t, "a line in the log", func() bool { return log.has("too many sessions") })
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	dial(t, s)
}

// TestSilence checks that connections without a whole handshake end.
func TestSilence(t *testing.T) {
	const within = 200 * time.Millisecond
	var log lines
	s := listen(t, embed.Config{GreetWithin: within, Log: &log})
	for _, raw := range []string{"", "ru", "\x00\x00\x00\x2d\x00"} {
		if got := hangUp(t, s, raw); got != "" {
			t.Errorf("%q was answered with %q", raw, got)
		}
	}
	until(t, "a line in the log", func() bool { return log.has("no handshake came in time") })
	var p *peer.Peer
	until(t, "a handshake in time", func() (ok bool) { // on a slow machine the handshake may be too late
		var err error
		p, err = peer.Dial(s.Addr().String(), wire.ConnectRequest{TimeoutMS: 30_000})
		return err == nil
	})
	defer p.Abort()
	time.Sleep(2 * within) // after its handshake a client may be silent for longer
	if got := do(t, p, create("/a", zoo.Persistent)); got.Code != zoo.OK {
		t.Error(got.Code)
	}
}

// TestUnreadReplies requests 50 MB of replies and reads none. The server stops reading requests, keeps little in
// memory, and serves others. In the end every reply arrives.
func TestUnreadReplies(t *testing.T) {
	s := listen(t, embed.Config{})
	p, other := dial(t, s), dial(t, s)
	big := create("/big", zoo.Persistent)
	big.Data = bytes.Repeat([]byte("z"), 512<<10)
	do(t, p, big)
	const requests = 100
	sent := make(chan error, 1)
	go func() {
		for range requests {
			p.Queue(&wire.Request{Op: wire.OpGetData, Path: "/big"})
		}
		sent <- p.Flush()
	}()
	for range 100 {
		if got := do(t, other, wire.Request{Op: wire.OpGetData, Path: "/"}); got.Code != zoo.OK {
			t.Fatal(got.Code)
		}
	}
	var mem runtime.MemStats
	runtime.GC() // garbage doesn't count
	runtime.ReadMemStats(&mem)
	if mem.HeapInuse > 64<<20 {
		t.Errorf("%d MB are in use while nobody reads", mem.HeapInuse>>20)
	}
	var m peer.Message
	for i := range requests {
		if err := p.RecvInto(&m); err != nil || len(m.Response.Data) != len(big.Data) {
			t.Fatalf("reply %d: %d bytes, %v", i, len(m.Response.Data), err)
		}
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

// TestUnreadEvents makes changes that a client watches without reading the events. Nobody waits for it. Its
// connection is closed when too many events are pending.
func TestUnreadEvents(t *testing.T) {
	var log lines
	s := listen(t, embed.Config{Log: &log})
	slow, p := dial(t, s), dial(t, s)
	path := "/" + strings.Repeat("n", 60_000) // long events, so that few are needed
	do(t, p, create(path, zoo.Persistent))
	if got := do(t, slow, wire.Request{Op: wire.OpAddWatch, Path: path, Mode: wire.WatchPersistent}); got.Code != zoo.OK {
		t.Fatal(got.Code)
	}
	set := wire.Request{Op: wire.OpSetData, Path: path, Version: -1}
	for end := time.Now().Add(eventually); !log.has("it does not read"); do(t, p, set) {
		if time.Now().After(end) {
			t.Fatal("the slow one is not cut off")
		}
	}
	_, err := io.Copy(io.Discard, slow.Conn()) // data in flight still arrives, then the connection ends
	if errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// TestLateReader reads watch events late, but in time. All of them arrive, in order.
func TestLateReader(t *testing.T) {
	s := listen(t, embed.Config{})
	late, p := dial(t, s), dial(t, s)
	path := "/" + strings.Repeat("n", 10_000)
	do(t, p, create(path, zoo.Persistent))
	do(t, late, wire.Request{Op: wire.OpAddWatch, Path: path, Mode: wire.WatchPersistent})
	const changes = 600 // 6 MB of events: more than sockets hold, and less than the server queues
	for range changes {
		do(t, p, wire.Request{Op: wire.OpSetData, Path: path, Version: -1})
	}
	var m peer.Message
	for i := range changes {
		if err := late.RecvInto(&m); err != nil || m.Notification.Path != path {
			t.Fatalf("event %d: %v", i, err)
		}
	}
}

// TestUnknownOperation checks that an unknown operation gets an answer and ends the connection, even if more
// requests follow it.
func TestUnknownOperation(t *testing.T) {
	s := listen(t, embed.Config{})
	p := dial(t, s)
	unknown := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 9}, 99)
	for range 100 {
		p.QueueFrame(unknown, wire.Op(99))
	}
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	m, err := p.Recv()
	if err != nil || m.Response.Code != zoo.ErrUnimplemented || m.Response.Xid != 9 {
		t.Fatal(m, err)
	}
	if m, err = p.Recv(); err == nil {
		t.Fatal("a second answer came:", m)
	}
}
