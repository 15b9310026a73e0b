package follow

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// TestWatchers: the watchers of a znode come in order and once. Servers name it by their path, and it's asked for by
// the clients' path.
func TestWatchers(t *testing.T) {
	below := access.Dialer{Chroot: "/in"}
	of := watchers([]sessions.Watch{{Session: 9, Path: "/in/l/n"}, {Session: -1, Path: "/in/l/n"},
		{Session: 9, Path: "/in/l/n"}, {Session: 3, Path: "/l/n"}, {Session: 4, Path: "/in"}}, below.Outer)
	for path, want := range map[string][]int64{"/l/n": {-1, 9}, "/": {4}, "/in/l/n": nil, "l": nil} {
		if got := of(path); !slices.Equal(got, want) {
			t.Errorf("%s is watched by %v, not by %v", path, got, want)
		}
	}
}
