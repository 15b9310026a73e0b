package tap_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/testing/port"
)

// TestOfItself checks that a tap refuses to lead to itself, which would connect endlessly.
func TestOfItself(t *testing.T) {
	port := strconv.Itoa(port.Free(t))
	for _, c := range []struct {
		listen, server string
		refused        bool
	}{
		{"127.0.0.1:" + port, "127.0.0.1:" + port, true},
		{"127.0.0.1:" + port, "localhost:" + port, true},
		{":" + port, "127.0.0.1:" + port, true},
		{"127.0.0.2:" + port, "127.0.0.1:" + port, false},
		{"127.0.0.1:0", "127.0.0.1:" + port, false},
		{"127.0.0.1:0", "no.such.host.invalid:" + port, false},
	} {
		s, err := tap.Listen(tap.Config{Listen: c.listen, Servers: []string{"127.0.0.1:1", c.server}})
		if err == nil {
			_ = s.Close()
		}
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), c.server+" is the tap itself") {
			t.Errorf("at %s, to %s: %v", c.listen, c.server, err)
		}
	}
}
