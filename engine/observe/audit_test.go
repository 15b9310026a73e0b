package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// TestAudit checks that an audit begins only after something was written. It looks at each znode with a list of
// children once, few at a time, and more at a time where one may not be read.
func TestAudit(t *testing.T) {
	const nodes = 50
	f := newFake(false)
	f.has("/a", zoo.Stat{}, numbered(nodes)...)
	for _, name := range numbered(nodes) {
		f.has("/a/"+name, zoo.Stat{})
	}
	round := func(zxid int64) (rounds int) {
		f.requests.queue = newReadQueue()
		var all []string
		for range 2 * nodes {
			before := len(f.requests.queue.order)
			if f.audits.step(zxid); len(f.requests.queue.order) > before {
				rounds++
			}
		}
		if all = f.requests.queue.order; len(all) > 0 && len(slices.Compact(slices.Sorted(slices.Values(all)))) != nodes+1 {
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
		{now + 1, false, (nodes + auditAtOnce) / auditAtOnce},
		{now + 1, false, 0},
		{now + 7, true, (nodes + auditUnreadable) / auditUnreadable},
		{now + 7, true, 0},
	} {
		f.tree.nodes["/a/00007"].secret = c.secret
		if got := round(c.zxid); got != c.rounds {
			t.Errorf("at %d it takes %d rounds, not %d", c.zxid, got, c.rounds)
		}
	}
}

// TestUnreportedChildren checks that the observer finds children that servers don't report because it may not read
// them. Below a znode that came during the observation, its count of children shows that there are more.
func TestUnreportedChildren(t *testing.T) {
	made := func() *fake {
		f := newFake(false)
		f.has("/a", zoo.Stat{})
		f.fires(zoo.NodeCreated, "/a/b")
		f.requests.queue = newReadQueue()
		return f
	}
	says := func(f *fake, kind reader.Kind, cversion, children int32) {
		stat := zoo.Stat{Czxid: now + 1, Cversion: cversion, NumChildren: children}
		f.answers(kind, "/a/b", wire.Response{Stat: stat})
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
			f.audits.step(now + 1)
			says(f, reader.Stat, 1, 1)
		}, false},
		"it gets a secret one": {func(f *fake) {
			says(f, reader.Data, 0, 0)
			f.audits.step(now + 1)
			if f.requests.queue.needs["/a/b"]&needStat == 0 {
				t.Error("it isn't looked at again")
			}
			says(f, reader.Stat, 1, 1)
		}, true},
	} {
		f := made()
		if c.do(f); f.requests.queue.needs["/a/b"]&needNames != 0 != c.lists {
			t.Errorf("%s: its children are listed or not, against what is due: %v", name, f.requests.queue.needs)
		}
		if text := f.log.text(); strings.Contains(text, "missed") {
			t.Errorf("%s: the log says that it lacks something: %s", name, text)
		}
	}
}

// TestSecretRoot checks that a znode that isn't there yet is found when a client creates it for itself alone, which no
// server reports.
func TestSecretRoot(t *testing.T) {
	f := newFake(false)
	f.answers(reader.Data, "/a", wire.Response{Code: zoo.ErrNoNode})
	f.requests.queue = newReadQueue()
	f.audits.step(now)
	if f.requests.queue.needs["/a"] != 0 {
		t.Error("nothing was written, and it is looked for")
	}
	f.audits.step(now + 1)
	if f.requests.queue.needs["/a"]&needStat == 0 {
		t.Fatal("it isn't looked for")
	}
	stat := zoo.Stat{Czxid: now + 1, Mzxid: now + 1}
	f.answers(reader.Stat, "/a", wire.Response{Stat: stat})
	f.answers(reader.Data, "/a", wire.Response{Code: zoo.ErrNoAuth})
	f.answers(reader.Stat, "/a", wire.Response{Stat: stat})
	if n := f.tree.nodes["/a"]; f.tree.missing || n == nil || !n.secret {
		t.Errorf("it is missing: %v; it's %+v", f.tree.missing, n)
	}
}

// TestHidden checks that the log shows the first round's progress in a large tree. Until that round is over, the log
// doesn't claim to show everything.
func TestHidden(t *testing.T) {
	const nodes = 50
	f := newFake(false)
	f.requests.asking = 0
	f.has("/a", zoo.Stat{}, numbered(nodes)...)
	for _, name := range numbered(nodes) {
		f.has("/a/"+name, zoo.Stat{})
	}
	var said []string
	tick := func(zxid int64) {
		f.requests.queue = newReadQueue()
		before := len(f.log)
		f.audits.step(zxid)
		for _, e := range f.log[before:] {
			said = append(said, words(e))
		}
	}
	tick(now)
	if len(said) > 0 {
		t.Errorf("nothing was written yet, and it says %q", said)
	}
	for range nodes {
		tick(now + 1)
	}
	for range nodes { // another round reports nothing more
		tick(now + 2)
	}
	var want []string
	for tenths := range 10 {
		want = append(want, fmt.Sprintf("ACLs may hide more: zkviz has checked %d of %d znodes so far",
			tenths*(nodes+1)/10, nodes+1))
	}
	want = append(want, "ACLs may hide more: zkviz has checked 51 of 51 znodes so far",
		"everything that may be read is shown")
	if !slices.Equal(said, want) {
		t.Errorf("it says\n%s\nnot\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
}

// TestHiddenIsFound checks that a round isn't over while its findings are still being read.
func TestHiddenIsFound(t *testing.T) {
	f := newFake(false)
	f.has("/a", zoo.Stat{}, numbered(30)...)
	for _, name := range numbered(30) {
		f.has("/a/"+name, zoo.Stat{})
	}
	f.requests.queue = newReadQueue()
	for range 2 * 30 {
		f.audits.step(now + 1)
	}
	if _, of := f.audits.progress(); of == 0 {
		t.Error("nothing is answered, and it's over")
	}
	f.answers(reader.Stat, "/a", wire.Response{Stat: zoo.Stat{Czxid: 1, NumChildren: 30}})
	f.requests.queue = newReadQueue()
	f.audits.step(now + 1)
	if _, of := f.audits.progress(); of != 0 {
		t.Error("all is answered, and it isn't over")
	}
}
