package standby

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

const (
	secret = "hunter2 hunter2 hunter2"
	digest = "alice:bGV0IG1lIGlu"
)

var (
	forAll   = []zoo.ACL{{Perms: zoo.PermRead, Scheme: "world", ID: "anyone"}}
	forAlice = []zoo.ACL{{Perms: zoo.PermRead, Scheme: "digest", ID: digest}}
)

// leaks returns what of a secret is in text, also as JSON writes bytes.
func leaks(text []byte) string {
	for _, s := range []string{"hunter2", digest, "bGV0", base64.StdEncoding.EncodeToString([]byte(secret))[:8]} {
		if bytes.Contains(text, []byte(s)) {
			return s
		}
	}
	return ""
}

// world makes transactions about few znodes, some of them secret, one by one and in multis. Data of a secret znode is
// the secret.
func world(r *rand.Rand, n int) (all []*wire.Txn) {
	isSecret := map[string]bool{}
	one := func() (p wire.Txn, ok bool) {
		path := fmt.Sprintf("/a%d", r.IntN(4))
		hidden, there := isSecret[path]
		switch what := r.IntN(4); {
		case !there:
			p = wire.Txn{Op: wire.OpCreate, Path: path, Data: []byte("plain"), ACL: forAll, Cversion: 1}
			if isSecret[path] = r.IntN(2) == 0; isSecret[path] {
				p.Data, p.ACL = []byte(secret), forAlice
			}
		case what == 0:
			p = wire.Txn{Op: wire.OpDelete, Path: path}
			delete(isSecret, path)
		case what == 1:
			p = wire.Txn{Op: wire.OpSetACL, Path: path, ACL: forAll}
			if isSecret[path] = !hidden; !hidden {
				p.ACL = forAlice
			}
		default:
			p = wire.Txn{Op: wire.OpSetData, Path: path, Data: []byte(strings.Repeat("é\xff", r.IntN(200)))}
			if hidden {
				p.Data = []byte(secret)
			}
		}
		return p, true
	}
	for i := range n {
		t, _ := one()
		if r.IntN(3) == 0 {
			parts := []wire.Txn{t}
			for range r.IntN(4) {
				p, _ := one()
				parts = append(parts, p)
			}
			t = wire.Txn{Op: wire.OpMulti, Parts: parts}
		}
		t.Session, t.Cxid, t.Zxid, t.TimeMS = 5, 1, int64(i+1), int64(1000+i)
		all = append(all, &t)
	}
	return all
}

// TestNoSecrets checks over seeds that nothing shared has data that not everybody may read, or an identity of an ACL,
// and that readers show just what one who joins by itself shows, also those who begin with an image.
func TestNoSecrets(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		own, reads := guarded(0), guarded(0)
		for _, txn := range world(r, 40) {
			facts := own.Apply(txn)
			all := entries(encodeAll(message{Txn: new(strip(txn, facts))}))
			var j joiner
			batch, err := j.add(all[0])
			if err != nil || leaks(all[0]) != "" {
				t.Fatalf("seed %d: %s has %q: %v", seed, all[0], leaks(all[0]), err)
			}
			if got := reads.Apply(batch[0].Txn.txn()); !reflect.DeepEqual(got, facts) {
				t.Fatalf("seed %d: %+v became %+v", seed, facts, got)
			}
		}
		if text := encodeAll(message{Image: imageOf(own, 1, false)}); leaks(text) != "" {
			t.Fatalf("seed %d: the image has %q", seed, leaks(text))
		}
		if want, got := maps.Collect(own.Below("/")), maps.Collect(reads.Below("/")); !reflect.DeepEqual(want, got) {
			t.Fatalf("seed %d: %v became %v", seed, want, got)
		}
	}
}

// TestImage checks that an image gives sessions, ephemeral znodes, containers and texts of every length.
func TestImage(t *testing.T) {
	own := guarded(9)
	own.Open(5, 4000)
	tree := own.Tree()
	for i, data := range []string{"", "a", strings.Repeat("é", 127), strings.Repeat("é", 128),
		"a" + strings.Repeat("é", 500), strings.Repeat("漢", 500),
		"ab" + strings.Repeat("漢", 500), strings.Repeat("x", 256), strings.Repeat("x", 70_000)} {
		_ = tree.Node(&txnlog.Node{Path: fmt.Sprintf("/n%d", i), Data: []byte(data), ACL: forAll, Made: 3,
			Stat: zoo.Stat{Czxid: 1, Mzxid: 2, Ctime: 3}})
	}
	for i, owner := range []int64{5, -1 << 63, -1<<56 | 1000} {
		_ = tree.Node(&txnlog.Node{Path: fmt.Sprintf("/o%d", i), ACL: forAlice, Stat: zoo.Stat{EphemeralOwner: owner}})
	}
	all := entries(encodeAll(message{Image: imageOf(own, 1, false)}))
	got := guarded(0)
	r := &reader{to: learner.To{Begin: func(b learner.Beginning) error { got.Zxid = b.Zxid; return nil }, Tree: got.Tree(),
		Synced: func() error { return nil }}}
	var j joiner
	for _, e := range all {
		batch, err := j.add(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range batch {
			if err := r.take(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want, have := maps.Collect(own.Below("/")), maps.Collect(got.Below("/")); !reflect.DeepEqual(want, have) {
		for p, n := range want {
			t.Logf("%s: %+v", p, n)
			t.Logf("%s: %+v", p, have[p])
		}
		t.Error("they differ")
	}
	if got.Timeout(5) != 4000 || got.Zxid != 9 {
		t.Errorf("timeout %d, zxid %d", got.Timeout(5), got.Zxid)
	}
}

// TestHostileEntries checks that entries that no owner writes are an error.
func TestHostileEntries(t *testing.T) {
	for _, e := range []string{"", "\x00x", "\x02[]", "\x03{", "\x03[{\"txn\":{\"z\":\"x\"}}]"} {
		var j joiner
		if _, err := j.add([]byte(e)); err == nil {
			t.Errorf("%q is taken", e)
		}
	}
	var j joiner
	flag := byte(first)
	for n := 0; ; n++ {
		if _, err := j.add(append([]byte{flag}, make([]byte, chunk)...)); err != nil {
			break
		}
		if flag = 0; n > maxBatch/chunk {
			t.Fatal("a batch has no end")
		}
	}
	if n := len((data{Size: 1 << 40}).bytes()); n > maxData {
		t.Errorf("an entry takes %d bytes", n)
	}
}
