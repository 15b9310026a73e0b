package tap

import (
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// TestHerds checks that the largest change of a path and kind stays, the latest of equal ones, and that a busy path
// doesn't push out others. Sequential znodes count for the znode above.
func TestHerds(t *testing.T) {
	type herd struct {
		path string
		kind event.Kind
		n    int // clients that it wakes
	}
	queue := func(n, woken int) herd { return herd{fmt.Sprintf("/q/n-%010d", n), event.ZnodeDeleted, woken} }
	busy, many := []herd{{"/few", event.ZnodeChanged, 2}}, []herd{}
	for i := range 3 * MaxHerds {
		busy = append(busy, queue(i, 5+i), herd{"/config", event.ZnodeChanged, 90})
	}
	for i := range MaxHerds + 2 {
		many = append(many, herd{fmt.Sprint("/", i), event.ZnodeChanged, 30 - i})
	}
	largest := many[:MaxHerds]
	for _, c := range []struct {
		name        string
		herds, want []herd
	}{
		{"one client is no herd", []herd{queue(1, 1)}, nil},
		{"the largest stays", []herd{queue(1, 3), queue(2, 9), queue(3, 4)}, []herd{queue(2, 9)}},
		{"the latest of equal ones", []herd{queue(1, 3), queue(2, 3)}, []herd{queue(2, 3)}},
		{"other kinds and paths stay", []herd{{"/a", event.ZnodeChanged, 2}, {"/a", event.ZnodeDeleted, 3},
			{"/b", event.ZnodeChanged, 4}}, []herd{{"/b", event.ZnodeChanged, 4}, {"/a", event.ZnodeDeleted, 3},
			{"/a", event.ZnodeChanged, 2}}},
		{"busy paths beside a small one", busy, []herd{{"/config", event.ZnodeChanged, 90}, queue(59, 64),
			{"/few", event.ZnodeChanged, 2}}},
		{"no more than so many", many, largest},
	} {
		var all changes
		for i, h := range c.herds {
			seq := event.Seq(i + 1)
			all.add(seq, event.Event{Kind: h.kind, Path: h.path}, time.UnixMilli(int64(i)))
			for range h.n {
				all.woke(seq)
			}
		}
		var got []herd
		for _, h := range all.herds() {
			got = append(got, herd{h.Path, h.Change, h.Wakeups})
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, not %v", c.name, got, c.want)
		}
	}
}
