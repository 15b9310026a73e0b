package capture

import (
	"strconv"
	"testing"
)

// TestChangesRemembered checks that the oldest of too many changes is forgotten, for one znode and for many.
func TestChangesRemembered(t *testing.T) {
	h := history{lists: map[place][]change{}}
	one := place{path: "/one"}
	for zxid := range int64(maxChanges) {
		h.add(one, change{zxid: zxid})
	}
	if list := h.of(one); len(list) != maxChanges || list[0].zxid != 0 {
		t.Errorf("of as many as there may be %d are left, from %d", len(list), list[0].zxid)
	}
	h.add(one, change{zxid: maxChanges})
	if list := h.of(one); len(list) != maxChanges || list[0].zxid != 1 || list[len(list)-1].zxid != maxChanges {
		t.Errorf("%d are left, from %d", len(list), list[0].zxid)
	}
	for n := range 2 * maxChanges {
		h.add(place{path: "/many/" + strconv.Itoa(n)}, change{zxid: int64(n)})
	}
	if len(h.lists) != maxChanges || len(h.order) != maxChanges || h.of(one) != nil {
		t.Errorf("%d lists of %d changes are left", len(h.lists), len(h.order))
	}
}
