package capture

import (
	"strconv"
	"testing"
)

// TestChangesRemembered checks that the oldest of too many changes is forgotten, for one znode and for many.
func TestChangesRemembered(t *testing.T) {
	h := history{lists: map[place][]change{}}
	one := place{path: "/one"}
	for zxid := range int64(keepChanges) {
		h.add(one, change{zxid: zxid})
	}
	if list := h.of(one); len(list) != keepChanges || list[0].zxid != 0 {
		t.Errorf("of as many as there may be %d are left, from %d", len(list), list[0].zxid)
	}
	h.add(one, change{zxid: keepChanges})
	if list := h.of(one); len(list) != keepChanges || list[0].zxid != 1 || list[len(list)-1].zxid != keepChanges {
		t.Errorf("%d are left, from %d", len(list), list[0].zxid)
	}
	for n := range 2 * keepChanges {
		h.add(place{path: "/many/" + strconv.Itoa(n)}, change{zxid: int64(n)})
	}
	if len(h.lists) != keepChanges || len(h.order) != keepChanges || h.of(one) != nil {
		t.Errorf("%d lists of %d changes are left", len(h.lists), len(h.order))
	}
}
