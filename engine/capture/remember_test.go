package capture

import "testing"

// TestChangesRemembered forgets the older half of too many changes of a znode.
func TestChangesRemembered(t *testing.T) {
	var list []change
	for zxid := range int64(keepChanges) {
		list = remember(list, change{zxid: zxid})
	}
	if len(list) != keepChanges || list[0].zxid != 0 {
		t.Errorf("of as many as there may be %d are left, from %d", len(list), list[0].zxid)
	}
	list = remember(list, change{zxid: keepChanges})
	if n := len(list); n != keepChanges/2+1 || list[0].zxid != keepChanges/2 || list[n-1].zxid != keepChanges {
		t.Errorf("%d are left, from %d to %d", n, list[0].zxid, list[n-1].zxid)
	}
}
