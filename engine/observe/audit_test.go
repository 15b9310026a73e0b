package observe

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/reader"
	"github.com/zkviz/zkviz/engine/zoo"
)

// TestAudit: where nobody has written anything there's nothing to look for. Else each znode with a list of children is
// looked at once, few at a time, and more at a time where one may not be read.
func TestAudit(t *testing.T) {
	const nodes = 50
	f := newFake(false)
	f.has("/a", zoo.Stat{}, numbered(nodes)...)
	for _, name := range numbered(nodes) {
		f.has("/a/"+name, zoo.Stat{})
	}
	round := func(zxid int64) (rounds int) {
		f.looks = newLooks()
		var all []string
		for range 2 * nodes {
			before := len(f.looks.order)
			if f.audit(zxid); len(f.looks.order) > before {
				rounds++
			}
		}
		if all = f.looks.order; len(all) > 0 && len(slices.Compact(slices.Sorted(slices.Values(all)))) != nodes+1 {
			t.Errorf("at %d it looks at %v", zxid, all)
		}
		return rounds
	}
	for _, c := range []struct {
		zxid   int64
		secret bool
		rounds int
	}{
		{now, false, 0},
		{now + 1, false, (nodes + auditMost) / auditMost},
		{now + 1, false, 0},
		{now + 7, true, (nodes + auditKnown) / auditKnown},
		{now + 7, true, 0},
	} {
		f.nodes["/a/00007"].secret = c.secret
		if got := round(c.zxid); got != c.rounds {
			t.Errorf("at %d it takes %d rounds, not %d", c.zxid, got, c.rounds)
		}
	}
}

// TestUntoldChildren: servers tell of no child that the observer may not read, also below a znode that came while it
// was observed, whose children were never listed. By its own count of them it's known that there are more.
func TestUntoldChildren(t *testing.T) {
	made := func() *fake {
		f := newFake(false)
		f.has("/a", zoo.Stat{})
		f.fires(zoo.NodeCreated, "/a/b")
		f.looks = newLooks()
		return f
	}
	says := func(f *fake, kind reader.Kind, cversion, children int32) {
		stat := zoo.Stat{Czxid: now + 1, Cversion: cversion, NumChildren: children}
		f.says(kind, "/a/b", wire.Response{Stat: stat})
	}
	for name, c := range map[string]struct {
		do    func(f *fake)
		lists bool
	}{
		"it has none": {func(f *fake) { says(f, reader.Data, 0, 0) }, false},
		"it has one": {func(f *fake) {
			f.fires(zoo.NodeCreated, "/a/b/c")
			says(f, reader.Data, 1, 1)
		}, false},
		"it has a secret one": {func(f *fake) { says(f, reader.Data, 1, 1) }, true},
		"it gets one": {func(f *fake) {
			says(f, reader.Data, 0, 0)
			f.fires(zoo.NodeCreated, "/a/b/c")
			f.audit(now + 1)
			says(f, reader.Stat, 1, 1)
		}, false},
		"it gets a secret one": {func(f *fake) {
			says(f, reader.Data, 0, 0)
			f.audit(now + 1)
			if f.looks.needs["/a/b"]&needStat == 0 {
				t.Error("it isn't looked at again")
			}
			says(f, reader.Stat, 1, 1)
		}, true},
	} {
		f := made()
		if c.do(f); f.looks.needs["/a/b"]&needNames != 0 != c.lists {
			t.Errorf("%s: its children are listed or not, against what is due: %v", name, f.looks.needs)
		}
		if text := f.log.text(); strings.Contains(text, "missed") {
			t.Errorf("%s: the log says that it lacks something: %s", name, text)
		}
	}
}
