package embed

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// twoPorts returns an address with a free port and a listener at the next port. Both are below the ports that
// systems assign, so that no other program gets the free one.
func twoPorts(t *testing.T) (free string, taken net.Listener) {
	t.Helper()
	for port := 20_000; port < 30_000; port += 2 {
		free = fmt.Sprintf("127.0.0.1:%d", port)
		ln, err := net.Listen("tcp", free)
		if err != nil {
			continue
		}
		_ = ln.Close()
		if taken, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1)); err == nil {
			return free, taken
		}
	}
	t.Fatal("no two ports are free")
	return "", nil
}

// TestWrongEnsembles checks that an impossible configuration is refused with a sentence, and that every port is
// free again.
func TestWrongEnsembles(t *testing.T) {
	before, taken := twoPorts(t)
	defer taken.Close()
	for want, c := range map[string]EnsembleConfig{
		"1 to 9 servers, observers among them, and not 0 and 0":    {},
		"one server alone is no ensemble":                          {Servers: 1},
		"one server alone has no observers":                        {Servers: 1, Observers: 2},
		"1 to 9 servers, observers among them, and not 3 and -1":   {Servers: 3, Observers: -1},
		"1 to 9 servers, observers among them, and not 1000 and 0": {Servers: 1000},
		"1 to 9 servers, observers among them, and not 5 and 5":    {Servers: 5, Observers: 5},
		"write no data file":                                       {Servers: 3, Config: Config{Data: "x"}},
		"up to 1s, and not 2s":                                     {Servers: 3, Latency: 2 * time.Second},
		"up to 10s, and not 1m0s":                                  {Servers: 3, Fsync: time.Minute},
		"a tick is":                                                {Servers: 3, Config: Config{Tick: 1}},
		"is not HOST:PORT":                                         {Servers: 3, Config: Config{Addr: "here"}},
		"there are no 3 ports from":                                {Servers: 3, Config: Config{Addr: "127.0.0.1:65535"}},
		taken.Addr().String() + ": another program":                {Servers: 3, Config: Config{Addr: before}},
	} {
		e, err := ListenEnsemble(c)
		if err == nil {
			t.Errorf("%+v was started", c)
			_ = e.Close()
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
	if ln, err := net.Listen("tcp", before); err != nil {
		t.Errorf("an ensemble that was not started keeps %s: %v", before, err)
	} else {
		_ = ln.Close()
	}
}
