package access_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// server starts an embedded server, and a client without a chroot or credentials.
func server(t *testing.T) (addr string, plain *zk.Conn) {
	t.Helper()
	s, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // it stores nothing
	addr = s.Addr().String()
	return addr, client(t, access.Dialer{}, addr)
}

// client connects the library's client through d.
func client(t *testing.T, d access.Dialer, addr string) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{addr}, time.Minute, zk.WithLogInfo(false),
		zk.WithDialer(func(_, addr string, limit time.Duration) (net.Conn, error) {
			return d.SessionWithin(addr, limit)
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestChroot tries everything that a client can do with paths below a chroot, and checks from outside where it went.
func TestChroot(t *testing.T) {
	t.Parallel()
	addr, plain := server(t)
	open := zk.WorldACL(zk.PermAll)
	made := must[string](t)
	made(plain.Create("/app", []byte("root"), 0, open))
	made(plain.Create("/app2", nil, 0, open))
	made(plain.Create("/app2/eph", nil, zk.FlagEphemeral, open))
	c := client(t, access.Dialer{Chroot: "/app"}, addr)

	if data, _, err := c.Get("/"); err != nil || string(data) != "root" {
		t.Errorf("the root is %q, %v", data, err)
	}
	if got := made(c.Create("/a", []byte("1"), zk.FlagEphemeral, open)); got != "/a" {
		t.Errorf("it made %q", got)
	}
	if got := made(c.Create("/s-", nil, zk.FlagSequence, open)); got != "/s-0000000001" {
		t.Errorf("it made %q", got)
	}
	results, err := c.Multi(&zk.CreateRequest{Path: "/m", Acl: open}, &zk.CheckVersionRequest{Path: "/m", Version: 0},
		&zk.SetDataRequest{Path: "/m", Data: []byte("2"), Version: 0}, &zk.CreateRequest{Path: "/m/n", Acl: open})
	if err != nil || results[0].String != "/m" || results[3].String != "/m/n" {
		t.Errorf("a multi gave %+v, %v", results, err)
	}
	if _, err := c.Multi(&zk.CreateRequest{Path: "/x", Acl: open}, &zk.DeleteRequest{Path: "/m"}); err == nil {
		t.Error("a multi that cannot be was carried out")
	}
	_, _, fired, err := c.GetW("/a")
	must[bool](t)(true, err)
	_, _, listed, err := c.ChildrenW("/")
	must[bool](t)(true, err)
	if _, err := c.Sync("/a"); err != nil {
		t.Error(err)
	}
	if err := c.Delete("/a", -1); err != nil {
		t.Error(err)
	}
	if e := <-fired; e.Path != "/a" || e.Type != zk.EventNodeDeleted {
		t.Errorf("it is told of %+v", e)
	}
	if e := <-listed; e.Path != "/" {
		t.Errorf("it is told of %+v", e)
	}
	names, _, err := plain.Children("/app")
	if slices.Sort(names); err != nil || !slices.Equal(names, []string{"m", "s-0000000001"}) {
		t.Errorf("below the chroot there is %q, %v", names, err)
	}
	if names, _, err := plain.Children("/"); err != nil || len(names) != 3 {
		t.Errorf("beside it there is %q, %v", names, err)
	}
}

// TestChrootOfEveryRequest tries what the library lacks: lists of ephemerals, persistent watches, and an invalid path.
func TestChrootOfEveryRequest(t *testing.T) {
	t.Parallel()
	addr, plain := server(t)
	open := zk.WorldACL(zk.PermAll)
	must[string](t)(plain.Create("/app", nil, 0, open))
	conn := must[net.Conn](t)(access.Dialer{Chroot: "/app"}.Session(t.Context(), addr))
	p := must[*peer.Peer](t)(peer.New(conn, wire.ConnectRequest{TimeoutMS: 10000, Password: make([]byte, 16)}))
	defer p.Abort()
	ask := func(r wire.Request) (wire.Response, []wire.Notification) {
		t.Helper()
		got, notes, err := p.Do(r)
		if err != nil || got.Code != zoo.OK {
			t.Fatalf("%v %s: %v, %v", r.Op, r.Path, got.Code, err)
		}
		return got, notes
	}
	anyone := []zoo.ACL{{Perms: zoo.PermAll, Scheme: "world", ID: "anyone"}}
	ask(wire.Request{Xid: 1, Op: wire.OpAddWatch, Path: "/", Mode: wire.WatchPersistentRecursive})
	got, notes := ask(wire.Request{Xid: 2, Op: wire.OpCreate2, Path: "/e", ACL: anyone, Flags: 1})
	if got.Path != "/e" || got.Stat.Czxid == 0 || len(notes) != 1 || notes[0].Path != "/e" {
		t.Errorf("it made %+v and was told %+v", got, notes)
	}
	if got, _ := ask(wire.Request{Xid: 3, Op: wire.OpGetEphemerals, Path: "/"}); !slices.Equal(got.Children,
		[]string{"/e"}) {
		t.Errorf("its ephemerals are %q", got.Children)
	}
	ask(wire.Request{Xid: 4, Op: wire.OpPing})
	ask(wire.Request{Xid: wire.XidSetWatches, Op: wire.OpSetWatches2, RelativeZxid: 1 << 40, DataWatches: []string{"/e"}})
	ask(wire.Request{Xid: 5, Op: wire.OpWhoAmI})
	if _, _, err := p.Do(wire.Request{Xid: 6, Op: wire.OpGetData, Path: "2/secret"}); err == nil ||
		!strings.Contains(err.Error(), "no place below /app") {
		t.Errorf("a path that would end beside the chroot: %v", err)
	}
}

// TestAuth checks that identities are authenticated before the client's first request.
func TestAuth(t *testing.T) {
	t.Parallel()
	addr, plain := server(t)
	must[string](t)(plain.Create("/secret", []byte("x"), 0, zk.DigestACL(zk.PermAll, "ann", "geheim")))
	all := must[[]access.Identity](t)(access.ReadIdentities(strings.NewReader("# us\n\ndigest:ann:geheim\n")))
	c := client(t, access.Dialer{Auth: all}, addr)
	if data, _, err := c.Get("/secret"); err != nil || string(data) != "x" {
		t.Errorf("it reads %q, %v", data, err)
	}
	if _, _, err := plain.Get("/secret"); !errors.Is(err, zk.ErrNoAuth) {
		t.Errorf("without, it reads: %v", err)
	}
	unknown := must[[]access.Identity](t)(access.ReadIdentities(strings.NewReader("magic:wand")))
	conn := must[net.Conn](t)(access.Dialer{Auth: unknown, Names: "the key "}.Session(t.Context(), addr))
	_, err := peer.New(conn, wire.ConnectRequest{TimeoutMS: 10000, Password: make([]byte, 16)})
	if err == nil || !strings.Contains(err.Error(), "away.auth(magic, the key auth-file)") {
		t.Errorf("a scheme that the server does not know: %v", err)
	}
}

// TestIdentities reads valid lines, and refuses others without revealing them.
func TestIdentities(t *testing.T) {
	t.Parallel()
	all, err := access.ReadIdentities(strings.NewReader("digest:ann:ge:heim\nip:10.0.0.1\n"))
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		text := fmt.Sprintf(format, access.Dialer{Auth: all})
		if strings.Contains(text, "heim") || strings.Contains(text, fmt.Sprintf("%x", "heim")) {
			t.Errorf("as %s it is %s", format, text)
		}
	}
	acl := zk.DigestACL(zk.PermAll, "ann", "ge:heim")[0]
	if !all[0].Holds(acl.Scheme, acl.ID) || all[0].Holds("digest", "bob:x") || all[0].Holds("ip", acl.ID) {
		t.Error("it takes an ACL for another's")
	}
	for text, want := range map[string]string{
		"sasl:geheim": "bad.auth.sasl(1)", "\ngeheim": "bad.auth.line(2)", "digest:geheim": "bad.auth.line(1)",
		":geheim": "bad.auth.line", "digest:": "bad.auth.line", "a geheim:x": "bad.auth.line",
		strings.Repeat("ip:1\n", 17):              "bad.auth.many",
		"ip:1\n" + strings.Repeat("geheim", 1000): "bad.auth.read(2)",
	} {
		if _, err := access.ReadIdentities(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "geheim") {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

// other starts a server that is no ZooKeeper; answer handles each connection.
func other(t *testing.T, answer func(net.Conn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				answer(conn)
			}()
		}
	}()
	return l.Addr().String()
}

// line answers a whole line with a text, as many protocols do.
func line(text string) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
			_, _ = io.WriteString(c, text)
		}
	}
}

// says answers four bytes with a text.
func says(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.ReadFull(c, make([]byte, 4))
		_, _ = io.WriteString(c, text)
	}
}

// TestOthers checks that Reach and a failed session name the service that listens there.
func TestOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer     func(net.Conn)
		reach, why string
	}{
		"http":  {line("HTTP/1.1 400 Bad Request\r\n\r\n"), "away.http()", "away.http()"},
		"redis": {line("-ERR unknown command 'srvr'\r\n"), "away.redis()", "away.redis()"},
		"ssh": {func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-OpenSSH\r\n"); _, _ = io.Copy(io.Discard, c) },
			"away.ssh()", "away.ssh()"},
		"mysql": {says("J\x00\x00\x00\n5.5.5"), "away.stranger()", "away.stranger()"},
		"alert": {says("\x15\x03\x01\x00\x02\x02\x46"), "away.plain(--zk-tls)", "away.plain(--zk-tls)"},
		"no quorum": {says("This ZooKeeper instance is not currently serving requests\n"),
			"away.not-serving()", "away.not-serving()"},
		"forbidden": {says("srvr is not executed because it is not in the whitelist.\n"), "", "away.turned()"},
		"crowded":   {says("Zookeeper version: 3.8.0\n"), "", "away.turned()"},
		"wordless":  {says(""), "away.silent()", "away.silent()"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := other(t, c.answer)
			if err := (access.Dialer{}).Reach(t.Context(), addr); fmt.Sprint(err) != c.reach && (err != nil || c.reach != "") {
				t.Errorf("can it be reached? %v", err)
			}
			if err := (access.Dialer{}).Why(t.Context(), addr); fmt.Sprint(err) != c.why {
				t.Errorf("why is there no session? %v", err)
			}
		})
	}
	if err := (access.Dialer{}).Reach(t.Context(), "nobody.invalid:2181"); err == nil ||
		err.Error() != `away.name("nobody.invalid")` {
		t.Errorf("nobody: %v", err)
	}
}

// TestGreeting checks that only a ZooKeeper's greeting is accepted, whatever length a stranger's first bytes claim.
func TestGreeting(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"HTTP/1.1 400 Bad Request\r\n\r\n": "away.http()", "SSH-2.0-OpenSSH\r\n": "away.ssh()",
		"\xff\xff\xff\xff": "away.stranger()", "\x00\x00\x00\x01x": "away.stranger()",
	} {
		conn, err := access.Dialer{}.Session(context.Background(), other(t, says(text)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = peer.New(conn, wire.ConnectRequest{})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
