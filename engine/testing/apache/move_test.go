package apache

import (
	"net"
	"strconv"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/need"
)

// TestMove starts a server on a port that another server has taken meanwhile: it must neither use that port nor take
// the other's answers for its own.
func TestMove(t *testing.T) {
	need.Own(t, "a ZooKeeper", Find())
	first, err := Start(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	real, asked := freePort, 0
	defer func() { freePort = real }()
	freePort = func() (int, func(), error) {
		if asked++; asked == 1 {
			_, port, _ := net.SplitHostPort(first.Addr)
			taken, err := strconv.Atoi(port)
			return taken, func() {}, err
		}
		return real()
	}
	second, err := Start(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if second.Addr == first.Addr || second.over() {
		t.Errorf("the first is at %s, the second at %s", first.Addr, second.Addr)
	}
}
