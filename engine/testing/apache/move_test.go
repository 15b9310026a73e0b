package apache

import (
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
	real, asked := freeAddr, 0
	defer func() { freeAddr = real }()
	freeAddr = func() (string, error) {
		if asked++; asked == 1 {
			return first.Addr, nil
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
