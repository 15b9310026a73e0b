package web_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

// BenchmarkMemoryOfPages measures the server's memory for a connected page: one that asks for nothing, one that has
// received a whole run, and one that reads nothing of a long run. The pages' side is a bare connection here.
func BenchmarkMemoryOfPages(b *testing.B) {
	for _, c := range []struct {
		name, ask string
		read      bool
	}{
		{"idle", "", true},
		{"watching", openUnique, true},
		{"stuck", `{"do":"open","query":"recipe=children-lock&clients=1000"}`, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				memoryOfPages(b, c.read, func(*httptest.Server) string { return "/ws" }, func() string { return c.ask })
			}
		})
	}
}

// BenchmarkMemoryOfClass measures the server's memory for a learner and the page that follows.
func BenchmarkMemoryOfClass(b *testing.B) {
	for b.Loop() {
		learners := 0
		memoryOfPages(b, true, func(srv *httptest.Server) string {
			name, _ := webtest.BeginClass(b, srv, "/lessons/the-herd")
			return "/class/" + name + "/ws"
		}, func() string {
			learners++
			return fmt.Sprintf(`{"do":"join","key":"learner-%012d","name":"Learner %[1]d","follows":true}`, learners)
		})
	}
}

// memoryOfPages connects pages to an address. Ask returns what the next one says.
func memoryOfPages(b *testing.B, read bool, at func(*httptest.Server) string, ask func() string) {
	pages := 1000
	if testing.Short() {
		pages = 10
	}
	book, err := webtest.Book()
	if err != nil {
		b.Fatal(err)
	}
	s, err := web.New(b.Context(), web.Config{Book: book})
	if err != nil {
		b.Fatal(err)
	}
	srv := httptest.NewServer(s)
	defer srv.Close()
	defer s.Close()
	address, conns := at(srv), make([]*net.TCPConn, 0, pages+1)
	page := func() {
		conns = append(conns, bare(b, srv.URL, address, ask()))
	}
	page() // what all pages share
	settle(conns, read)
	before := inUse()
	for range pages {
		page()
	}
	settle(conns, read)
	b.ReportMetric(float64(inUse()-before)/float64(pages)/1024, "KB/page")
	for _, c := range conns {
		_ = c.Close()
	}
}

// bare connects a page by hand and sends a message, if there is one.
func bare(b *testing.B, url, at, ask string) *net.TCPConn {
	b.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		b.Fatal(err)
	}
	c := conn.(*net.TCPConn)
	if err := c.SetReadBuffer(4 << 10); err != nil {
		b.Fatal(err)
	}
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", at)
	resp, err := http.ReadResponse(bufio.NewReaderSize(c, 16), nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		b.Fatal(resp, err)
	}
	if ask != "" {
		frame := binary.BigEndian.AppendUint16([]byte{0x81, 0x80 | 126}, uint16(len(ask)))
		frame = append(frame, 0, 0, 0, 0) // the mask
		if _, err := c.Write(append(frame, ask...)); err != nil {
			b.Fatal(err)
		}
	}
	return c
}

// settle waits until the server has sent all that it can, and reads it if read is set.
func settle(conns []*net.TCPConn, read bool) {
	wait := 3 * time.Second
	if testing.Short() {
		wait /= 30
	}
	time.Sleep(wait)
	buf := make([]byte, 64<<10)
	for _, c := range conns {
		for read {
			_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
			if _, err := c.Read(buf); err != nil {
				break
			}
		}
	}
}

func inUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse + m.StackInuse)
}
