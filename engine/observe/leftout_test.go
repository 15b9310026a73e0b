package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/view"
	languages "github.com/zkviz/zkviz/static/strings"
)

// read is the reading of a znode with such children.
func read(path string, names ...string) job {
	return job{path: path, data: true, children: true, listed: true, names: names,
		stat: &zk.Stat{Czxid: 1, NumChildren: int32(len(names))}}
}

// words are what an observer says that it leaves out.
func words(e event.Event) string {
	return sentence.Voice{Say: languages.English().Say}.Says(view.LeftOut(e))
}

// leftOut is all that o leaves out, in words.
func leftOut(o *observer) string {
	var all []string
	for _, e := range o.leftOut() {
		all = append(all, words(e))
	}
	return strings.Join(all, "; ")
}

// TestLeftOut says what is left out, all of it, and takes it back.
func TestLeftOut(t *testing.T) {
	log := &logged{}
	o, d := newObserver(Observation{Path: "/a"}, log), newDirty()
	told := func(want ...string) {
		t.Helper()
		before := len(*log)
		for range 2 { // the second time there is nothing new
			o.tellLeftOut()
		}
		var got []string
		for _, e := range (*log)[before:] {
			got = append(got, words(e))
		}
		if !slices.Equal(got, want) {
			t.Errorf("it says %q, not %q", got, want)
		}
	}
	o.take(job{path: "/a", data: true, children: true, err: zk.ErrNoNode}, d)
	told("/a isn't there yet; the page is waiting for it")
	secret := read("/a/secret")
	secret.listed, secret.err = false, zk.ErrNoAuth
	wide := read("/a/wide")
	wide.listed, wide.large = false, true
	o.take(read("/a", "secret", "wide"), d)
	o.take(secret, d)
	o.take(wide, d)
	told("the children of /a/wide are left out: there are too many", "/a/secret may not be read: an ACL forbids it")
	o.take(read("/a/secret"), d)
	deep := "/a"
	for range MaxObservedDepth {
		deep += "/d"
		o.nodes[deep] = &observed{}
	}
	j := read(deep, "more")
	j.listed = false
	o.take(j, d)
	o.take(read("/a/wide", strings.Repeat("x", MaxObservedPath)), d)
	told("what lies too deep, below "+deep+", is left out", "znodes with paths of more than 1024 bytes are left out")
	o.take(read("/a/wide"), d)
	o.forget(deep)
	told("everything that's there is shown")
	var many []string
	for i := range MaxObservedNodes {
		many = append(many, fmt.Sprint(i))
	}
	o.take(read("/a/wide", many...), d)
	told("there are more than 2000 znodes; the others are left out")
	o.take(read("/a/wide"), d)
	told("everything that's there is shown")
}

// TestFound says since when a znode is there, once.
func TestFound(t *testing.T) {
	log := &logged{}
	o, d := newObserver(Observation{Path: "/a"}, log), newDirty()
	j := read("/a")
	j.stat.Ctime = 1_700_000_000_000
	o.take(j, d)
	j.stat = &zk.Stat{Czxid: 1, Mzxid: 2, Ctime: j.stat.Ctime}
	o.take(j, d)
	i := slices.IndexFunc(*log, func(e event.Event) bool { return e.Kind == event.ZnodeFound })
	if log.count(event.ZnodeFound) != 1 || (*log)[i].Path != "/a" || (*log)[i].N != 1_700_000_000_000 {
		t.Errorf("it says %v", *log)
	}
}
