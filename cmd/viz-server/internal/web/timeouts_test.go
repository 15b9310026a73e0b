package web

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener for connections in memory.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

// Accept returns the other end of a connection that dial has made.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// pipeEnd is a connection from 127.0.0.1.
type pipeEnd struct{ net.Conn }

func (pipeEnd) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.accepted <- pipeEnd{server}
	return client
}

// serveInMemory serves h like Serve, until the test closes the server.
func serveInMemory(h http.Handler) (*pipes, *http.Server) {
	p, conns := newPipes(), newConnections(0, slog.New(slog.DiscardHandler))
	srv := newHTTPServer(h, conns)
	go srv.Serve(listener{p, conns})
	return p, srv
}

// TestHTTPTimeouts checks that clients which stop in the middle of a request, or read nothing, are cut off in time.
func TestHTTPTimeouts(t *testing.T) {
	const head = "GET /page HTTP/1.1\r\nHost: localhost\r\n"
	const post = "POST /form HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Length: 100\r\n\r\n"
	const refused = "POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
	for name, c := range map[string]struct {
		sends string
		reads bool
		after time.Duration
	}{
		"says nothing":                {"", true, 10 * time.Second},
		"half of a head":              {head, true, 10 * time.Second},
		"half of a body":              {post + "half", true, 20 * time.Second},
		"half of a refused body":      {refused + "half", true, 20 * time.Second},
		"no second request":           {head + "\r\n", true, 2 * time.Minute},
		"half of a second request":    {head + "\r\n" + head, true, 10 * time.Second},
		"does not read a long answer": {strings.Replace(head, "/page", "/long", 1) + "\r\n", false, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mux := http.NewServeMux()
				mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
				mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) })
				p, srv := serveInMemory(newGuard("", nil, mux, "/form"))
				defer srv.Close()
				conn := p.dial()
				defer conn.Close()
				begin := time.Now()
				if _, err := io.WriteString(conn, c.sends); err != nil {
					t.Fatal(err)
				}
				if !c.reads {
					time.Sleep(c.after - time.Nanosecond)
					synctest.Wait()
					if _, err := conn.Read(make([]byte, 1)); err != nil {
						t.Errorf("before its time the connection ends with %v", err)
					}
					time.Sleep(time.Nanosecond)
					synctest.Wait()
				}
				if _, err := io.Copy(io.Discard, conn); err != nil {
					t.Error(err)
				}
				if took := time.Since(begin); took != c.after {
					t.Errorf("the connection ends after %s, want %s", took, c.after)
				}
			})
		})
	}
}

// TestHeadHasALimit checks that a request's head may have maxHeader bytes plus what net/http adds, and no more.
func TestHeadHasALimit(t *testing.T) {
	const slack = 4096 // net/http's
	for _, c := range []struct{ bytes, want int }{
		{maxHeader, http.StatusOK},
		{maxHeader + slack + 100, http.StatusRequestHeaderFieldsTooLarge},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, srv := serveInMemory(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			defer srv.Close()
			conn := p.dial()
			defer conn.Close()
			head := "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: "
			go io.WriteString(conn, head+strings.Repeat("x", c.bytes-len(head)-4)+"\r\n\r\n")
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode != c.want {
				t.Errorf("a head of %d bytes: %v, %v, want %d", c.bytes, resp, err, c.want)
			}
			time.Sleep(time.Second) // the server lets the client read its answer
		})
	}
}

// TestNoHandlerIsCutWhileItReads checks that a request may take as long as its answer once its head is there.
func TestNoHandlerIsCutWhileItReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, srv := serveInMemory(newGuard("", nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(bodyTimeout + time.Minute)
			if err := r.Context().Err(); err != nil {
				t.Errorf("while it is served the request ends with %v", err)
			}
		})))
		defer srv.Close()
		conn := p.dial()
		defer conn.Close()
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%v, %v", resp, err)
		}
	})
}

// TestWhoIsRefusedReadsWhy checks clients that, like browsers, send a whole body before they read the answer. They can
// send it, and the reason comes before they have. A far too long body isn't waited for.
func TestWhoIsRefusedReadsWhy(t *testing.T) {
	const ours = "Host: localhost\r\nOrigin: http://localhost\r\n"
	for name, c := range map[string]struct {
		head string
		want int
	}{
		"a long form":       {"POST /form HTTP/1.1\r\n" + ours, http.StatusRequestEntityTooLarge},
		"no form":           {"POST /page HTTP/1.1\r\n" + ours, http.StatusMethodNotAllowed},
		"a question":        {"GET /page HTTP/1.1\r\n" + ours, http.StatusBadRequest},
		"a foreign page's":  {"POST /form HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n", http.StatusForbidden},
		"to another server": {"POST /form HTTP/1.1\r\nHost: evil.example\r\n", http.StatusMisdirectedRequest},
	} {
		for size, all := range map[int]bool{100 << 10: true, 200 << 10: true, 1 << 20: false} {
			for _, chunked := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s of %d bytes, chunked %v", name, size, chunked), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { sendRefused(t, c.head, size, chunked, c.want, all) })
				})
			}
		}
	}
}

// sendRefused sends a request with a body of a size, and reads the answer before most of it is sent. A form's body
// exceeds the limit.
func sendRefused(t *testing.T, head string, size int, chunked bool, want int, all bool) {
	p, srv := serveInMemory(newGuard("", nil, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("it is passed on")
	}), "/form"))
	defer srv.Close()
	conn := p.dial()
	defer conn.Close()
	var body bytes.Buffer
	if chunked {
		head += "Transfer-Encoding: chunked\r\n\r\n"
		to := httputil.NewChunkedWriter(&body)
		_, _ = to.Write(make([]byte, size))
		_ = to.Close()
		body.WriteString("\r\n")
	} else {
		head += "Content-Length: " + strconv.Itoa(size) + "\r\n\r\n"
		body.Write(make([]byte, size))
	}
	begin, sent := time.Now(), make(chan error)
	told := make(chan struct{})
	go func() {
		_, err := io.WriteString(conn, head+string(body.Next(10_000)))
		<-told
		if err == nil {
			_, err = body.WriteTo(conn)
		}
		sent <- err
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if got := resp.StatusCode; err != nil || got != want || !strings.HasSuffix(string(text), ".\n") {
		t.Errorf("it is told %d, %q (%v), not %d", got, text, err, want)
	}
	close(told)
	go io.Copy(io.Discard, conn)
	if err := <-sent; (err == nil) != all {
		t.Errorf("it has sent its body: %v", err)
	}
	if took := time.Since(begin); took >= bodyTimeout {
		t.Errorf("its connection ends after %v", took)
	}
	time.Sleep(time.Second) // the server lets the client read its answer
}
