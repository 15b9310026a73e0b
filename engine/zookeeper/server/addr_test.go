package server_test

import (
	"net/netip"
	"testing"

	"github.com/zkviz/zkviz/engine/zookeeper/server"
)

// TestAddrText checks addresses as Java formats them.
func TestAddrText(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "::1": "0:0:0:0:0:0:0:1", "::ffff:10.0.0.1": "10.0.0.1",
		"fd00::a0:1%eth0": "fd00:0:0:0:0:0:a0:1",
	} {
		if got := server.AddrText(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}
