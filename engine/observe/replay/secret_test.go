package replay_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestSecrets checks that a guarded state never reports data that only some may read: not when the znode is
// created, found or set, nor after its ACL changes. It reports the length.
func TestSecrets(t *testing.T) {
	some := []zoo.ACL{{Perms: zoo.PermAll, Scheme: "digest", ID: "me:x"},
		{Perms: zoo.PermCreate, Scheme: "world", ID: "anyone"}}
	for _, guarded := range []bool{true, false} {
		s := replay.New("/")
		s.Guarded = guarded
		s.Put("/found", replay.Node{Text: "secret", Bytes: 6, Secret: true})
		told := 0
		for i, x := range []wire.Txn{
			{Op: wire.OpCreate, Path: "/made", Data: []byte("secret"), ACL: some},
			{Op: wire.OpSetData, Path: "/made", Data: []byte("secret")},
			{Op: wire.OpSetData, Path: "/found", Data: []byte("secret")},
			{Op: wire.OpCreate, Path: "/open", Data: []byte("all"), ACL: zoo.OpenACL()},
			{Op: wire.OpSetACL, Path: "/open", ACL: some},
			{Op: wire.OpSetData, Path: "/open", Data: []byte("secret")},
		} {
			x.Zxid = int64(i + 1)
			for _, f := range s.Apply(&x) {
				if f.Text == "secret" {
					told++
				}
				if f.Kind == event.ZnodeChanged && f.N != 6 {
					t.Errorf("%s is said to have %d bytes", f.Path, f.N)
				}
			}
		}
		for _, path := range []string{"/made", "/found", "/open"} {
			if s.Node(path).Text == "secret" {
				told++
			}
		}
		if want := map[bool]int{true: 0, false: 7}[guarded]; told != want {
			t.Errorf("guarded %v: it is told %d times, not %d", guarded, told, want)
		}
	}
}
