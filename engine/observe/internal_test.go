package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
	languages "github.com/zkviz/zkviz/static/strings"
)

// TestJoinReasons checks that servers which can't be observed for the same reason are named together.
func TestJoinReasons(t *testing.T) {
	why := map[string]string{"c:1": "refused", "a:1": "refused", "b:1": "no quorum"}
	if got := joinReasons(why); got != "a:1, c:1: refused; b:1: no quorum" {
		t.Errorf("it says %q", got)
	}
}

// now is the last zxid before the log of these tests.
const now = 100

// fake is an observer without a connection: tests answer for the server.
type fake struct {
	*observer
	log logged
}

func newFake(oneShot bool) *fake {
	f := &fake{}
	f.observer = newObserver(Observation{Path: "/a"}, &f.log)
	f.oneShot, f.requests.asking = oneShot, 1<<30
	return f
}

// answers gives the observer an answer.
func (f *fake) answers(kind reader.Kind, path string, a wire.Response) {
	a.Zxid = now
	f.receive(reader.Message{Asked: &reader.Request{Kind: kind, Path: path}, Answer: a})
}

// has answers that a znode exists, with these children.
func (f *fake) has(path string, stat zoo.Stat, names ...string) {
	if stat.Czxid == 0 {
		stat.Czxid = 1
	}
	stat.NumChildren = int32(len(names))
	f.lists.unlisted[path] = true
	f.answers(reader.Data, path, wire.Response{Stat: stat})
	if f.requests.queue.needs[path]&needNames != 0 {
		f.requests.queue.drop(path)
		f.answers(reader.Children, path, wire.Response{Stat: stat, Children: names})
	}
}

// fires sends a watch event.
func (f *fake) fires(t zoo.EventType, path string) {
	f.receive(reader.Message{Event: wire.Notification{Type: int32(t), Path: path}})
}

// logged keeps a log.
type logged []event.Event

func (l *logged) Append(e event.Event) { *l = append(*l, e) }

func (l logged) count(kind event.Kind) (n int) {
	for _, e := range l {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// text writes a log's kinds, paths and numbers of missed changes.
func (l logged) text() string {
	var all []string
	for _, e := range l {
		switch {
		case e.Reason == event.LeftMissed:
			all = append(all, fmt.Sprintf("missed %s %d", e.Path, e.N))
		case e.Path != "" && e.Kind != event.RecipeNote:
			all = append(all, strings.TrimPrefix(e.Kind.String(), "znode.")+" "+e.Path)
		}
	}
	return strings.Join(all, ", ")
}

// words returns the sentence for what an observer leaves out.
func words(e event.Event) string {
	return sentence.Voice{Say: languages.English().Say}.Says(view.LeftOut(e))
}

func (f *fake) left() string {
	var all []string
	for _, e := range f.omissions.all() {
		all = append(all, words(e))
	}
	return strings.Join(all, "; ")
}

func numbered(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("%05d", i))
	}
	return names
}

// TestMissed checks how many changes the log lacks, by watch events and by the servers' own counts.
func TestMissed(t *testing.T) {
	const made, set, gone = zoo.NodeCreated, zoo.NodeDataChanged, zoo.NodeDeleted
	at := func(czxid, mzxid int64, version, cversion int32) zoo.Stat {
		return zoo.Stat{Czxid: czxid, Mzxid: mzxid, Version: version, Cversion: cversion}
	}
	for name, c := range map[string]struct {
		oneShot bool
		play    func(f *fake)
		want    string
	}{
		"changes of the data": {false, func(f *fake) {
			for range 5 {
				f.fires(set, "/a")
			}
			f.has("/a", at(1, 105, 8, 0))
		}, "missed /a 4, changed /a"},
		"changes by the version alone": {true, func(f *fake) {
			f.fires(set, "/a")
			f.has("/a", at(1, 105, 8, 0))
		}, "missed /a 4, changed /a"},
		"nothing": {false, func(f *fake) {
			f.fires(set, "/a")
			f.has("/a", at(1, 101, 4, 0))
			f.has("/a", at(1, 101, 4, 0))
		}, "changed /a"},
		"made and set": {false, func(f *fake) {
			f.fires(made, "/a/x")
			f.fires(set, "/a/x")
			f.fires(set, "/a/x")
			f.has("/a/x", at(101, 103, 2, 0))
		}, "missed /a/x 2, created /a/x, found /a/x"},
		"made and gone": {false, func(f *fake) {
			f.fires(made, "/a/x")
			f.fires(gone, "/a/x")
			f.fires(made, "/a/x")
			f.has("/a/x", at(103, 103, 0, 0))
		}, "missed /a/x 2, created /a/x, found /a/x"},
		"set and gone": {false, func(f *fake) {
			f.fires(made, "/a/x")
			f.has("/a/x", at(101, 101, 0, 0))
			f.fires(set, "/a/x")
			f.fires(gone, "/a/x")
		}, "created /a/x, found /a/x, missed /a/x 1, deleted /a/x"},
		"one that was left out": {false, func(f *fake) {
			f.fires(set, "/a/x")
			f.fires(set, "/a/x")
			f.has("/a/x", at(50, 102, 9, 0))
			f.fires(gone, "/a/y")
		}, "missed /a/x 1, found /a/x, changed /a/x, deleted /a/y"},
		"a child that came and went": {true, func(f *fake) {
			f.fires(zoo.NodeChildrenChanged, "/a")
			f.has("/a", at(1, 1, 3, 3), "x")
			f.has("/a/x", at(103, 103, 0, 0))
		}, "missed /a 2, created /a/x, found /a/x"},
		"a child that was in a list only": {true, func(f *fake) {
			f.has("/a", at(1, 1, 3, 1), "x")
			f.answers(reader.Data, "/a/x", wire.Response{Code: zoo.ErrNoNode})
			f.has("/a", at(1, 1, 3, 2))
		}, "missed /a/x 1, missed /a 1"},
		"a child that is another": {true, func(f *fake) {
			f.has("/a", at(1, 1, 3, 1), "x")
			f.has("/a/x", at(101, 101, 0, 0))
			f.has("/a/x", at(103, 104, 1, 0))
			f.has("/a", at(1, 1, 3, 3), "x")
		}, "created /a/x, found /a/x, deleted /a/x, missed /a/x 1, created /a/x, found /a/x"},
		"children while no watch fired": {false, func(f *fake) {
			f.fires(made, "/a/x")
			f.has("/a/x", at(101, 101, 0, 0))
			f.has("/a", at(1, 1, 3, 5), "y")
			f.has("/a/y", at(105, 105, 0, 0))
		}, "created /a/x, found /a/x, deleted /a/x, missed /a 2, created /a/y, found /a/y"},
	} {
		f := newFake(c.oneShot)
		f.has("/a", at(1, 1, 3, 0))
		f.log = nil
		if c.play(f); f.log.text() != c.want {
			t.Errorf("%s: it says\n%s, want\n%s", name, f.log.text(), c.want)
		}
	}
}

// TestOverlooked checks that more changes than can wait to be read are counted and reported as left out.
func TestOverlooked(t *testing.T) {
	f := newFake(false)
	f.has("/a", zoo.Stat{})
	f.log = nil
	for i := range maxQueued + 7 {
		f.fires(zoo.NodeCreated, fmt.Sprintf("/a/%d", i))
	}
	if f.requests.asking = 0; len(f.requests.queue.order) != maxQueued {
		t.Errorf("%d wait", len(f.requests.queue.order))
	}
	f.answered()
	if f.log.text() != "missed /a 7" || !strings.Contains(f.left(), "until they change") {
		t.Errorf("it says %s; %s", f.log.text(), f.left())
	}
}

// TestOwners checks that a session keeps its client throughout the log.
func TestOwners(t *testing.T) {
	f := newFake(false)
	f.has("/a", zoo.Stat{})
	own := func(session int64) event.Actor { return f.owners.addZnode(session).client() }
	for s := range int64(MaxObservedClients) {
		if got := own(s + 1); got != event.Actor(s+1) {
			t.Fatalf("session %d is client %d", s+1, got)
		}
	}
	if own(5000) != event.ZooKeeper || !strings.Contains(f.left(), "more than 1000 owners") {
		t.Errorf("there is no room, and it says %s", f.left())
	}
	f.owners.removeZnode(f.owners.bySession[7])
	if got := []event.Actor{own(5000), own(7)}; !slices.Equal(got, []event.Actor{MaxObservedClients + 1, 0}) {
		t.Errorf("the next are %v", got)
	}
	f.owners.removeZnode(f.owners.bySession[3])
	if got := own(7); got != 7 || f.log.count(event.SessionSeen) != MaxObservedClients+1 {
		t.Errorf("session 7 comes back as client %d", got)
	}
	f.owners.removeZnode(f.owners.bySession[4])
	for s := int64(10_000); !f.observer.log.full && s < 30_000; s++ {
		f.owners.removeZnode(f.owners.addZnode(s))
	}
	if len(f.owners.bySession) != event.MaxActor || !f.observer.log.full {
		t.Errorf("there are %d, and the log is full: %t", len(f.owners.bySession), f.observer.log.full)
	}
}

// TestLimits checks what happens at the limits of an observation.
func TestLimits(t *testing.T) {
	for _, oneShot := range []bool{false, true} {
		f := newFake(oneShot)
		f.has("/a", zoo.Stat{}, numbered(MaxObservedNodes-1)...)
		if f.left() != "" || len(f.tree.nodes) != MaxObservedNodes {
			t.Errorf("of as many as there may be %d are there: %s", len(f.tree.nodes), f.left())
		}
		f.has("/a", zoo.Stat{}, numbered(MaxObservedNodes)...)
		want := map[bool]string{false: "until they change", true: "more than 2000 znodes"}[oneShot]
		if !strings.Contains(f.left(), want) || len(f.tree.nodes) != MaxObservedNodes {
			t.Errorf("%d are there: %s", len(f.tree.nodes), f.left())
		}
		f = newFake(oneShot)
		fits := strings.Repeat("x", MaxObservedPath-len("/a/"))
		f.has("/a", zoo.Stat{}, fits, fits+"y")
		f.fires(zoo.NodeCreated, "/a/"+fits+"z")
		if len(f.tree.nodes) != 2 || f.tree.nodes["/a/"+fits] == nil || !strings.Contains(f.left(), "more than 1024 bytes") {
			t.Errorf("%d are there: %s", len(f.tree.nodes), f.left())
		}
		f = newFake(oneShot)
		f.lists.unlisted["/a"] = true
		f.answers(reader.Data, "/a", wire.Response{Stat: zoo.Stat{Czxid: 1, NumChildren: MaxObservedChildren + 1}})
		if f.requests.queue.needs["/a"] != 0 || !strings.Contains(f.left(), "too many") {
			t.Errorf("too many children are listed: %s", f.left())
		}
	}
	f := newFake(false)
	f.has("/a", zoo.Stat{})
	deep := "/a" + strings.Repeat("/d", MaxObservedDepth)
	f.fires(zoo.NodeCreated, deep)
	f.has(deep, zoo.Stat{})
	f.fires(zoo.NodeCreated, deep+"/d/d")
	if f.requests.queue.needs[deep] != needStat|needData {
		t.Errorf("the znode above what is too deep is not looked at: %v", f.requests.queue.needs[deep])
	}
	f.answers(reader.Stat, deep, wire.Response{Stat: zoo.Stat{Czxid: 1, NumChildren: 1}})
	if !strings.Contains(f.left(), "too deep") {
		t.Errorf("it says %s", f.left())
	}
	for _, other := range []string{"/", "/ab", "/b/a", ""} {
		f.fires(zoo.NodeDeleted, other)
		f.fires(zoo.NodeCreated, other)
	}
	if f.log.count(event.ZnodeDeleted) > 0 {
		t.Error("it takes events for others")
	}
}

// TestLeftOut checks that the log reports everything that is left out, and later that it no longer is.
func TestLeftOut(t *testing.T) {
	f := newFake(true)
	reported := func(want ...string) {
		t.Helper()
		before := len(f.log)
		for range 2 { // the second time there is nothing new
			f.omissions.report()
		}
		var got []string
		for _, e := range f.log[before:] {
			got = append(got, words(e))
		}
		if !slices.Equal(got, want) {
			t.Errorf("it says %q, not %q", got, want)
		}
	}
	f.answers(reader.Data, "/a", wire.Response{Code: zoo.ErrNoNode})
	reported("/a isn't there yet; the page is waiting for it")
	f.has("/a", zoo.Stat{}, "secret")
	f.answers(reader.Data, "/a/secret", wire.Response{Code: zoo.ErrNoAuth})
	f.answers(reader.Stat, "/a/secret", wire.Response{Stat: zoo.Stat{Czxid: 1}})
	f.readOnly = true
	reported("/a/secret may not be read: an ACL forbids it",
		"the servers have no quorum: this is the state of one of them, and it may be out of date")
	f.readOnly = false
	f.answers(reader.Stat, "/a/secret", wire.Response{Stat: zoo.Stat{Czxid: 1, Aversion: 1}})
	f.answers(reader.Data, "/a/secret", wire.Response{Stat: zoo.Stat{Czxid: 1, Aversion: 1}})
	reported("everything that may be read is shown")
	f.answers(reader.Data, "/a", wire.Response{Code: zoo.ErrThrottledOp})
	reported("a znode can't be read: throttled")
}
