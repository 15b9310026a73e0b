// Package port finds ports that stay free for the test that asked: where it starts a server later, or where nobody may
// listen. It isn't for a server that can listen on port 0 and say where.
//
// A port of a closed listener on port 0 belongs to the system's range, from which it may be given away at once, as the
// near end of any other test's connection. The ports here are below that range, and a UDP socket marks each as taken
// for callers in other processes; servers on TCP don't notice it.
package port

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// The range is below those from which Linux, macOS and Windows assign ports.
const (
	first = 12_000
	after = 20_000
)

// Reserve returns a port of 127.0.0.1 on which nothing listens. No other caller gets it until release, which is never
// nil.
func Reserve() (port int, release func(), err error) {
	for range 1000 {
		port = first + rand.IntN(after-first)
		mark, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
		if err != nil {
			continue
		}
		if l, err := net.Listen("tcp", fmt.Sprintf(":%d", port)); err == nil { // on any of the machine's addresses
			_ = l.Close()
			return port, func() { _ = mark.Close() }, nil
		}
		_ = mark.Close()
	}
	return 0, func() {}, fmt.Errorf("no port from %d to %d is free", first, after-1)
}

// Free returns a port of 127.0.0.1 that is the test's own until it ends.
func Free(tb testing.TB) int {
	tb.Helper()
	port, release, err := Reserve()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(release)
	return port
}

// Addr is like Free, and returns the address, 127.0.0.1:port.
func Addr(tb testing.TB) string {
	tb.Helper()
	return fmt.Sprintf("127.0.0.1:%d", Free(tb))
}
