package etcdconform_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/testing/etcdtest"
	"github.com/zkviz/zkviz/engine/testing/versus"
)

// bugs are planted as edits of files of the model, only in the program that the test builds.
var bugs = []versus.Bug{
	{"a deletion of nothing has a revision", "keys.go",
		"o.Kind == etcd.Delete && s.keys[o.Key] != nil", "o.Kind == etcd.Delete"},
	{"a watch of what is past is told nothing", "keys.go",
		"k.link.Push(etcd.Deleted(c.Key), s.cause)", "_ = 0"},
	{"a watch that begins later is told at once", "keys.go", "if w.from > s.revision {", "if false {"},
	{"a key that is put again is a new one", "keys.go", "i.Value, i.Modified = o.Value, s.revision",
		"i.Value, i.Modified, i.Created = o.Value, s.revision, s.revision"},
	{"a lease that is revoked leaves its keys", "lease.go",
		"s.drop(s.keys[key], 0, event.ByLease)", "_ = key"},
	{"a key without a lease stays under the one that it had", "lease.go", "\ts.detach(i)\n", "\n"},
	{"the last before a revision is one at it", "keys.go", "i.Created < o.Before)",
		"i.Created <= o.Before)"},
}

// TestPlantedBugsAreFound checks that TestConforms finds each of these bugs soon.
func TestPlantedBugsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the test several times")
	}
	versus.Planted(t, "../../stores/etcd/model/", "TestConforms", bugs, "-etcd", etcdtest.Start(t).Addr())
}
