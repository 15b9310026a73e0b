package apache

import "testing"

// TestMove starts a server on a port that another server has taken meanwhile: it must neither use that port nor take
// the other's answers for its own.
func TestMove(t *testing.T) {
	if err := Find(); err != nil {
		t.Skip(err) // TestPortTaken decides whether that is a failure
	}
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
