package observe

import (
	"maps"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// TestWhole plays a server, one answer after the other: the observer must report exactly once, neither early nor
// late, that it has read everything that existed, whatever changes meanwhile.
func TestWhole(t *testing.T) {
	stat := func(children int32) zoo.Stat { return zoo.Stat{Czxid: 1, NumChildren: children} }
	nothing, secret := wire.Response{Code: zoo.ErrNoNode}, wire.Response{Code: zoo.ErrNoAuth}
	type answers = map[reader.Request]wire.Response
	read := func(path string) reader.Request { return reader.Request{Kind: reader.Data, Path: path} }
	look := func(path string) reader.Request { return reader.Request{Kind: reader.Stat, Path: path} }
	list := func(path string) reader.Request { return reader.Request{Kind: reader.Children, Path: path} }
	has := func(stat zoo.Stat, names ...string) wire.Response { return wire.Response{Stat: stat, Children: names} }
	for _, c := range []struct {
		name   string
		server answers
		fires  map[int]wire.Notification // before the answer to that request, counted from 0
		found  []string                  // what the log has once it's whole
		asked  int                       // requests until then
	}{
		{"nothing", answers{read("/a"): nothing}, nil, nil, 1},
		{"a leaf", answers{read("/a"): has(stat(0))}, nil, []string{"/a"}, 1},
		{"may not be read", answers{read("/a"): secret, look("/a"): has(stat(2))}, nil, []string{"/a"}, 2},
		{"may not be listed", answers{read("/a"): has(stat(2)), list("/a"): secret}, nil, []string{"/a"}, 2},
		{"fails", answers{read("/a"): {Code: zoo.ErrConnectionLoss}}, nil, nil, 1},
		{"three levels", answers{read("/a"): has(stat(2)), list("/a"): has(stat(2), "b", "c"), read("/a/b"): has(stat(1)),
			read("/a/c"): has(stat(0)), list("/a/b"): has(stat(1), "d"), read("/a/b/d"): has(stat(0))}, nil,
			[]string{"/a", "/a/b", "/a/b/d", "/a/c"}, 6},
		{"one goes", answers{read("/a"): has(stat(2)), list("/a"): has(stat(2), "b", "c"), read("/a/b"): nothing,
			read("/a/c"): has(stat(0))}, nil, []string{"/a", "/a/c"}, 4},
		{"one goes that was to be read", answers{read("/a"): has(stat(1)), list("/a"): has(stat(1), "b"),
			read("/a/b"): nothing}, map[int]wire.Notification{2: {Type: int32(zoo.NodeDeleted), Path: "/a/b"}},
			[]string{"/a"}, 3},
		{"new ones don't count", answers{read("/a"): has(stat(0))},
			map[int]wire.Notification{0: {Type: int32(zoo.NodeCreated), Path: "/a/n"}}, []string{"/a"}, 1},
		{"one changes before it's listed", answers{read("/a"): has(stat(1)), list("/a"): has(stat(1), "b"),
			read("/a/b"): has(stat(1)), list("/a/b"): has(stat(1), "c"), read("/a/b/c"): has(stat(0))},
			map[int]wire.Notification{0: {Type: int32(zoo.NodeDataChanged), Path: "/a/b"}},
			[]string{"/a", "/a/b", "/a/b/c"}, 6}, // the first again, since it is above the change
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(false)
			whole, asked := 0, 0
			f.initial.whole = func() { whole++ }
			f.oneShot, f.requests.asking = true, 0 // there is no watch to ask for
			f.begin(&reader.Conn{}, "")
			f.oneShot = false
			for whole == 0 && f.requests.ready() {
				for _, q := range f.askOne() {
					if n, fires := c.fires[asked]; fires {
						f.receive(reader.Message{Event: n})
					}
					asked++
					a, known := c.server[reader.Request{Kind: q.Kind, Path: q.Path}]
					if !known {
						t.Fatalf("it asks for %v", q)
					}
					a.Zxid = now
					f.receive(reader.Message{Asked: &q, Answer: a})
				}
			}
			var found []string
			for _, path := range slices.Sorted(maps.Keys(f.tree.nodes)) {
				if f.tree.nodes[path].read {
					found = append(found, path)
				}
			}
			if whole != 1 || asked != c.asked || !slices.Equal(found, c.found) {
				t.Errorf("it says %d times that it's whole, after %d requests, and has %v", whole, asked, found)
			}
			if f.answered(); whole != 1 || f.log.count(event.Disconnected) > 0 {
				t.Errorf("it says so %d times", whole)
			}
		})
	}
}

// askOne asks for one znode.
func (f *fake) askOne() []reader.Request {
	all := f.requests.queue.take(1, false)
	f.requests.asking = len(all)
	if f.requests.asking == 0 {
		f.answered()
	}
	return all
}

// TestRootAgain checks that a root which is created while the observer finds it missing is listed: before 3.6, no event
// says so.
func TestRootAgain(t *testing.T) {
	f := newFake(true)
	f.requests.queue = newReadQueue()
	f.answers(reader.Data, "/a", wire.Response{Code: zoo.ErrNoNode})
	f.answers(reader.Stat, "/a", wire.Response{Stat: zoo.Stat{Czxid: now + 1}})
	f.answers(reader.Data, "/a", wire.Response{Stat: zoo.Stat{Czxid: now + 1}})
	if f.requests.queue.needs["/a"]&needNames == 0 {
		t.Errorf("it isn't listed; what is due is %v", f.requests.queue.needs)
	}
}
