package classes

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"rsc.io/qr"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
)

// TestOthers checks which addresses a page names for other machines.
func TestOthers(t *testing.T) {
	on, err := site.New(site.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	machine := func() (all []net.Addr, err error) {
		for _, text := range []string{"127.0.0.1/8", "::1/128", "fe80::1/64", "2001:db8::7/64", "192.0.2.7/24",
			"10.0.3.7/8"} {
			ip, n, err := net.ParseCIDR(text)
			if err != nil {
				t.Fatal(err)
			}
			n.IP = ip
			all = append(all, n)
		}
		return all, nil
	}
	for _, c := range []struct {
		listens, host string
		port          int // at which the request has come in, 0 if that isn't known
		loopback      bool
		others        []string
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080", 8080, true, nil},
		{"127.0.0.1:8080", "localhost", 8080, true, nil},
		{"0.0.0.0:8080", "LOCALHOST:8080", 8080, true, []string{
			"http://192.0.2.7:8080/class/kdm3f7", "http://10.0.3.7:8080/class/kdm3f7",
			"http://[2001:db8::7]:8080/class/kdm3f7"}},
		{":0", "[::1]:4711", 4711, true, []string{
			"http://192.0.2.7:4711/class/kdm3f7", "http://10.0.3.7:4711/class/kdm3f7",
			"http://[2001:db8::7]:4711/class/kdm3f7"}},
		{"[::]:8080", "127.0.0.2", 0, true, []string{
			"http://192.0.2.7:80/class/kdm3f7", "http://10.0.3.7:80/class/kdm3f7", "http://[2001:db8::7]:80/class/kdm3f7"}},
		{"0.0.0.0:8080", "10.0.3.7:8080", 8080, false, nil},
		{"127.0.0.1:8080", "viz.example.com", 8080, false, nil},
	} {
		s := New(Config{Site: on, Addr: c.listens, Stop: t.Context(), Machine: machine})
		r := httptest.NewRequest("GET", "http://"+c.host+"/class/kdm3f7", nil)
		if c.port > 0 {
			at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: c.port}
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at))
		}
		if others, loopback := s.others(r, "kdm3f7"); loopback != c.loopback || !slices.Equal(others, c.others) {
			t.Errorf("at %s by %s: %v %q, want %v %q", c.listens, c.host, loopback, others, c.loopback, c.others)
		}
		s.Close()
	}
	s := New(Config{Site: on, Stop: t.Context()})
	defer s.Close()
	r := httptest.NewRequest("GET", "http://viz.example.com/class/kdm3f7", nil)
	r.Header.Set("X-Forwarded-Proto", "https") // the front has removed it unless a trusted proxy sends it
	if got := s.address(r, "kdm3f7"); got != "https://viz.example.com/class/kdm3f7" {
		t.Errorf("behind a proxy with TLS the address is %s", got)
	}
}

// TestCode reads the drawing of a QR code back: it is the code, with a border.
func TestCode(t *testing.T) {
	code, err := qr.Encode("http://10.0.3.7:8080/class/kdm3f7", qr.M)
	if err != nil {
		t.Fatal(err)
	}
	svg := codeSVG(code)
	size := code.Size + 2*quiet
	if !bytes.Contains(svg, fmt.Appendf(nil, `viewBox="0 0 %d %[1]d"`, size)) {
		t.Errorf("the drawing is no square of %d", size)
	}
	black := map[[2]int]bool{}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllSubmatch(svg, -1) {
		n := make([]int, 4)
		for i := range n {
			n[i], _ = strconv.Atoi(string(m[i+1]))
		}
		if n[2] != n[3] {
			t.Errorf("a bar is open: %s", m[0])
		}
		for i := range n[2] {
			black[[2]int{n[0] + i, n[1]}] = true
		}
	}
	for y := range size {
		for x := range size {
			if want := code.Black(x-quiet, y-quiet); black[[2]int{x, y}] != want {
				t.Fatalf("at %d, %d the drawing is black: %v, want %v", x, y, !want, want)
			}
		}
	}
}

// TestGuessers checks that a guess is forgotten after a minute, and that many guessers cost little.
func TestGuessers(t *testing.T) {
	g, now := newGuesses(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for i := range maxGuessers {
		if g.wrong(site.ClientAt(fmt.Sprint(i)), now) {
			t.Fatalf("guesser %d may not guess", i)
		}
	}
	if !g.wrong("another", now) || len(g.by) != maxGuessers {
		t.Errorf("%d guessers are remembered", len(g.by))
	}
	if g.sweep(now.Add(time.Minute)); len(g.by) != 0 || g.wrong("another", now.Add(time.Minute)) {
		t.Errorf("after a minute %d guessers are remembered", len(g.by))
	}
}
