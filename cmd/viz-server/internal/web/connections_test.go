package web

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/run/room"
)

// fakeConn comes from an address and records whether it was closed.
type fakeConn struct {
	net.Conn
	addr   string
	closed bool
}

func (c *fakeConn) RemoteAddr() net.Addr {
	a, _ := net.ResolveTCPAddr("tcp", c.addr+":4711")
	return a
}

func (c *fakeConn) Close() error { c.closed = true; return nil }

func TestWhoGivesWay(t *testing.T) {
	var told strings.Builder
	s := newConnections(16, slog.New(slog.NewTextHandler(&told, nil))) // 8 in all, 4 for each client
	open := func(addr string, state http.ConnState) *fakeConn {
		t.Helper()
		f := &fakeConn{addr: addr}
		c, ok := s.admit(f)
		if !ok {
			t.Fatalf("there is no room for one from %s", addr)
		}
		s.changed(c, state)
		return f
	}
	refused := func(addr string) {
		t.Helper()
		if _, ok := s.admit(&fakeConn{addr: addr}); ok {
			t.Errorf("there is room for one from %s", addr)
		}
	}
	closed := func(what string, c *fakeConn) {
		t.Helper()
		if !c.closed {
			t.Errorf("%s is still open", what)
		}
	}
	const a, b, c, d = "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"
	first := open(a, http.StateNew)
	idle := open(a, http.StateIdle)
	open(a, http.StateActive)
	open(a, http.StateHijacked)
	open(a, http.StateActive)
	closed("its own oldest that waits", first)
	open(a, http.StateActive)
	closed("its own idle one", idle)
	refused(a) // all are busy

	bs := []*fakeConn{open(b, http.StateActive), open(b, http.StateNew), open(b, http.StateIdle)}
	open(c, http.StateNew)
	open(c, http.StateNew) // the ninth
	closed("the oldest that waits of the one that has most that do", bs[1])
	open(d, http.StateActive)
	closed("the next of those", bs[2])
	if s.count != 8 || s.by[room.ClientKey(c)].waiting.Len() != 2 {
		t.Errorf("%d connections are open, and %d from %s wait", s.count, s.by[room.ClientKey(c)].waiting.Len(), c)
	}
	open(d, http.StateActive)
	open(d, http.StateActive)
	if s.by[room.ClientKey(c)] != nil {
		t.Error("what waits is still open")
	}
	open("192.0.2.5", http.StateActive) // nothing waits: closes a busy one of the client with most
	if n := s.by[room.ClientKey(a)].count(); n != 3 || s.count != 8 {
		t.Errorf("%d of %d are from %s, want 3 of 8", n, s.count, a)
	}
	refused(d) // no other client has more
	const want = `level=WARN msg="too many connections: idle ones make way for new ones" open=4 most=8 from=192.0.2.1 ` +
		"open_from=4 most_from=4\n"
	if got := told.String(); !strings.Contains(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("the operator is told %q, want %q", got, want)
	}
}

// TestSilentConnectionsKeepNobodyOut opens more connections than the limit from several addresses, some with half a
// request and some idle after one. Another address still gets in each time.
func TestSilentConnectionsKeepNobodyOut(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns := newConnections(80, slog.New(slog.DiscardHandler)) // 40 in all, 20 for each client
	hijacked := make(chan net.Conn, 1)
	srv := newHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ws" {
			c, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				hijacked <- c
			}
			return
		}
		fmt.Fprint(w, "hello")
	}), conns)
	go srv.Serve(listener{ln, conns})
	defer srv.Close()
	connect := func(ip string) net.Conn {
		t.Helper()
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
		c, err := d.DialContext(t.Context(), "tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	fmt.Fprint(connect("127.0.0.9"), "GET /ws HTTP/1.1\r\nHost: localhost\r\n\r\n")
	ws := <-hijacked
	for i := range 150 {
		c := connect(fmt.Sprintf("127.0.0.%d", 2+i%4))
		switch i % 3 {
		case 0: // sends nothing
		case 1:
			fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: loc")
		case 2:
			fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
			_, _ = bufio.NewReader(c).ReadByte() // or it is closed already
		}
	}
	for range 30 {
		c := connect("127.0.0.1")
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "hello" {
			t.Errorf("%q, %v", body, err)
		}
	}
	conns.mu.Lock()
	count, websockets := conns.count, conns.by["127.0.0.9"]
	conns.mu.Unlock()
	if count > 40 || websockets == nil {
		t.Errorf("%d connections are open, and the websocket counts: %v", count, websockets != nil)
	}
	ws.Close()
	conns.mu.Lock()
	defer conns.mu.Unlock()
	if conns.by["127.0.0.9"] != nil {
		t.Error("a websocket that is closed still counts")
	}
}

// TestASlowBodyIsNotWaitedFor checks that a request for a page with a body is refused at once.
func TestASlowBodyIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns := newConnections(0, slog.New(slog.DiscardHandler))
	srv := newHTTPServer(newGuard("", nil, http.NotFoundHandler(), "/form"), conns)
	go srv.Serve(listener{ln, conns})
	t.Cleanup(func() { srv.Close() })
	for head, want := range map[string]int{
		"GET / HTTP/1.1\r\n":                                http.StatusBadRequest,
		"POST / HTTP/1.1\r\n":                               http.StatusMethodNotAllowed,
		"POST /form HTTP/1.1\r\n":                           http.StatusForbidden,
		"GET / HTTP/1.1\r\nOrigin: http://evil.example\r\n": http.StatusForbidden,
	} {
		t.Run(strings.ReplaceAll(strings.TrimSpace(head), "\r\n", ", "), func(t *testing.T) {
			t.Parallel() // closing a connection takes a while
			c, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprint(c, head+"Host: localhost\r\nContent-Length: 100\r\n\r\nhalf")
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, c); resp.StatusCode != want || err != nil {
				t.Errorf("%q: %d, want %d and the end of the connection, not %v", head, resp.StatusCode, want, err)
			}
		})
	}
}
