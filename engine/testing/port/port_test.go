package port

import (
	"fmt"
	"net"
	"testing"
)

// TestReserve checks that no port is given twice before it is released, and that a server can listen there.
func TestReserve(t *testing.T) {
	const many = 200
	seen := map[int]bool{}
	for range many {
		p := Free(t)
		if seen[p] || p < first || p >= after {
			t.Fatalf("port %d again, or out of range", p)
		}
		seen[p] = true
		for _, addr := range []string{fmt.Sprintf(":%d", p), fmt.Sprintf("127.0.0.1:%d", p)} {
			l, err := net.Listen("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			_ = l.Close()
		}
	}
	p, release, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	mark := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: p}
	if c, err := net.ListenUDP("udp4", mark); err == nil {
		_ = c.Close()
		t.Error("another process could take the port")
	}
	release()
	c, err := net.ListenUDP("udp4", mark)
	if err != nil {
		t.Fatal("the port is still taken after its release:", err)
	}
	_ = c.Close()
}
