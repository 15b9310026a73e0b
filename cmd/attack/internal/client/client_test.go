package client_test

import (
	"context"
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// TestOnlyLoopback dials what must never be dialled, and itself.
func TestOnlyLoopback(t *testing.T) {
	from := client.Address(1, 7)
	for _, addr := range []string{"192.0.2.1:80", "8.8.8.8:53", "0.0.0.0:80", "[2001:db8::1]:80", "[::ffff:192.0.2.1]:80",
		"localhost:80", "example.com:80"} {
		c, err := from.DialContext(t.Context(), "tcp", addr)
		if err == nil {
			c.Close()
			t.Errorf("%s was dialled", addr)
		} else if !strings.Contains(err.Error(), "ever dialled") && !strings.Contains(err.Error(), "only addresses") &&
			!strings.Contains(err.Error(), "no suitable address") {
			t.Errorf("%s: %v, and nothing says that it was refused", addr, err)
		}
	}
	if _, err := from.HTTP(0).Get("http://192.0.2.1/"); err == nil || !strings.Contains(err.Error(), "ever dialled") {
		t.Errorf("a page of another machine: %v", err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux takes all of 127.0.0.0/8 for this machine")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := from.DialContext(context.Background(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	other, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if got := other.RemoteAddr().(*net.TCPAddr).IP.String(); got != from.String() {
		t.Errorf("it came from %s, not %s", got, from)
	}
}
